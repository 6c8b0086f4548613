"""Layouts of printed tables: columns separated by bars, rulers or blanks."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import compress, pairwise

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, replace

_BARS = "|\u2502\u2503\u2551\u2506\u2507"
_RULER = compile_lazily(
    r"\s*+[|+]?(?=.*(?:--|==|\u2500\u2500|\u2501\u2501|\u2550\u2550|\+-|:-))[-=+|: \u2500-\u257f]{2,}$"
)
"""Pattern of a line of dashes between header and rows, or around them."""
_RULER_STARTS = frozenset(
    "-=+|:\u2500\u2501\u2550\u250c\u2514\u251c\u2554\u255a\u255f\u2560\u255e\u250f\u2517\u2521\u2523\u256d\u2570"
)
"""First characters of such a line."""
_RULER_CHARACTERS = "-=+|: \n" + "".join(map(chr, range(0x2500, 0x2580)))
"""All characters of such a line."""
NAME = compile_lazily(r"[^\W\d_][\w/%().#:-]*|[%#*][\w%()/]*|/s")
_BRANCH = compile_lazily(r"[|`\\+\u2502\u251c\u2514\u2570][ _\u2500-]")
"""Pattern of the beginning of a cell that a drawn tree moves to the right, as that of ``ps --forest``."""
_CROSS = compile_lazily(r"[-=\u2500\u2550][+\u253c\u256a][-=\u2500\u2550]")
"""Pattern of a crossing of a column bar and a ruler."""
TWO_BLANKS = compile_lazily(r" {2,}|\t+ *")
_TELLING_ROWS = 40
"""Number of rows below a header in capitals that show where its columns are; other output may follow."""
_MAX_WIDTH = 1_000
"""Maximum number of characters of a line that are searched for columns."""
Split = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class Layout:
    """Hold the names of the columns and a function to split rows; ``method`` describes the separation in words,
    ``fits`` tells rows from lines below the table, if the rows keep to fixed columns.
    """

    names: tuple[str, ...]
    split: Split
    method: str
    share: float = 1.0
    fits: Callable[[str], bool] | None = None


def is_ruler(line: str) -> bool:
    """Return whether a line consists of dashes only."""
    text = line.lstrip()
    return text[:1] in _RULER_STARTS and not text.strip(_RULER_CHARACTERS) and _RULER.match(line) is not None


def find_bar(line: str) -> str:
    """Return the bar that separates the cells of a line, or an empty string."""
    return next((bar for bar in _BARS if bar in line), "")


def make_bar_layout(header: str) -> Layout:
    """Return the layout of a table with bars between its cells."""
    bar = find_bar(header)
    closed = header.strip()[:1] in _BARS

    def split(line: str) -> list[str]:
        """Return the cells of a row."""
        for other in _BARS:
            if other != bar and other in line and bar != "|":
                line = line.replace(other, bar)
        text = line.strip()
        if closed:
            text = text.removeprefix(bar).removesuffix(bar)
        return [cell.strip() for cell in text.split(bar)]

    if bar != "|":
        header = "".join(bar if char in _BARS else char for char in header)
    return Layout(tuple(split(header)), split, "bars")


def find_bar_layout(line: str, second: str, third: str) -> tuple[Layout | None, int] | None:
    """Return the layout of columns with bars between them and the number of head lines, or None without bars."""
    if is_ruler(line) and find_bar(second):
        return make_bar_layout(second), 3 if is_ruler(third) else 2
    if find_bar(line) and is_ruler(second) and (find_bar(second) or _CROSS.search(second)):
        layout = make_bar_layout(line)
        return (layout, 2) if len(layout.names) > 1 else (None, 1)
    return None


def make_ruled_layout(header: str, ruler: str, rows: Sequence[str] = ()) -> Layout:
    """Return the layout of a table whose columns are as wide as the dashes below their names.

    Cells may be wider than the dashes: only the boundaries that the first ``rows`` keep to tell rows from other lines.
    """
    starts = [match.start() for match in re.finditer(r"=+|-{2,}|\+{2,}", ruler)]
    kept = [start for start in starts if start == starts[0] or all(_has_boundary(row, start) for row in rows)]
    fits = partial(_keeps_to, starts=kept)
    return Layout(
        tuple(_cut_cells(header, starts)),
        lambda line: _cut_cells(line, starts),
        "the dashes below the header",
        fits=fits if len(kept) > 1 and all(map(fits, rows)) else None,
    )


def _keeps_to(line: str, starts: Sequence[int]) -> bool:
    """Return whether no word crosses a column boundary, and more than one column has text."""
    if not all(_has_boundary(line, start) for start in starts[1:]):
        return False
    return sum(map(bool, _cut_cells(line, starts))) >= min(len(starts), 2)


def _has_boundary(line: str, start: int) -> bool:
    """Return whether no word of a line crosses the boundary before a position."""
    return start >= len(line) or line[start - 1] in " \t"


def strip_mark(line: str) -> str:
    """Return a line without the bullet before highlighted rows."""
    return line.replace("\u25cf", " ") if "\u25cf" in line else line


def _cut_cells(line: str, starts: Sequence[int]) -> list[str]:
    """Return the text from each position to the next; a word across a boundary belongs to the column of its middle."""
    if not starts:
        return [line.strip()]
    if len(line) <= _MAX_WIDTH and all(start >= len(line) or line[start - 1] == " " for start in starts[1:]):
        ends = [*starts[1:], len(line)]
        return [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    cells: list[list[str]] = [[] for _ in starts]
    for match in re.finditer(r"\S+", line):
        cells[max(bisect_right(starts, (match.start() + match.end()) // 2) - 1, 0)].append(match[0])
    return [" ".join(words) for words in cells]


def is_header_like(line: str) -> bool:
    """Return whether a line looks like column names: at least two words, almost none of them a number."""
    words = line.split()
    if len(words) < 2 or len(line) > _MAX_WIDTH or line.rstrip().endswith((".", ",", ";", "{", ":")):
        return False
    return sum(NAME.fullmatch(word) is not None for word in words) >= len(words) * 0.8


_MIN_EDGE_ROWS = 2
"""Minimum number of rows that keep to right-aligned columns."""
_MIN_GAP_ROWS = 2
"""Minimum number of rows whose blanks show where columns are."""
_BLANK_SHARE = 0.97
"""Minimum share of rows that are blank at a column boundary."""
_EVEN_SHARE = 0.7
"""Minimum share of rows that have as many fields divided by tabs as the header."""
TWO_BLANKS_METHOD = "two blanks or more"
"""Name of the layout whose columns are divided by at least two blanks."""
GAPS_METHOD = "columns of blanks"
"""Name of the layout whose columns are divided by positions at which nearly all lines are blank."""
_TABS = compile_lazily("\t+")


def _split_at_right_edges(header: str, rows: Sequence[str]) -> Layout | None:
    """Separate right-aligned columns behind a row's label, as data frames are printed; the label has no name."""
    ends = [match.end() for match in re.finditer(r"\S+", header)]
    if header[:2] != "  " or len(ends) < 1 or len(header) > _MAX_WIDTH:
        return None
    fits = partial(_keeps_right_edges, ends)
    fitting = next((at for at, row in enumerate(rows) if not fits(row)), len(rows))
    if fitting < _MIN_EDGE_ROWS or any(len(row[: ends[0]].split(None, 1)) < 2 for row in rows[:fitting]):
        return None
    split = partial(_cut_at_right_edges, ends)
    return Layout(("label", *header.split()), split, "their right edges", fitting / len(rows), fits)


