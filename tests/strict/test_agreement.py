"""What the invariants call broken is what a provider refuses, and what was repaired is taken."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.chat.branches import apply_change
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches
from ctxkit.core.chat.validity.pairing import pair_calls
from ctxkit.core.chat.validity.repair import repair_conversation
from tests.core.chat.talks import FORMATS, mutilated
from tests.core.chat.validity.repaired_rules import REPAIRED_RULES
from tests.example_counts import count_examples
from tests.strict import anthropic, openai
from tests.strict.refusal import Refused
from tests.strict.server import Strict

both = pytest.mark.parametrize("name", ["openai", "anthropic"])
STRICT = Strict(lambda _: ("", ()))


def read(name, data):
    return parse_transcript(data, "chat", get_format(name))


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
    return not pair_calls(transcript.records, transcript.format.RULES).waiting


@both
@given(data=st.data())
@settings(max_examples=count_examples(100), deadline=None)
def test_what_is_broken_is_what_is_refused(name: str, data: st.DataObject) -> None:
    entries = data.draw(mutilated(name))
    transcript = read(name, FORMATS[name][1](entries))
    if answered(transcript):
        assert bool(refusal(name, entries)) == bool(find_breaches(transcript)), refusal(name, entries)


@both
@given(data=st.data())
@settings(max_examples=count_examples(100), deadline=None)
def test_what_was_repaired_is_taken(name: str, data: st.DataObject) -> None:
    before = read(name, FORMATS[name][1](data.draw(mutilated(name))))
    after = read(name, apply_change(before, repair_conversation(before).change).encode())
    if answered(after) and not find_breaches(after) and after.records:
        assert refusal(name, [record.value for record in after.records]) == ""
    assert not {breach.rule for breach in find_breaches(after)} & {*REPAIRED_RULES}
