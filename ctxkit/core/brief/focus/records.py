"""Records of a text: blocks that begin at one indentation, such as elements of a list, commits, or stanzas."""


from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.lines import IndexedLines

LEVELS = 12
"""Number of indentations that records may begin at; deeper lines belong to these records."""
BRANCH = "│├└─┬|`+\\"
"""Characters that begin the branch of a drawn tree."""
_BRANCHES = compile_lazily(r"(?:[\s│├└─┬]|[|`+\\](?=-|\s\s))*")
HEAD_LINES = 8
"""Number of lines below the first of a record among which its names are."""
_NAME = compile_lazily(r"[\w.-]+")
_LETTER = compile_lazily(r"[^\W_]")
Record = tuple[int, int]
"""The level of a record, and its index among those of the level."""


class RecordFinder:
    """Finds the records that each line belongs to, one for each indentation above its own.

    A record begins at a line that is not deeper than its indentation if the line above is deeper or blank, or the line
    below is deeper. The first level has records that begin at the left margin below a blank line only.
    """

    def __init__(self) -> None:
        self._starts: list[list[int]] = [[0] for _ in range(LEVELS + 1)]
        self._depth, self._number, self._is_blank = LEVELS, 0, True

    def add(self, number: int, text: str) -> None:
        """Add the next line."""
        if not text or text.isspace():
            self._is_blank = True
            return
        depth = min(_measure_indent(text), LEVELS)
        if self._is_blank:
            self._begin(number, depth, LEVELS)
            if not depth:
                self._starts[0].append(number)
        elif depth > self._depth:
            self._begin(self._number, self._depth, depth)
        elif depth < self._depth:
            self._begin(number, depth, self._depth)
        self._depth, self._number, self._is_blank = depth, number, False

    def _begin(self, number: int, depth: int, below: int) -> None:
        """Begin records at a line of an indentation, on the levels up to the indentation ``below``."""
        for starts in self._starts[depth + 1 : below + 1]:
            if starts[-1] != number:
                starts.append(number)

    def find_records(self) -> tuple[Record, ...]:
        """Return the records that hold the last line, the longest first; of those that begin alike, one."""
        records: list[Record] = []
        last = 0
        for level, starts in enumerate(self._starts[: self._depth + 1]):
            if starts[-1] > last:
                last = starts[-1]
                records.append((level, len(starts) - 1))
        return tuple(records)

    def find_range(self, record: Record, total: int) -> tuple[int, int]:
        """Return the first and the last line of a record; ``total`` is the number of lines."""
        level, index = record
        starts = self._starts[level]
        return starts[index], starts[index + 1] - 1 if index + 1 < len(starts) else total


def _measure_indent(text: str) -> int:
    rest = text.lstrip()
    depth = len(text) - len(rest)
    match = _BRANCHES.match(text, depth) if rest[:1] in BRANCH else None
    return match.end() if match else depth


def find_names(lines: IndexedLines, start: int) -> list[tuple[int, str]]:
    """Return the lines that name the record that begins at a line, with their numbers.

    These are its first line that is more than a bracket or a key, and the title below a head such as that of a commit.
    """
    rows = list(lines.enumerate_lines(start, min(start + HEAD_LINES, lines.total)))
    first = next((row for row in rows if is_telling(row[1])), rows[0])
    blank = next((at for at, (_, text) in enumerate(rows) if at and not text.strip()), len(rows))
    head, body = rows[:blank], rows[blank + 1 : blank + 2]
    depths = {_measure_indent(text) for _, text in head}
    is_title = len(depths) == 1 and bool(body) and _measure_indent(body[0][1]) > max(depths)
    return [first, *(body if is_title else ())]


def is_telling(text: str) -> bool:
    """Return whether a line says more than a bracket, or a key above its value, does."""
    is_opener = text.rstrip()[-1:] in "{[(:" and len(_NAME.findall(text)) < 2
    return bool(_LETTER.search(text)) and not is_opener
