"""A report is about the last answer, and adds up all."""

from ctxkit.core.usage.answer import Answer, CompactionReceipt, Stop, Usage
from ctxkit.core.usage.report import build_report, format_report

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