def _keeps_right_edges(ends: Sequence[int], line: str) -> bool:
    """Return whether a cell ends below each name, and the label before them stands at the margin."""
    text = line.rstrip()
    if len(text) != ends[-1] or line[:1] == " ":
        return False
    return all(text[end - 1] != " " and text[end : end + 1] in ("", " ") for end in ends)


def _cut_at_right_edges(ends: Sequence[int], line: str) -> list[str]:
    """Return the label and the cells of a row."""
    if not _keeps_right_edges(ends, line):
        return [line.strip()]
    first = line[: ends[0]].split(None, 1)
    cells = [line[start:end].strip() for start, end in pairwise(ends)]
    return [first[0], first[1] if len(first) > 1 else "", *cells]


def find_aligned_layout(header: str, rows: Sequence[str]) -> Layout | None:
    """Return the layout of a table with blanks between its columns, or None."""
    edged = _split_at_right_edges(header, rows)
    if edged:
        return edged
    rows = [strip_mark(row) for row in rows]
    words = header.split()
    width = len(words)
    counts = list(map(_count_words, rows))
    exact = counts.count(width) / len(rows)
    apart = _split_at_two_blanks(header, rows)
    if width > 1 and exact >= 0.9 and (apart is None or apart.share <= exact):
        return Layout(tuple(words), lambda line: strip_mark(line).split(None, width - 1), "blanks", exact)
    free = _split_at_blanks(header, rows, counts) if apart is None else None
    return apart or free or _split_at_gaps(header, rows)


@lru_cache(maxsize=1_024)
def _count_words(row: str) -> int:
    """Return the number of words in a row; the cache helps because a row is below hundreds of possible headers."""
    return len(row.split())


@lru_cache(maxsize=1_024)
def _count_parts(row: str) -> int:
    """Return the number of parts of a row that are separated by at least two blanks."""
    return len(TWO_BLANKS.split(row.strip()))


def _split_at_two_blanks(header: str, rows: Sequence[str]) -> Layout | None:
    """Separate columns at two or more blanks, if the rows have as many parts as the header."""
    names = TWO_BLANKS.split(header.strip())
    if len(names) < 2 or _has_other_counts(len(names), _count_parts, rows):
        return None
    share = list(map(_count_parts, rows)).count(len(names)) / len(rows)
    if share < 0.9:
        return None
    starts, at = [], 0
    for name in names:
        at = header.index(name, at)
        starts.append(at)
        at += len(name)

    def split(line: str) -> list[str]:
        """Return the cells of a row; a row with another number of parts is cut at the positions of the names."""
        cells = TWO_BLANKS.split(strip_mark(line).strip())
        return cells if len(cells) == len(names) else _cut_cells(strip_mark(line).expandtabs(), starts)

    return Layout(tuple(names), split, TWO_BLANKS_METHOD, share)


