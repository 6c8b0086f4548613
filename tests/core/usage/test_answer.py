"""What an answer says of itself adds up, piece by piece."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.usage.answer import STOP_REASONS, Answer, Stop, Usage, subtract_parts

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
