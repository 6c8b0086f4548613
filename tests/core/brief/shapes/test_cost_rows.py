import pytest

from ctxkit.core.brief.shapes.cost_rows import CostColumn, CostReader, measure_rows, read_amount


@pytest.mark.parametrize(
    ("text", "amount"), [("1,024", 1_024), ("2 KiB", 2_048), ("1.5ms", 0.0015), ("12.5", 12.5), ("words", 0)]
)
def test_a_cost_has_a_unit(text: str, amount: float) -> None:
    assert read_amount(text) == amount


def test_the_costliest_rows_are_kept_in_order() -> None:
    column = CostColumn("time")
    for number in range(1, 200):
        column.add(number % 90, number, f"row {number}")
    assert column.list_costliest()[:3] == [(89, "row 89"), (179, "row 179"), (88, "row 88")]


def test_rows_and_what_stands_between_them_are_told() -> None:
    lines = ["# Samples: 2", "import time: 1 | 2 | a", "    |--tree", "free text"]
    assert measure_rows(lines) == (1, 0.75)
    reader = CostReader()
    reader.add_lines(enumerate([*lines, "# Samples: 3"], 1))
    assert reader.summaries == [(1, "# Samples: 2")]
    assert reader.other_count == 1
