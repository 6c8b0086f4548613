"""Profiles: the costliest rows as they stand, by each column that is a cost, and the profiler's own summary."""

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappush, heappushpop
from itertools import zip_longest
from re import Pattern

from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.brief.shapes.record_layout import mask_words
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.quantity import pluralize

_WIDEST = 600
"""Maximum number of characters of a line that are read."""
_MAX_ROWS = 60
"""Maximum number of costly rows that are kept of each form and column."""
_MAX_SUMMARY_ROWS = 400
_SIZES = {"": 1.0, "B": 1.0, "KiB": 1024.0, "MiB": 1024.0**2, "GiB": 1024.0**3, "kB": 1e3, "MB": 1e6, "GB": 1e9}
_TIMES = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "mins": 60.0, "hrs": 3600.0}
_AMOUNT = compile_lazily(r"([\d,]*\.?\d+) ?([A-Za-z]*)")
_BETWEEN = compile_lazily(
    r"$|\s|#|[|`+]|-{3,}|={3,}|==\d+==|Number of|Detailed|Command:|Massif|ms_print|\S+ memory blocks|import time:"
)
"""Pattern of lines that may stand between the rows of a profile: comments, trees, rulers, indented lines."""
_SUMMARY = compile_lazily(
    r"(?i)\b(?:samples|event count|total|peak|snapshots|seconds|function calls|elapsed|duration|showing|ticks"
    r"|counter stats|not supported)\b"
)
"""Pattern of a line in which a profiler sums up."""


class RowForm(NamedTuple):
    """Hold the pattern of a row and the names of the columns that its groups hold."""

    pattern: Pattern[str]
    columns: tuple[str, ...]


_ROW_FORMS = (
    RowForm(compile_lazily(r"import time: +(\d+) \| +(\d+) \|"), ("self time", "cumulative time")),
    RowForm(compile_lazily(r"^.{1,400}?: size=([\d.]+ [KMG]?i?B)(?: \([+-][\d.]+ \w+\))?, count=\d+"), ("size",)),
    RowForm(compile_lazily(r"^\d+ memory blocks: ([\d.]+ [KMG]?i?B)"), ("size of a trace",)),
    RowForm(compile_lazily(r"^ +(\d+\.\d\d)% +(\d+\.\d\d)%  \S"), ("share with children", "own share")),
    RowForm(compile_lazily(r"^ +(\d+\.\d\d)%  \S+ +\S"), ("share",)),
    RowForm(compile_lazily(r"->\d+\.\d+% \(([\d,]+)B\)"), ("bytes of the heap",)),
    RowForm(compile_lazily(r"^ +\d+ +[\d,]+ +([\d,]+) +[\d,]+ +[\d,]+ +[\d,]+$"), ("total of a snapshot",)),
    RowForm(compile_lazily(r"^ *([\d,]+) \( *\d+\.\d+%\) +\S"), ("cost",)),
    RowForm(compile_lazily(r"^ *([\d.]++\w*+) +[\d.]+% +[\d.]+% +([\d.]++\w*+) +[\d.]+%  ?\S"), ("flat", "cumulative")),
    RowForm(compile_lazily(r"^ +\d+ +\( *([\d.]+)%\) +\d+ +\( *([\d.]+)%\) +\S"), ("total", "own")),
    RowForm(compile_lazily(r" [A-Za-z][^:]{1,60}: +([\d.]+) \( *\d+%\)"), ("time",)),
)


@dataclass(slots=True)
class CostColumn:
    """Hold the costliest rows by one column of a form, with their lines."""

    name: str
    rows: list[tuple[float, int, str]] = field(default_factory=list)

    def add(self, cost: float, number: int, line: str) -> None:
        """Keep a row if it is among the costliest."""
        row = (cost, -number, line)
        if len(self.rows) < _MAX_ROWS:
            heappush(self.rows, row)
        elif row > self.rows[0]:
            heappushpop(self.rows, row)

    def list_costliest(self) -> list[tuple[int, str]]:
        """Return the lines of the kept rows, the costliest first."""
        return [(-number, line) for _, number, line in sorted(self.rows, reverse=True)]


@dataclass(slots=True)
class RowCount:
    """Count the rows of a form and hold their first and last line and their columns."""

    form: RowForm
    count: int = 0
    first: int = 0
    last: int = 0
    columns: tuple[CostColumn, ...] = ()


