"""A table with its format, and how much detail an outline of it has."""

from collections.abc import Sequence

from ctxkit.core.brief.grids.grid import Grid, SplitCells
from ctxkit.core.brief.outline import Entry
from ctxkit.core.quick_dataclass import dataclass

FULL = 1
"""Form of the index that shows all cells of narrow rows, and a range on each line."""
REPEATED = 3
"""Number of blocks below the same header from which the extremes of the columns are listed."""


@dataclass(frozen=True, slots=True)
class Table:
    """Hold one table: its grid, a function to split its lines, and notes on its format."""

    grid: Grid
    cells: SplitCells
    notes: Sequence[Entry] = ()
    title: str = ""
    blocks: Sequence[tuple[int, int]] = ()
    block_count: int = 1


@dataclass(frozen=True, slots=True)
class DetailLevel:
    """Hold the limits of an outline: outliers, form of the index, sample rows, lines per range."""

    outliers: int
    form: int
    samples: int
    width: int