def _has_other_counts(number: int, measure: Callable[[str], int], rows: Sequence[str]) -> bool:
    """Return whether the first rows show that more than one in ten of all rows have another number of parts."""
    most = len(rows) / 10 + 1
    return sum(number != measure(row) for row in rows[: 4 * len(rows) // 10]) > most


def _split_at_blanks(header: str, rows: Sequence[str], counts: Sequence[int]) -> Layout | None:
    """Separate columns at each blank before the last column, if that begins where its name does."""
    words = header.split()
    width = len(words)
    counts = counts[:_TELLING_ROWS] if header.isupper() else counts
    if width < 3 or sum(map(width.__le__, counts)) < len(counts) * 0.9 or _is_phrase(header):
        return None
    last = header.rstrip().rfind(words[-1])
    rows = rows[:_TELLING_ROWS] if header.isupper() else rows
    fits = 0
    for row in rows:
        cells = row.split(None, width - 1)
        start = len(row.rstrip()) - len(cells[-1].rstrip())
        fits += len(cells) == width and (abs(start - last) <= 8 or _BRANCH.match(cells[-1]) is not None)
    share = fits / len(rows)
    if share < 0.9:
        return None
    return Layout(tuple(words), lambda line: strip_mark(line).split(None, width - 1), "blanks", share)


def _is_phrase(header: str) -> bool:
    """Return whether a line reads as words in a row, not as names above columns: ``yarn install v1.22.22``."""
    return TWO_BLANKS.search(header.strip()) is None and any(char.islower() for char in header)


def _split_at_gaps(header: str, rows: Sequence[str]) -> Layout | None:
    """Separate columns at positions where nearly all lines are blank."""
    if "\t" in header and not _have_as_many_fields(header, rows):
        return None
    lines = [line.expandtabs()[:_MAX_WIDTH] for line in (header, *rows)]
    if len(rows) < _MIN_GAP_ROWS or not _has_gap(lines):
        return None
    edges = _find_gap_ends(lines)
    ends = [*edges[1:], max(map(len, lines)) + 1]
    starts = [edge for edge, end in zip(edges, ends, strict=True) if edge == edges[0] or header[edge:end].strip()]
    if len(starts) < 2:
        return None
    names = tuple(_cut_cells(header.expandtabs(), starts))
    return Layout(names, lambda line: _cut_cells(strip_mark(line).expandtabs(), starts), GAPS_METHOD, 0.95)


def _find_gap_ends(lines: Sequence[str]) -> list[int]:
    """Return the positions after those at which nearly all lines, and the first, are blank."""
    height, full = len(lines), max(map(len, lines))
    inked = [0] * (full + 1)
    for line in lines:
        for place, char in enumerate(line):
            inked[place] += char != " "
    named = {place for place, char in enumerate(lines[0]) if char != " "}
    blank = [count <= height * (1 - _BLANK_SHARE) and place not in named for place, count in enumerate(inked)]
    return [place for place in range(full) if not blank[place] and (place == 0 or blank[place - 1])]


def _have_as_many_fields(header: str, rows: Sequence[str]) -> bool:
    """Return whether most rows have as many fields divided by tabs as the header."""
    number = len(_TABS.split(header.strip()))
    return sum(len(_TABS.split(row.strip())) == number for row in rows) >= _EVEN_SHARE * len(rows)


def _has_gap(lines: Sequence[str]) -> bool:
    """Return whether nearly all lines are blank at a position of a blank in the header.

    Most lines that are not headers fail this check after a few rows.
    """
    header = lines[0].rstrip()
    most = int(len(lines) * (1 - _BLANK_SHARE))
    places = [place for place, char in enumerate(header) if char == " "]
    left = [most] * len(places)
    for row in lines[1:]:
        if not places:
            return False
        end = len(row)
        alive = []
        for at, place in enumerate(places):
            if place < end and row[place] != " ":
                left[at] -= 1
            alive.append(left[at] >= 0)
        if not all(alive):
            places, left = list(compress(places, alive)), list(compress(left, alive))
    return bool(places)


def find_named_frame(header: str, rows: Sequence[str]) -> Layout | None:
    """Return the layout of a data frame whose row labels have a name, alone on the line below the header."""
    if not header.strip() or len(rows) <= _MIN_EDGE_ROWS or len(rows[0].split()) != 1 or rows[0][:1] == " ":
        return None
    first = header.split(None, 1)[0] if header[:1] != " " else ""
    layout = _split_at_right_edges(header.replace(first, " " * len(first), 1), rows[1:])
    return layout and replace(layout, names=(rows[0].strip(), *layout.names[1:]))
