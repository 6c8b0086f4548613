"""Sessions of Claude Code after a compaction that kept messages: compacted again, they are what it loads."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.chat.branches import find_active_path
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches
from tests.core.chat.talks import TIME, claude_code, lines
from tests.core.compact.sizes import compact, policy, read, working
from tests.example_counts import count_examples

END = 40
KEPT = {"s": 18, "b": 19}
"""Number of entries before the compaction, and of those that it kept, in whole turns, by what they follow."""


def write_session(listed: bool, anchor: str, parent: str, end: int = END, kept: int = 0):
    """Return the lines of a session whose compaction kept some entries, in one of the forms of Claude Code.

    The last entries are kept if they follow the summary "s", the first ones if they follow the boundary "b".
    """
    plan, outputs = working(30, 4)
    shared = {"sessionId": "s", "timestamp": TIME}
    hook = {"parentUuid": None, "type": "attachment", "uuid": "h", "attachment": {"type": "hook_success"}, **shared}
    talk = claude_code(plan)
    talk[0]["parentUuid"], notes = "h", {}
    for value in talk:
        for block in value["message"]["content"] if isinstance(value["message"]["content"], list) else ():
            if block["type"] == "tool_result":
                block["content"] = outputs[int(block["tool_use_id"][5:])]
    for at in (30, 47, 56, 65):  # notes of the program, with a line outside the tree after them
        note = {"parentUuid": f"u{at}", "type": "system", "subtype": "turn_duration", "uuid": f"t{at}", **shared}
        talk[at + 1]["parentUuid"] = f"t{at}"
        notes[f"u{at}"] = [note, {"type": "last-prompt", "sessionId": "s"}]
    before, after, kept = talk[:end], talk[end:], kept or KEPT[anchor]
    ids = [value["uuid"] for value in (before[-kept:] if anchor == "s" else before[:kept])]
    metadata = {"preservedSegment": {"headUuid": ids[0], "anchorUuid": anchor, "tailUuid": ids[-1]}}
    if listed:
        metadata["preservedMessages"] = {"anchorUuid": anchor, "uuids": ids, "allUuids": ids}
    boundary: dict[str, Any] = {"parentUuid": None, "type": "system", "subtype": "compact_boundary", "uuid": "b", **shared}
    boundary["compactMetadata"] = {"trigger": "auto", "preTokens": 9, **metadata}
    message = {"role": "user", "content": "So far, the parser was read."}
    summary = {"parentUuid": "b", "type": "user", "isCompactSummary": True, "uuid": "s", "message": message, **shared}
    attachment = {"parentUuid": "s", "type": "attachment", "uuid": "n", "attachment": {"type": "date"}, **shared}
    after[0] = {**after[0], "parentUuid": {"last": ids[-1] if anchor == "s" else "s", "note": "n"}[parent]}
    stale = {**boundary, "uuid": "o", "compactMetadata": {"preservedSegment": {"headUuid": "0", "tailUuid": "0", "anchorUuid": "o"}}}
    values = [hook, stale, *before, boundary, summary, attachment, *after]
    return [line for value in values for line in (value, *notes.get(value.get("uuid"), ()))]


def load(data: bytes) -> list[str]:
    """Return the ids of the messages that Claude Code loads: an own reading of its rules.

    Only the last boundary moves what it kept. If any boundary kept entries, the others before the last boundary are left
    out. Both happen only if all entries from the tail of what the last one kept back to its head are there.
    """
    values = [value for line in data.decode().splitlines() if "uuid" in (value := json.loads(line))]
    by_id = {value["uuid"]: dict(value) for value in values}
    segments = {
        at: value["compactMetadata"].get("preservedSegment")
        for at, value in enumerate(values)
        if value.get("subtype") == "compact_boundary"
    }
    last, kept, is_whole = max(segments, default=-1), set(), True
    if segment := segments.get(last):
        at = segment["tailUuid"]
        while at in by_id and at != segment["headUuid"]:
            kept.add(at)
            at = by_id[at]["parentUuid"]
        kept.add(at)
        if is_whole := at in by_id:
            for id_, value in by_id.items():
                if value["parentUuid"] == segment["anchorUuid"] and id_ != at:
                    value["parentUuid"] = segment["tailUuid"]
            by_id[at]["parentUuid"] = segment["anchorUuid"]
    if is_whole and any(segments.values()):
        for value in values[:last]:
            if value["uuid"] not in kept:
                del by_id[value["uuid"]]
    chain, at = [], values[-1]["uuid"]
    while at:
        chain, at = [at, *chain], by_id[at]["parentUuid"]
    return [id_ for id_ in chain if "message" in by_id[id_]]


def list_sent(transcript):
    return [transcript.records[at].link.id for at in find_active_path(transcript)]


FORMS = [
    (listed, anchor, parent)
    for listed in (True, False)
    for anchor in ("s", "b")
    for parent in ("last", "note")
]


@pytest.mark.parametrize(("listed", "anchor", "parent"), FORMS)
def test_the_session_is_what_claude_code_loads(listed, anchor, parent) -> None:
    session = write_session(listed, anchor, parent)
    assert list_sent(read(lines(session))) == load(lines(session))


@settings(max_examples=count_examples(20))
@given(st.sampled_from(FORMS), st.integers(20, 45), st.integers(1, 19), st.sampled_from([700, 2048]))
def test_a_compaction_may_have_cut_anywhere(form, end, kept, window) -> None:
    listed, anchor, parent = form
    transcript = read(lines(write_session(listed, anchor, parent, end, kept)))
    assert list_sent(transcript) == load(transcript.encode(transcript.text))
    outcome = compact(transcript, policy(window, force=True), stores=False)
    assert all("would not be those" not in report.undone for report in outcome.stage_reports)
    changed = parse_transcript(outcome.content, "chat")
    assert find_breaches(changed) == ()
    assert list_sent(changed) == load(outcome.content)


@pytest.mark.parametrize("stages", [("clear", "summarize", "truncate"), ("truncate",)], ids=["all", "truncate"])
@pytest.mark.parametrize("window", [700, 1024, 1536, 2048, 3072, 4096])
@pytest.mark.parametrize(("listed", "anchor", "parent"), FORMS)
def test_a_compaction_leaves_what_claude_code_loads(listed, anchor, parent, window, stages) -> None:
    transcript = read(lines(write_session(listed, anchor, parent)))
    outcome = compact(transcript, policy(window, stages=stages, force=stages != ("truncate",)), stores=False)
    assert all("would not be those" not in report.undone for report in outcome.stage_reports)
    changed = parse_transcript(outcome.content, "chat")
    assert find_breaches(changed) == ()
    assert list_sent(changed) == load(outcome.content)
    if outcome.result == "compacted":
        assert len(find_active_path(changed)) == outcome.after.messages
