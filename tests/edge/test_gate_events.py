"""Events of the gate: their names, and their tokens before and after."""

import json
from pathlib import Path

import pytest

from ctxkit.core.gate.decision import UNCOUNTED, GatePolicy, GateResult
from ctxkit.core.store.label import Label
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.text.stream import CountedContent
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.token_count import TokenCount
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.edge import gate_events
from ctxkit.edge.gate_events import describe_decision, describe_result, find_event_name, record_decision
from tests.edge.test_report import BRIEFING, BUDGET, RAW, REFUSED, TERMS


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


def test_an_assumed_window_is_named() -> None:
    assert "assumed" not in describe_result(RAW, TERMS)["budget"]
    assert describe_result(RAW, TERMS._replace(budget=TERMS.budget._replace(assumed=True)))["budget"] == BUDGET | {
        "assumed": True
    }


@pytest.mark.parametrize(("data", "total"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"\n\n", 2)])
def test_lines_of_what_passes_are_counted_where_the_content_is_at_hand(data: bytes, total: int) -> None:
    gate_result = GateResult("raw", TokenCount(1, 1, "exact"), (data,), size=len(data))
    assert describe_result(gate_result, TERMS, data)["original"] == {
        "bytes": len(data),
        "lines": total,
        "tokens": 1,
        "method": "exact",
    }


def test_what_nobody_counted_is_left_out_or_null() -> None:
    described = describe_result(GateResult("raw", UNCOUNTED, ()), TERMS)
    assert (described["tokens"], described["original"]) == (None, {"method": None})


REF = "abcdef012345" + "6" * 52


def refused(tokens: int, ref: str = REF) -> GateResult:
    return GateResult("refused", UNCOUNTED, (), ref, TokenCount(tokens, tokens, "exact"))


def terms_of(budget: Budget, limit: int | None = None) -> GatePolicy:
    return GatePolicy(budget, find_vocabulary("qwen3"), Hint(PRESETS["ctxkit"]), limit, Label("log"))


FULL = Budget(10_000, 0, 9_800)


@pytest.mark.parametrize(
    ("admission", "terms", "reason"),
    [
        (refused(900), terms_of(FULL), "the window is full: 9,800 of 10,000 tokens are used"),
        (refused(900), terms_of(Budget(40, 0)), "no map of log fits 20 tokens, half of what is available"),
        (refused(900, ""), terms_of(Budget(40, 0)), "no excerpt of log fits 20 tokens, half of what is available"),
        (refused(900), terms_of(Budget(10_000, 0), 5), "no map of log fits 5 tokens, all that --limit allows"),
    ],
)
def test_the_reason_is_a_full_window_or_too_little_room_for_a_map(admission, terms, reason: str) -> None:
    assert gate_events.explain_refusal(admission, terms) == reason


@pytest.mark.parametrize(
    ("admission", "terms", "more"),
    [
        (refused(900, ""), terms_of(FULL), []),
        (refused(200, ""), terms_of(FULL), ["--admit passes it anyway"]),
        (refused(200, ""), terms_of(FULL, 100), ["a larger --limit admits more"]),
        (refused(900, ""), terms_of(Budget(40, 0, assumed=True)), ["--model or --window names a larger window"]),
        (refused(900), terms_of(Budget(40, 0)), ["ctxkit cache get abcdef0123456666 reads the stored content"]),
    ],
)
def test_the_remedy_names_compact_and_what_else_helps_here(admission, terms, more) -> None:
    assert gate_events.suggest_remedy(admission, terms).split("; ") == ["ctxkit compact frees tokens", *more]
