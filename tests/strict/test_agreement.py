"""What the invariants call broken is what a provider refuses, and what was repaired is taken."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.chat.format import named
from ctxkit.core.chat.invariants import breaches
from ctxkit.core.chat.pairing import pairing
from ctxkit.core.chat.repair import MENDED, repaired
from ctxkit.core.chat.rewrite import rewritten
from ctxkit.core.chat.transcript import transcript_of
from tests.core.chat.talks import FORMATS, mutilated
from tests.strict import anthropic, openai
from tests.strict.refusal import Refused
from tests.strict.server import Strict

both = pytest.mark.parametrize("name", ["openai", "anthropic"])
STRICT = Strict(lambda _: ("", ()))


def read(name, data):
    return transcript_of(data, "chat", named(name))


def refusal(name, entries):
    """Return why a provider refuses some messages, empty when it does not."""
    try:
        if name == "openai":
            openai.check({"model": "m", "messages": entries})
        else:
            request = {"model": "m", "max_tokens": 1, "tools": [{"name": "run"}, {"name": "read"}], "messages": entries}
            anthropic.check(request, STRICT.signed, STRICT.issued.get, alternates=True)
    except Refused as refused:
        return refused.message
    return ""


def answered(transcript):
    """Tell whether no call waits at the end, which is legal in a file, but not in a request."""
    return not pairing(transcript.records, transcript.format.RULES).waiting


@both
@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_what_is_broken_is_what_is_refused(name, data):
    entries = data.draw(mutilated(name))
    transcript = read(name, FORMATS[name][1](entries))
    if answered(transcript):
        assert bool(refusal(name, entries)) == bool(breaches(transcript)), refusal(name, entries)


@both
@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_what_was_repaired_is_taken(name, data):
    before = read(name, FORMATS[name][1](data.draw(mutilated(name))))
    after = read(name, rewritten(before, repaired(before).change).encode())
    if answered(after) and not breaches(after) and after.records:
        assert refusal(name, [record.value for record in after.records]) == ""
    assert not {breach.rule for breach in breaches(after)} & {*MENDED}
