"""Events of the gate: their names, and their tokens before and after."""

import json
from pathlib import Path

from ctxkit.core.gate.decision import UNCOUNTED
from ctxkit.core.text.stream import CountedContent
from ctxkit.edge.gate_events import describe_decision, find_event_name, record_decision
from tests.edge.test_report import BRIEFING, RAW, REFUSED, TERMS


def test_what_is_replaced_has_the_name_of_the_seed() -> None:
    """Seed 002: "context_compaction_start", "context_compaction_end", "tool_output_truncated"."""
    assert [find_event_name(result) for result in (RAW, BRIEFING, REFUSED)] == [
        "gate",
        "tool_output_truncated",
        "tool_output_truncated",
    ]


def test_tokens_before_and_after() -> None:
    tokens = [describe_decision(result, TERMS)[1] for result in (RAW, BRIEFING, REFUSED)]
    assert [(facts["before_tokens"], facts["after_tokens"]) for facts in tokens] == [(3, 3), (5000, 9), (5000, 0)]


def test_content_that_passed_is_measured_after_it_was_read(tmp_path: Path) -> None:
    content = CountedContent((b"one\n", b"two"))
    list(content)
    passed = RAW._replace(token_count=UNCOUNTED, size=-1, content=content)
    record_decision(str(tmp_path / "log"), passed, TERMS, {"session": "s"}, {"redacted": 0})
    event = json.loads((tmp_path / "log").read_text())
    assert (event["original"]["bytes"], event["original"]["lines"]) == (7, 2)
    assert (event["session"], event["redacted"], event["before_tokens"]) == ("s", 0, None)
