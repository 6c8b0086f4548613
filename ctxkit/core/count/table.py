"""Tables of numbers with a name in the last column, in the layout of ``wc``."""

from collections.abc import Iterator, Sequence


def format_table(rows: Sequence[Sequence[int | str]]) -> Iterator[str]:
    """Yield rows as lines: numbers right-aligned, text left-aligned, the last column unpadded."""
    if not rows:
        return
    widths = [max(len(str(row[at])) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        cells = [_format_cell(cell, width) for cell, width in zip(row, widths, strict=True)]
        yield f"{' '.join([*cells[:-1], str(row[-1])]).rstrip()}\n"


def _format_cell(cell: int | str, width: int) -> str:
    return str(cell).rjust(width) if isinstance(cell, int) else cell.ljust(width)
