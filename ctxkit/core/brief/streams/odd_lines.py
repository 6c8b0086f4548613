"""Lines that differ in one of many parts of the same form, such as files made from one template."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.streams.stream_parts import StreamPart
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.lines import IndexedLines

LEAST_PARTS = 6
"""Minimum number of parts of the same form."""
MOST_LINES = 200
"""Maximum number of lines of a part that are compared."""
COMMON = 0.6
"""Minimum share of the lines of a part that many other parts have as well."""
NUMBER = compile_lazily(r"\d+")
MAX_ODD = 12
"""Maximum number of odd lines: where more differ, the parts are not made from one template."""
WIDEST = 400


@dataclass(frozen=True, slots=True)
class MaskedLine:
    """Hold a line with its form, which has ``#`` for each number, and its numbers."""

    number: int
    text: str
    form: str
    values: tuple[str, ...]


def find_odd_lines(lines: IndexedLines, parts: Sequence[StreamPart]) -> list[tuple[int, str]]:
    """Return the lines of similar parts that have a form of their own, or another number than most parts.

    A number that ends like a number in the part's title is expected. Of many such lines, none is odd.
    """
    small = [part for part in parts if part.line_count <= MOST_LINES]
    if len(small) < LEAST_PARTS:
        return []
    rows_by_part = [list(_mask_lines(lines, part)) for part in small]
    forms = Counter(form for rows in rows_by_part for form in {row.form for row in rows})
    usual = _find_usual_values(row for rows in rows_by_part for row in rows)
    often = max(len(small) // 4, 3)
    odd: list[tuple[int, str]] = []
    for part, rows in zip(small, rows_by_part, strict=True):
        if rows and sum(forms[row.form] >= often for row in rows) >= COMMON * len(rows):
            own = NUMBER.findall(part.title)
            odd += [(row.number, row.text) for row in rows if forms[row.form] == 1 or _has_odd_value(row, usual, own)]
    return odd if len(odd) <= MAX_ODD else []


def _mask_lines(lines: IndexedLines, part: StreamPart) -> Iterator[MaskedLine]:
    """Yield each line of a part below its title that is not blank."""
    for number, text in lines.enumerate_lines(part.body, part.end):
        if text.strip():
            cut = text[:WIDEST]
            yield MaskedLine(number, text, NUMBER.sub("#", cut), tuple(NUMBER.findall(cut)))


def _find_usual_values(rows: Iterator[MaskedLine]) -> dict[tuple[str, int], str]:
    """Return the most frequent number at each place of each form, if it is in three of four lines at least."""
    counts: dict[tuple[str, int], Counter[str]] = {}
    for row in rows:
        for place, value in enumerate(row.values):
            counts.setdefault((row.form, place), Counter())[value] += 1
    tops = {key: counter.most_common(1)[0] for key, counter in counts.items()}
    return {key: value for key, (value, count) in tops.items() if count * 4 >= counts[key].total() * 3}


def _has_odd_value(row: MaskedLine, usual: dict[tuple[str, int], str], own: Sequence[str]) -> bool:
    expected = ((usual.get((row.form, place), value), value) for place, value in enumerate(row.values))
    return any(value != common and not value.endswith(tuple(own)) for common, value in expected)
