"""What an answer says of itself adds up, piece by piece."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.usage.answer import (
    STOP_REASONS,
    Answer,
    CompactionReceipt,
    Stop,
    Usage,
    build_report,
    format_report,
    subtract_parts,
)

COUNTS = st.integers(0, 10**9)
USAGES = st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS, st.none() | COUNTS)


@settings(deadline=None)
@given(USAGES, USAGES)
def test_two_requests_took_what_each_did(one, other) -> None:
    both = one.plus(other)
    assert both.context_total == one.context_total + other.context_total
    assert both.input + both.output == both.context_total
    assert both == other.plus(one)


@settings(deadline=None)
@given(USAGES, st.integers(0, 10**9))
def test_a_later_piece_may_say_of_the_output_alone(usage, output: int) -> None:
    whole = Answer("s", usage).merge(Answer("s", Usage(output=output))).usage
    assert whole.input == usage.input
    assert whole.output == max(usage.output, output)


@settings(deadline=None)
@given(COUNTS, COUNTS, COUNTS)
def test_parts_are_taken_from_a_whole_that_can_hold_them(whole, one, other) -> None:
    rest, *parts = subtract_parts(whole, one, other)
    assert parts == [one, other]
    assert rest == (whole - one - other if one + other <= whole else whole)


def test_an_answer_that_calls_a_tool_ended_for_it() -> None:
    assert Answer("s", stop=Stop("end", "STOP"), calls=True).final_stop == Stop("tool", "STOP")
    assert Answer("s", stop=Stop("length", "x"), calls=True).final_stop == Stop("length", "x")
    assert Answer("s").final_stop == Stop("unknown")


def test_stop_reasons_are_those_of_the_seed_and_more() -> None:
    """Seed 002: "max_tokens", "error", "abort"."""
    more = {"stop", "tool_use", "content_filter", "refusal", "pause", "unknown"}
    assert set(STOP_REASONS.values()) == {"max_tokens", "error", "abort"} | more
    reasons = {raw: Stop(raw).stop_reason for raw in ("length", "error", "aborted")}
    assert reasons == {"length": "max_tokens", "error": "error", "aborted": "abort"}


def test_a_usage_with_writes_says_how_long_the_cache_lives() -> None:
    assert [usage.cache_seconds for usage in (Usage(9, cache_read=90), Usage(9, cache_write_5m=5))] == [0, 300]


FIRST = Answer("openai", Usage(100, 5, output=7), Stop("tool", "tool_calls"), model="m")
LAST = Answer("openai", Usage(20, 190, 1, 2, 9, 4), Stop("end", "stop"), model="m")
FAILED = Answer("openai", stop=Stop("error", "rate_limit"), message="Slow\ndown.")


def test_the_last_answer_is_shown_and_all_are_added_up() -> None:
    """Seed 002: "Input, Output, Total"."""
    found = build_report([FIRST, LAST])
    assert (found["input"], found["output"], found["total"], found["context_total"]) == (213, 9, 222, 222)
    assert (found["stop"], found["stop_raw"], found["answers"]) == ("end", "stop", 2)
    assert found["all"]["total"] == 112 + 222


def test_what_failed_last_took_nothing_that_is_known() -> None:
    found = build_report([FIRST, LAST, FAILED])
    assert (found["context_total"], found["stop"], found["message"]) == (222, "error", "Slow\ndown.")
    alone = build_report([FAILED])
    assert {alone[name] for name in ("input", "output", "total", "reasoning")} == {None}
    assert alone["all"]["total"] is None


def test_a_table_has_no_lines_of_nothing() -> None:
    assert format_report(build_report([FIRST])) == (
        "100  input, uncached\n  5  cache, read\n  7  output\n112  in context\nstop: tool (tool_calls)\n"
    )
    assert format_report(build_report([FAILED])) == "stop: error (rate_limit): Slow down.\n"
    assert format_report(build_report([FIRST, LAST])).endswith("stop: end (stop)\n2 answers: 318 tokens read, 16 written\n")


def test_after_a_compaction_what_it_left_is_in_context() -> None:
    found = build_report([FIRST, LAST, Answer("anthropic", compaction=CompactionReceipt(9_120))])
    assert (found["context_total"], found["input"], found["answers"]) == (9_120, 213, 2)
    assert "9,120  in context" in format_report(found)
    unknown = build_report([FIRST, Answer("anthropic", compaction=CompactionReceipt(None))])
    assert (unknown["context_total"], unknown["input"]) == (None, 105)
    assert "in context" not in format_report(unknown)
    assert build_report([Answer("anthropic", compaction=CompactionReceipt(9)), FIRST])["context_total"] == 112
