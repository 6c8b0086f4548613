"""The layout of a chart."""

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.drawing.chart import Chart, Limit, Mark, Series, format_short, list_ticks, pick_labels


@given(st.integers(1, 10**15))
def test_ticks_are_round_and_reach_the_top(top: int) -> None:
    ticks = list_ticks(top)
    assert ticks[-1] >= top
    assert 2 <= len(ticks) <= 6
    assert str(ticks[1]).rstrip("0") in ("1", "2", "5")


def test_numbers_are_short() -> None:
    assert [format_short(number) for number in (0, 999, 1000, 1500, 2_000_000)] == ["0", "999", "1k", "1.5k", "2M"]


def test_a_long_chart_keeps_its_peaks_and_marks() -> None:
    values = tuple(9000 if at == 777 else 1 for at in range(1000))
    chart = Chart("t", tuple(map(str, range(1000))), (Series("a", values),), (Mark(500, "compaction"),)).shorten(100)
    assert len(chart.labels) == 100
    assert chart.labels[77] == "777"
    assert chart.series[0].values[77] == 9000
    assert chart.marks == (Mark(50, "compaction"),)


@given(st.integers(0, 500))
def test_the_first_and_the_last_label_are_shown(size: int) -> None:
    shown = list(pick_labels(["x"] * size))
    assert len(shown) == min(size, 6)
    assert not size or (shown[0], shown[-1]) == (0, size - 1)


def test_the_top_includes_limits() -> None:
    assert Chart("t", ("a",), (Series("a", (3,)),), limits=(Limit(9, "full"),)).top == 9
    assert Chart("t", (), (Series("a", ()),)).top == 1
