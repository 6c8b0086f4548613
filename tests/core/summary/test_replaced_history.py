"""The messages of a compaction of Codex are messages, not statements of a summary."""

from typing import Any

from ctxkit.core.summary.page import extract
from ctxkit.core.summary.record import build_record
from ctxkit.core.summary.replaced_history import SUMMARY_START, expand_histories
from tests.core.summary.talk import matter, records_of, words


def item(role: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}


def line(payload: dict[str, Any], kind: str = "response_item") -> dict[str, Any]:
    return {"timestamp": "t", "type": kind, "payload": payload}


HISTORY = [
    item("developer", "## Context\n- In the app, the model can display images using standard Markdown syntax."),
    item("user", "Write the design.\n\nConstraints\n\nUse at most two colours. Never touch the lock file."),
    item("assistant", "We can get close. Strict caps on memory are best enforced with cgroups."),
]
CALL = {"type": "function_call", "call_id": "c", "name": "exec_command", "arguments": '{"cmd": "ls"}'}
OUTPUT = {"type": "function_call_output", "call_id": "c", "output": "a.txt"}


def page_of(*history: dict[str, Any]) -> Any:
    lines = [
        line({"id": "s"}, "session_meta"),
        line({"message": "", "replacement_history": list(history)}, "compacted"),
        line(item("user", "Now fix the parser in src/parse.py.")),
    ]
    return extract(matter(records_of(lines)))


def test_what_was_said_before_a_compaction_is_no_fact_and_no_decision_of_a_summary() -> None:
    page = page_of(*HISTORY)
    assert page.facts == ()
    assert page.decisions == ("Use at most two colours.", "Never touch the lock file.")
    assert page.task == "Now fix the parser in src/parse.py."


def test_the_summary_and_the_instructions_among_the_messages_are_carried() -> None:
    handover = item("user", f"{SUMMARY_START} and produced a summary.\n\n- The parser reads the `size` field twice.")
    lines = [
        line({"id": "s"}, "session_meta"),
        line({"message": "", "replacement_history": [*HISTORY, handover]}, "compacted"),
    ]
    record = build_record(matter(records_of(lines)), "", 900, words)
    assert "### Instructions\n> ## Context\n" in record
    assert "### Earlier summary\n> Another language model" in record
    assert "> - The parser reads the `size` field twice.\n" in record


def test_a_summary_without_its_lead_is_told_by_the_text_of_the_compaction() -> None:
    note = "**Handoff**\n- The cache is cold."
    compacted = line({"message": note, "replacement_history": [*HISTORY, item("user", note)]}, "compacted")
    parts = expand_histories(records_of([line({"id": "s"}, "session_meta"), compacted]))
    assert [part.kind for part in parts] == ["message", "message", "message", "summary"]


def test_calls_of_a_history_stay_and_other_records_are_the_same() -> None:
    lines = [
        line({"id": "s"}, "session_meta"),
        line({"message": "", "replacement_history": [*HISTORY, CALL, OUTPUT]}, "compacted"),
    ]
    parts = expand_histories(records_of(lines))
    assert [part.role for part in parts] == ["system", "user", "assistant", "user"]
    assert [call.id for part in parts for call in part.calls] == ["c"]
    alone = records_of([line(item("user", "Fix it."))])
    assert expand_histories(alone) is alone
