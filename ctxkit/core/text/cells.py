"""Divide text into the cells that it takes on a terminal: two for a wide character, none for a combining mark."""

from unicodedata import category, east_asian_width

TAB = 8
"""Cells from one tab stop to the next."""
_MAX_MARKS = 16
"""Characters of a cell; further marks get cells of their own."""


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


class _Widths(dict[str, int]):
    def __missing__(self, sign: str) -> int:
        is_mark = category(sign) in ("Mn", "Me", "Cf")
        width = self[sign] = 0 if is_mark else 2 if east_asian_width(sign) in "WF" else 1
        return width


_WIDTHS = _Widths()
