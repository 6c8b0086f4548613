"""The rows of a drawn screen: their cells, and the lines of the content that wrote them."""

from array import array
from collections import Counter
from unicodedata import category, east_asian_width

TAB = 8
"""Cells from one tab stop to the next."""
_MAX_MARKS = 16
"""Characters of a cell; further marks get cells of their own."""


class _Widths(dict[str, int]):
    def __missing__(self, sign: str) -> int:
        is_mark = category(sign) in ("Mn", "Me", "Cf")
        width = self[sign] = 0 if is_mark else 2 if east_asian_width(sign) in "WF" else 1
        return width


_WIDTHS = _Widths()
HEIGHT = 200
"""Rows from the last one that the cursor can reach; programs draw no more than the rows of their terminal."""


class ScreenRows:
    """The rows of a terminal and of what has scrolled off it; ``line`` is the line of content that is drawn.

    A row is its text, or the list of its cells once the cursor came back to it.
    """

    def __init__(self) -> None:
        self.line = 1
        self._rows: list[str | list[str]] = [""]
        self._first_lines, self._last_lines = array("L", [1]), array("L", [1])  # of content, which wrote each row

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def first_reachable(self) -> int:
        """Return the first row that the cursor can reach, counted from 0."""
        return max(len(self._rows) - HEIGHT, 0)

    @property
    def ends_blank(self) -> bool:
        """Return whether the last row is blank."""
        return not self._rows[-1]

    def text(self) -> str:
        """Return all rows, without blank rows at the end."""
        return "\n".join(map(_join_cells, self._rows)).rstrip("\n") + "\n"

    def lines(self) -> list[str]:
        """Return as many lines as the content has; what was overwritten is blank.

        A row stands in the line that wrote it last. If that line wrote several rows, each stands in the line that wrote
        it first, unless another row stands there.
        """
        rows = list(map(_join_cells, self._rows))
        shown = [number for number, row in enumerate(rows) if row]
        counts = Counter(self._last_lines[number] for number in shown)
        lines: list[list[str]] = [[] for _ in range(self.line)]
        for number in shown:
            first, last = self._first_lines[number], self._last_lines[number]
            lines[(last if counts[last] == 1 or first in counts else first) - 1].append(rows[number])
        return ["  ".join(parts) for parts in lines]

    def add_lines(self, lines: list[str]) -> None:
        """Write lines of content, the first of them in the last row, which is blank."""
        length = len(self._rows)
        self._rows[-1:] = lines
        numbers = array("L", range(self.line, self.line + len(lines)))
        self._first_lines[-1:] = self._last_lines[-1:] = numbers
        self.line += len(lines) - 1
        self._join_left_rows(length)

    def add_row(self) -> None:
        """Add a blank row."""
        self._rows.append("")
        self._first_lines.append(self.line)
        self._last_lines.append(self.line)
        self._join_left_rows(len(self._rows) - 1)

    def open_row(self, number: int, *, writes: bool = False) -> list[str]:
        """Return the cells of a row, to change them; the line that is drawn ``writes`` text to them."""
        row = self._rows[number]
        if isinstance(row, str):
            row = self._rows[number] = split_cells(row)
        if writes:
            self._last_lines[number] = self.line
        return row

    def erase_rows(self, start: int, end: int) -> None:
        """Make the rows from ``start`` to before ``end`` blank."""
        self._rows[start:end] = [""] * (end - start)

    def remove_rows(self, start: int) -> None:
        """Remove the rows from ``start`` on."""
        del self._rows[start:], self._first_lines[start:], self._last_lines[start:]

    def _join_left_rows(self, length: int) -> None:
        """Join the cells of rows that the cursor cannot reach any more; there were ``length`` rows before."""
        for number in range(max(length - HEIGHT, 0), min(len(self._rows) - HEIGHT, length)):
            self._rows[number] = _join_cells(self._rows[number])


def _join_cells(row: str | list[str]) -> str:
    return row if isinstance(row, str) else "".join(row).rstrip(" \t")


def split_cells(text: str, column: int = 0) -> list[str]:
    """Return the cells of text that begins at ``column``.

    The first cell of a wide character or a tab has the character; the others are "".
    """
    if text.isascii() and "\t" not in text:
        return list(text)
    cells: list[str] = []
    for sign in text:
        width = TAB - (column + len(cells)) % TAB if sign == "\t" else _WIDTHS[sign]
        if width:
            cells.append(sign)
            cells.extend([""] * (width - 1))
        elif cells and len(cells[-1]) < _MAX_MARKS:
            cells[-1] += sign
        else:
            cells.append(sign)
    return cells


def blank_divided(cells: list[str], column: int) -> None:
    """Replace the character that has cells on both sides of ``column`` by blanks, as a terminal does."""
    if not 0 < column < len(cells) or cells[column]:
        return
    first = column - 1
    while first > 0 and not cells[first]:
        first -= 1
    cells[first] = " "
    while column < len(cells) and not cells[column]:
        column += 1
    cells[first:column] = [" "] * (column - first)
