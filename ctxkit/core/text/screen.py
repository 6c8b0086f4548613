"""Draw content as a terminal does, and return what its screen shows in the end.

The terminal has no width, so that no line wraps. Rows that have left it by more than ``HEIGHT`` stay as they are. The
time is linear in the content, also of hostile content: a control costs at most ``HEIGHT`` rows or ``MAX_COLUMN`` cells.
"""

import re
from array import array
from collections import Counter
from unicodedata import category, east_asian_width

from ctxkit.core.text.escapes import CURSOR_CONTROL, MAX_SIZE, has_redraws
from ctxkit.core.text.lines import IndexedLines, Read, lines_from_bytes

_TAB = 8
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


_LEAST_HEIGHT = 24
"""Rows that each terminal has. The cursor goes home to the first row only while no more are in use."""
_MAX_COLUMN = 512
"""Columns that a cursor movement can reach; no terminal is wider."""
_SPARE_CELLS = 10_000
"""Blank cells that cursor movements may add, beyond the length of the content."""
_ESCAPE = (
    r"(?:\x1b\[|\x9b)(?P<parameters>[0-?]*)[ -/]*(?P<final>[@-~]?)"
    r"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*(?P<escape>[0-~]?)"
)
_CONTROL = re.compile(_ESCAPE + r"|[\x00-\x1f\x7f]")
_INVISIBLE = re.compile(_ESCAPE + r"|[\x00-\x08\x0b-\x1f\x7f]")
_MOVEMENT = re.compile(CURSOR_CONTROL)
_STEPS = {"A": (-1, 0), "B": (1, 0), "C": (0, 1), "D": (0, -1), "E": (1, 0), "F": (-1, 0)}
"""Rows and columns of one step of a movement, by the last letter of its sequence."""
_ALTERNATE = ("?1049", "?1047", "?47")
"""Modes of the screen of an editor or a pager, whose rows are gone when it ends."""


class ScreenTooLargeError(ValueError):
    """Cursor movements would make the screen larger than the content."""


def draw_screen(data: bytes) -> ScreenRows:
    """Return the screen after complete content. Raise ScreenTooLargeError if it were larger than the content."""
    text = data.decode("utf-8", "surrogateescape")
    terminal = Terminal(len(text) + _SPARE_CELLS)
    terminal.draw(text)
    return terminal.rows


