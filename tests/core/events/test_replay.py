import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.events.replay import (
    ASSUMED_READS,
    COLUMNS,
    LINE,
    MAX_ROWS,
    ReadRate,
    ReplayLimits,
    ReplayStep,
    ReplayTotals,
    add_reads,
    describe_sessions,
    format_replay,
    make_read_rate,
    make_replay_chart,
    replay_steps,
    sum_rows,
)

LIMITS = ReplayLimits(100_000, 7_500, 2_500)


def test_a_long_result_of_a_command_becomes_a_map() -> None:
    steps = [ReplayStep(9_000, "make", "a", is_gated=True), ReplayStep(7_500, "make", "b", is_gated=True), ReplayStep(9_000, "Read", "c")]
    assert replay_steps(steps, LIMITS) == [ReplayTotals("make", 2, 16_500, 6_500), ReplayTotals("Read", 1, 9_000)]


def test_content_that_is_in_the_window_is_a_line() -> None:
    steps = [ReplayStep(900, "ls", "a"), ReplayStep(900, "ls", "a"), ReplayStep(199, "ls", "b"), ReplayStep(199, "ls", "b")]
    assert replay_steps(steps, LIMITS) == [ReplayTotals("ls", 4, 2_198, 0, 900 - LINE)]


def test_a_full_window_clears_old_results_and_forgets_them() -> None:
    steps = [ReplayStep(40_000, "cat", "a"), ReplayStep(50_000), ReplayStep(19_000, "ls", "b"), ReplayStep(15_000, "cat", "a")]
    cat, ls = replay_steps(steps, LIMITS)
    assert (cat.masked, cat.repeated) == (40_000 - LINE, 0)
    assert ls == ReplayTotals("ls", 1, 19_000)


def test_what_does_not_fit_after_clearing_is_summarized() -> None:
    steps = [ReplayStep(90_000), ReplayStep(90_000), ReplayStep(50_000, "cat", "a")]
    assert replay_steps(steps, LIMITS) == [ReplayTotals("cat", 1, 50_000)]


STEP = st.builds(ReplayStep, st.integers(0, 30_000), st.sampled_from(["", "a", "b"]), st.sampled_from("xyz"), st.booleans())


@given(st.lists(STEP, max_size=60))
def test_no_result_is_kept_out_more_than_once(steps: list[ReplayStep]) -> None:
    rows = replay_steps(steps, LIMITS)
    total = sum_rows(rows, "total")
    assert total.entered == sum(step.tokens for step in steps if step.program)
    assert total.results == sum(bool(step.program) for step in steps)
    for row in rows:
        assert 0 <= row.gate + row.repeated + row.masked <= row.entered
    assert add_reads(rows, ReadRate(1.0, True)) == sorted(add_reads(rows, ReadRate(1.0, True)), key=lambda row: -row.net)


@pytest.mark.parametrize(
    ("kept_out", "brought_back", "maps", "rate"),
    [(1000, 100, 20, ReadRate(0.1, True)), (1000, 5000, 20, ReadRate(1.0, True)), (1000, 100, 19, ReadRate(ASSUMED_READS, False)), (0, 0, 90, ReadRate(ASSUMED_READS, False))],
)  # fmt: skip
def test_reads_are_measured_if_there_are_enough_maps(kept_out: int, brought_back: int, maps: int, rate: ReadRate) -> None:
    assert make_read_rate(kept_out, brought_back, maps) == rate


def test_the_table_has_the_sums_and_says_what_they_are() -> None:
    rows = add_reads([ReplayTotals("ls", 1, 100), ReplayTotals("make\x1b", 3, 9_000, 6_500, 10, 20)], ReadRate(0.1, False))
    text = format_replay(rows, ReadRate(0.1, False), exact=False).splitlines()
    assert text[0].split() == ["program", *COLUMNS]
    assert text[1].split()[1:] == ["3", "9,000", "6,500", "10", "20", "650", "5,880"]
    assert "\x1b" not in text[1]
    assert text[3].split() == ["total", "4", "9,100", "6,500", "10", "20", "650", "5,880"]
    assert "assumed" in text[6]
    assert text[-1] == "tokens are estimates"
    assert "measured" in format_replay(rows, ReadRate(0.1, True), exact=True)


def test_many_programs_are_one_row() -> None:
    rows = [ReplayTotals(f"p{number}", 1, 5) for number in range(MAX_ROWS + 7)]
    assert "(others)        7" in format_replay(rows, ReadRate(0.1, True), exact=True)


def test_a_chart_has_no_negative_column() -> None:
    chart = make_replay_chart([ReplayTotals("a", 1, 9, 5, 0, 0, 9)])
    assert [series.values for series in chart.series] == [(0,), (0,), (0,), (9,)]


def test_files_are_counted() -> None:
    assert [describe_sessions(1, 0), describe_sessions(2, 1)] == ["1 session", "2 sessions, 1 other file"]