class CostReader:
    """Read a profile once: its rows by form, and the lines between them."""

    def __init__(self) -> None:
        self.counts = [RowCount(form, columns=tuple(CostColumn(name) for name in form.columns)) for form in _ROW_FORMS]
        self.summaries: list[tuple[int, str]] = []
        self.other_count = 0
        self._seen: set[str] = set()

    def add_lines(self, lines: Iterable[tuple[int, str]]) -> None:
        """Read numbered lines."""
        for number, line in lines:
            line = line[:_WIDEST]
            if self._add_row(line, number):
                continue
            if _SUMMARY.search(line[:200]):
                self._add_summary(line, number)
            elif not _BETWEEN.match(line):
                self.other_count += 1

    def _add_summary(self, line: str, number: int) -> None:
        """Keep a line that sums up, unless its like was there before."""
        key = mask_words(line.strip())
        if key not in self._seen and len(self._seen) < _MAX_SUMMARY_ROWS:
            self._seen.add(key)
            self.summaries.append((number, line))

    def _add_row(self, line: str, number: int) -> bool:
        for count in self.counts:
            match = count.form.pattern.match(line)
            if match:
                count.count += 1
                count.first = count.first or number
                count.last = number
                for column, text in zip(count.columns, match.groups(), strict=True):
                    column.add(read_amount(text), number, line)
                return True
        return False


NAME = "profile"
TYPES: Sequence[str] = ("perf", "importtime", "tracemalloc", "massif")
CLUES = Clues(("%", "import time:", ": size=", "memory blocks: "))
_LEAST, _SHARE = 5, 0.9
"""Minimum number of rows, and minimum share of the lines that are rows or may stand between them."""
_WIDTH = 150
_MAX_SUMMARIES = 12


def sniff(document: InputDocument) -> float:
    """Return the confidence that the lines are rows of a profile, with comments and trees between them."""
    rows = [row for row in document.head_lines if row.strip()]
    count, share = measure_rows(rows)
    return 0.95 if count >= max(_LEAST, len(rows) // 50) and share >= _SHARE else 0.0


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return an outline of the costliest rows, or None if there are too few rows."""
    reader = CostReader()
    reader.add_lines(document.lines.enumerate_lines())
    counts = [count for count in reader.counts if count.count >= _LEAST]
    if not counts or reader.other_count * 5 > document.lines.total:
        return None
    top = Section("", tuple(_summarize(counts, reader)))
    rows = [section for count in counts for section in _list_columns(count)]
    return [Outline(NAME, (top, *rows))]


def _summarize(counts: Sequence[RowCount], reader: CostReader) -> Iterator[Entry]:
    for count in counts:
        columns = " and ".join(count.form.columns)
        yield Entry(f"{pluralize(count.count, 'row')} with {columns}", count.first, count.last)
    for place, (number, text) in enumerate(reader.summaries[:_MAX_SUMMARIES]):
        yield quote(number, text, rank=1 + place // 4, width=_WIDTH)


def _list_columns(count: RowCount) -> Iterator[Section]:
    """Yield a section with the costliest rows for each column; a row stands where its rank is the best."""
    columns = list(reversed(count.columns))
    groups: list[list[Entry]] = [[] for _ in columns]
    shown: set[int] = set()
    for rank, rows in enumerate(zip_longest(*(column.list_costliest() for column in columns))):
        for place, row in enumerate(rows):
            if rank < _MAX_ROWS // len(columns) and row is not None and row[0] not in shown:
                shown.add(row[0])
                groups[place].append(quote(*row, rank=2 + place + rank // 3, width=_WIDTH))
    for column, entries in zip(columns, groups, strict=True):
        yield Section(f"Costliest by {column.name}", tuple(entries), noun="costly rows")


def read_amount(text: str) -> float:
    """Return the size of a cost with its unit."""
    match = _AMOUNT.fullmatch(text)
    if match is None:
        return 0.0
    unit = match[2]
    return float(match[1].replace(",", "")) * _SIZES.get(unit, _TIMES.get(unit, 1.0))


def measure_rows(lines: Sequence[str]) -> tuple[int, float]:
    """Return the number of rows of profiles, and the share of the lines that are rows or may stand between them."""
    rows = between = 0
    for line in lines:
        row = any(form.pattern.match(line[:_WIDEST]) for form in _ROW_FORMS)
        rows += row
        between += row or _BETWEEN.match(line) is not None or _SUMMARY.search(line[:200]) is not None
    return rows, between / max(len(lines), 1)
