"""What a manifest lists, and that it leads back to every byte."""

import json
from hashlib import sha256

import pytest

from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.compact.manifest import (
    ByteOffsets,
    build_manifest,
    build_unchanged_manifest,
    explain_outcome,
    is_content_of,
    read_original,
    refs_of,
)
from ctxkit.core.compact.outcome import ConversationSize
from ctxkit.core.errors import MalformedInputError
from tests.core.chat.talks import FORMATS
from tests.core.compact.sizes import balance, compact, policy, session, total

every_format = pytest.mark.parametrize("name", FORMATS)


def listed(transcript, window=2048, **given):
    data = transcript.encode(transcript.text)
    outcome = compact(transcript, policy(window, **given))
    return data, outcome, build_manifest(outcome, transcript, data, "chat")


@every_format
def test_every_range_is_where_it_says_and_what_it_says(name) -> None:
    data, outcome, manifest = listed(session(name))
    assert json.loads(json.dumps(manifest)) == manifest
    assert manifest["original"]["sha256"] == sha256(data).hexdigest()
    assert manifest["output"]["sha256"] == sha256(outcome.content).hexdigest()
    gone = [change for change in manifest["changes"] if change["action"] in ("summarized", "dropped")]
    assert sum(change["entries"] for change in gone) == len(outcome.dropped) > 0
    for change in gone:
        first, last = change["bytes"]
        assert sha256(data[first - 1 : last]).hexdigest() == change["sha256"]
        assert data.count(b"\n", 0, first - 1) + 1 == change["lines"][0]
        assert data.count(b"\n", 0, last) + 1 == change["lines"][1]


@every_format
def test_what_is_cleared_is_named_by_its_call_and_stored_under_its_ref(name) -> None:
    before = session(name)
    _, outcome, manifest = listed(before, int(1.2 * total(before)), stages=("clear",))
    stored = {one.ref: one.data for one in outcome.stored}
    cleared = [change for change in manifest["changes"] if change["action"] == "cleared"]
    assert len(cleared) > 3
    assert all(sha256(stored[change["ref"]]).hexdigest() == change["sha256"] for change in cleared)
    assert refs_of(manifest) == set(stored)
    assert cleared[0]["ids"] in (["call_0"], [])
    assert {change["tool"] for change in cleared} <= {"run", "read", ""}


def test_bytes_are_counted_as_the_file_has_them() -> None:
    text = '\ufeff[{"role": "user", "content": "é界"},\n {"role": "user", "content": "🙂"}]'
    for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
        data = text.encode(encoding)
        transcript = parse_transcript(data, "chat", get_format("openai"))
        offset = ByteOffsets(transcript)
        for record in reversed(transcript.records):
            raw = data[offset.byte_at(record.start) : offset.byte_at(record.end)]
            assert json.loads(raw.decode(encoding)) == record.value


@pytest.mark.parametrize("value", [None, [], {}, {"kind": "ctxkit manifest"}, {"kind": "ctxkit manifest", "original": {"sha256": "x"}}])
def test_what_is_no_manifest_is_said_to_be_none(value) -> None:
    with pytest.raises(MalformedInputError, match="not the manifest"):
        read_original(value, "m.json")


def test_what_passed_unchanged_has_no_changes() -> None:
    transcript = session("openai", 2)
    data = transcript.encode(transcript.text)
    before = ConversationSize(balance(transcript).count_transcript(transcript).amount, 6, len(data))
    made = build_unchanged_manifest(before, transcript, data, "it")
    assert (made["changes"], made["original"]) == ([], made["output"])
    assert is_content_of(read_original(made, "it"), data)
    assert not is_content_of(read_original(made, "it"), data + b"\n")


def test_all_that_left_is_explained_with_the_way_back() -> None:
    outcome = compact(session("openai"), policy(2048))
    removals = list(explain_outcome(outcome))
    left = {number for removal in removals if removal.what == "left" for number in range(removal.first, removal.last + 1)}
    path = outcome.conversation.path
    assert left == {number for number, record in enumerate(path, 1) if record.at in outcome.dropped}
    assert sum(removal.tokens for removal in removals if removal.what == "left") < outcome.before.amount.tokens
    assert {removal.ref for removal in removals} <= {content.ref[:16] for content in outcome.stored}
    assert str(removals[0]).endswith(f"tokens; ctxkit cache get {removals[0].ref}")
    assert removals[0].to_object()["reason"] == removals[0].reason


def test_results_that_were_cleared_are_named_with_their_tool() -> None:
    outcome = compact(session("openai"), policy(2048, stages=("clear",)), stores=False)
    removals = list(explain_outcome(outcome))
    assert len(removals) == sum(1 for _ in outcome.plan.edits())
    assert {removal.what for removal in removals} <= {"result of run cleared", "result of read cleared"}
    assert all(str(removal).endswith("stored nowhere") for removal in removals)


def test_nothing_left_an_unchanged_conversation() -> None:
    assert list(explain_outcome(compact(session("openai"), policy(200_000)))) == []