class Terminal:
    """A cursor on rows, and the page that its home is on: the rows since the screen was last full.

    ``spare`` is the number of blank cells that cursor movements may add.
    """

    def __init__(self, spare: int) -> None:
        self.rows = ScreenRows()
        self._row = self._column = 0
        self._page, self._page_height = 0, _LEAST_HEIGHT
        self._saved = (0, 0)
        self._left: tuple[int, int, int] | None = None
        self._spare = spare

    def draw(self, text: str) -> None:
        """Draw text to its end; lines without a cursor movement are added as they are."""
        position = 0
        while match := _MOVEMENT.search(text, position):
            start = max(text.rfind("\n", position, match.start()) + 1, position)
            self._add_lines(text[position:start])
            position = self._draw_lines(text, start)
            if position < 0:
                return
        self._add_lines(text[position:])

    def _add_lines(self, text: str) -> None:
        """Add lines without a movement; the cursor is in the first column of the last row, which is blank."""
        lines = _INVISIBLE.sub("", text).split("\n")
        self.rows.add_lines(lines)
        self._row, self._column = len(self.rows) - 1, len(lines[-1])

    def _draw_lines(self, text: str, position: int) -> int:
        """Draw lines until the cursor is in a blank last row; return the position, -1 at the end of the text."""
        while True:
            end = text.find("\n", position)
            self._draw_line(text[position:end] if end >= 0 else text[position:])
            if end < 0:
                return -1
            self._feed_line()
            position = end + 1
            if self._row == len(self.rows) - 1 and self.rows.ends_blank:
                return position

    def _draw_line(self, line: str) -> None:
        position = 0
        for match in _CONTROL.finditer(line):
            if match.start() > position:
                self._write(line[position : match.start()])
            position = match.end()
            if final := match["final"]:
                self._apply_sequence(final, match["parameters"])
            else:
                self._apply_control(match["escape"] or match[0])
        if position < len(line):
            self._write(line[position:])

    def _write(self, text: str) -> None:
        cells, column = self.rows.open_row(self._row, writes=True), self._column
        if column > len(cells):
            self._spend(column - len(cells))
            cells.extend([" "] * (column - len(cells)))
        new = split_cells(text, column)
        self._column = column + len(new)
        blank_divided(cells, column)
        blank_divided(cells, self._column)
        cells[column : self._column] = new

    def _feed_line(self) -> None:
        """Move to the first column of the next row, which is new at the end of the screen."""
        self.rows.line += 1
        self._row, self._column = self._row + 1, 0
        if self._row == len(self.rows):
            self.rows.add_row()

    def _spend(self, cells: int) -> None:
        self._spare -= cells
        if self._spare < 0:
            raise ScreenTooLargeError("cursor movements make the screen larger than the content")

    def _apply_control(self, control: str) -> None:
        """Apply a control character, or the letter of a short escape."""
        if control == "\r":
            self._column = 0
        elif control == "\b":
            self._column = max(self._column - 1, 0)
        elif control == "\t":
            self._tabulate()
        elif control == "7":
            self._saved = (self._row, self._column)
        elif control == "8":
            self._move(*self._saved)
        elif control == "M":
            self._move(self._row - 1, self._column)
        elif control == "c":
            self._erase_page()
            self._move(self._page, 0)

    def _tabulate(self) -> None:
        """Write a tab at the end of the row; elsewhere, a tab moves the cursor and writes nothing."""
        if self._column >= len(self.rows.open_row(self._row)):
            self._write("\t")
        else:
            self._move(self._row, self._column + _TAB - self._column % _TAB)

    def _apply_sequence(self, final: str, parameters: str) -> None:
        """Apply a control sequence; those of colors and most modes do not change the text."""
        first, second = _parse_numbers(parameters)
        if final == "J":
            self._erase_display(first)
        elif final == "K":
            self._erase_in_row(first)
        elif final in "PX@":
            self._shift_cells(final, min(max(first, 1), _MAX_COLUMN))
        elif final in "hl" and parameters in _ALTERNATE:
            self._switch_screen(on=final == "h")
        else:
            self._apply_motion(final, max(first, 1), second)

    def _apply_motion(self, final: str, count: int, second: int) -> None:
        """Apply a control sequence that moves the cursor."""
        row, column = self._row, self._column
        if final in _STEPS:
            rows, columns = _STEPS[final]
            self._move(row + rows * count, 0 if final in "EF" else column + columns * count)
        elif final == "G":
            self._move(row, count - 1)
        elif final in "Hfd":
            self._begin_page()
            self._move(self._page + count - 1, column if final == "d" else second - 1)
        elif final == "s":
            self._saved = (row, column)
        elif final == "u":
            self._move(*self._saved)

    def _move(self, row: int, column: int) -> None:
        """Move the cursor within the rows that it can reach. Rows below the last one exist on a short page only."""
        last = max(len(self.rows) - 1, self._page + _LEAST_HEIGHT - 1)
        self._row = min(max(row, self._top()), last)
        self._column = min(max(column, 0), _MAX_COLUMN)
        while self._row >= len(self.rows):
            self.rows.add_row()

    def _top(self) -> int:
        """Return the first row that the cursor can reach."""
        return max(self._page, self.rows.first_reachable)

    def _begin_page(self) -> None:
        """Begin a page below all rows if the first row of this one has left the screen, so that no row is lost."""
        if len(self.rows) - self._page > self._page_height:
            self._add_page()
        self._page_height = HEIGHT

    def _add_page(self) -> None:
        self.rows.add_row()
        self._page = self._row = len(self.rows) - 1
        self._column = 0

    def _erase_page(self) -> None:
        self._begin_page()
        self.rows.erase_rows(self._top(), len(self.rows))

    def _erase_display(self, part: int) -> None:
        """Erase the screen from the cursor on (0), up to the cursor (1) or as a whole (2)."""
        if part == 2:
            self._erase_page()
        elif part < 2:
            start, end = (self._row + 1, len(self.rows)) if part == 0 else (self._top(), self._row)
            self.rows.erase_rows(start, end)
            self._erase_in_row(part)

    def _erase_in_row(self, part: int) -> None:
        """Erase the cells from the cursor on (0), those up to the cursor (1), or all cells of the row (2)."""
        column = self._column
        if part == 2:
            self.rows.erase_rows(self._row, self._row + 1)
            self._column = min(column, _MAX_COLUMN)
            return
        cells = self.rows.open_row(self._row)
        blank_divided(cells, column + part)
        if part == 0:
            del cells[column:]
        else:
            start, end = max(column + 1 - _MAX_COLUMN, 0), min(column + 1, len(cells))
            cells[start:end] = [" "] * (end - start)

    def _shift_cells(self, final: str, count: int) -> None:
        """Delete (P), blank (X) or insert (@) cells at the cursor; leave a row that no terminal has."""
        cells, column = self.rows.open_row(self._row), self._column
        if column >= len(cells) or len(cells) > 2 * _MAX_COLUMN:
            return
        blank_divided(cells, column)
        blank_divided(cells, column + count)
        if final == "@":
            self._spend(count)
            cells[column:column] = [" "] * count
        else:
            deleted = cells[column : column + count]
            cells[column : column + count] = [" "] * len(deleted) if final == "X" else []

    def _switch_screen(self, *, on: bool) -> None:
        """Begin a screen of its own below all rows, or remove it and go back."""
        if on and self._left is None:
            self._left = (self._row, self._column, self._page)
            self._add_page()
        elif not on and self._left is not None:
            self.rows.remove_rows(self._page)
            self._row, self._column, self._page = self._left
            self._left = None


def _parse_numbers(parameters: str) -> tuple[int, int]:
    """Return the first two numbers of a control sequence: 0 for one that is none, 1 for a second that is missing."""
    numbers = [int(number[:5]) if number.isdecimal() else 0 for number in parameters.split(";", 2)]
    return numbers[0], numbers[1] if len(numbers) > 1 else 1


LONGEST = 4_096
"""Characters of a line above which parts are named by their bytes, which drawing would move."""


def read_drawn_lines(read: Read, lines: IndexedLines) -> IndexedLines:
    """Return lines with the same numbers, in which what a terminal shows no more is blank.

    Return ``lines`` if nothing is drawn over, or if a line is so long that only its bytes can be named.
    """
    if lines.size > MAX_SIZE:
        return lines
    data = read(0, lines.size)
    if not has_redraws(data):
        return lines
    try:
        texts = draw_screen(data).lines()
    except ScreenTooLargeError:
        return lines
    if max(map(len, texts)) > LONGEST:
        return lines
    return lines_from_bytes("\n".join(texts).encode("utf-8", "surrogateescape"))


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
        width = _TAB - (column + len(cells)) % _TAB if sign == "\t" else _WIDTHS[sign]
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
