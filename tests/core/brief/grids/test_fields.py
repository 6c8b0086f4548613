"""A column is described by what its cells are."""

import pytest

from ctxkit.core.brief.grids.fields import Field, name_columns, parse_amount


def field(*cells, name="x"):
    column = Field(name)
    column.add_cells(list(cells), list(range(2, len(cells) + 2)))
    return column


@pytest.mark.parametrize(
    ("cell", "value"),
    [("12%", 12), ("1.5K", 1536), ("3MiB", 3 << 20), ("2h30m", 9000), ("1d", 86400), ("abc", None), ("", None), ("9" * 400, None), ("9" * 400 + "d", None), ("9" * 9000 + "s", None)],
)
def test_amounts_have_units(cell: str, value) -> None:
    assert parse_amount(cell) == value


@pytest.mark.parametrize(
    ("cells", "description"),
    [
        (("1", "2", "3"), "integer 1 ×1, 2 ×1, 3 ×1, ascending"),
        (("3", "2", "1"), "integer 3 ×1, 2 ×1, 1 ×1, descending"),
        (("1", "1", "1"), "integer 1 ×3"),
        (("a", "b", "a"), 'text "a" ×2, "b" ×1'),
        (("", "", ""), "empty"),
    ],
)
def test_a_column_says_its_types_its_range_and_its_order(cells, description: str) -> None:
    assert field(*cells).describe() == description


def test_types_are_counted() -> None:
    column = field("1", "x", "", "2.5", "y")
    assert column.type_counts == {"number": 2, "text": 2, "empty": 1}
    assert column.distinct_count == 4
    assert not column.is_sorted


def test_columns_without_a_name_get_a_number() -> None:
    assert list(name_columns(["a", " b  c "], 3)) == ["a", "b c", "column 3"]
    assert list(name_columns(["x" * 70], 1)) == [f"{'x' * 60}..."]


@pytest.mark.parametrize("sign", ["", "-"])
def test_an_integer_that_is_too_large_for_a_float_is_not_finite(sign: str) -> None:
    column = field("1", "x", "2.5", f"{sign}{'9' * 400}")
    assert column.type_counts == {"number": 3, "text": 1}
    assert column.numbers.not_finite == (1, 5)
    assert "1..2.5" in column.describe() or "1 ×1, 2.5 ×1" in column.describe()


def test_no_order_is_stated_if_cells_come_out_of_the_order_of_their_rows() -> None:
    column = Field("x")
    column.add_cells(["c"], [9])
    column.add_cells(["d", "e"], [1, 2])
    assert not column.is_sorted
