"""Extremes of the columns of a table whose header comes again: the lowest and highest value with their lines."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.grids.fields import Field
from ctxkit.core.brief.outline import Entry

NAMES = frozenset(("uid", "pid", "ppid", "tgid", "tid", "gid", "cpu", "core", "node", "intr", "ni", "pr", "fd", "seq"))
"""Names of columns whose numbers name something."""
PER_ENTRY = 3


def list_extremes(fields: Sequence[Field]) -> Iterator[Entry]:
    """Yield entries with the extremes of a few columns each, then one with the columns that never change."""
    varying = [text for field in fields if (text := _describe_extremes(field))]
    for place, first in enumerate(range(0, len(varying), PER_ENTRY)):
        yield Entry("; ".join(varying[first : first + PER_ENTRY]), rank=1 + place // 2)
    same = [f"{field.name} {_read_end(field, highest=True)[0]}" for field in fields if _is_constant(field)]
    if same:
        yield Entry(f"the same in all rows: {', '.join(same)}", rank=6)


def _is_measure(field: Field) -> bool:
    return field.numbers is not None and bool(field.numbers.lowest) and field.name.lower() not in NAMES


def _is_constant(field: Field) -> bool:
    return _is_measure(field) and field.distinct_count == 1


def _describe_extremes(field: Field) -> str:
    if not _is_measure(field) or _is_constant(field):
        return ""
    (low, low_line), (high, high_line) = (_read_end(field, highest=highest) for highest in (False, True))
    return f"{field.name} {low} ({low_line}) to {high} ({high_line})"


def _read_end(field: Field, *, highest: bool) -> tuple[str, int]:
    """Return the lowest or highest number of a column as it is written, and its line."""
    column = field.numbers
    if column is None:
        return "", 0
    value, line = (column.highest if highest else column.lowest)[0]
    return field.written.get((value, line), str(value)), line
