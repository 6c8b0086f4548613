"""A table with its format."""

from ctxkit.core.brief.grids.grid import Grid
from ctxkit.core.brief.grids.table_model import DetailLevel, Table


def test_a_table_has_one_block_and_no_title_unless_they_are_given() -> None:
    table = Table(Grid(["a", "b"], 1), str.split)
    assert (table.title, table.notes, table.blocks, table.block_count) == ("", (), (), 1)
    assert table.cells("1 2") == ["1", "2"]


def test_levels_compare_by_their_limits() -> None:
    assert DetailLevel(60, 1, 8, 120) == DetailLevel(outliers=60, form=1, samples=8, width=120)
