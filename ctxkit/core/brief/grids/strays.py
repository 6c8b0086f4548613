"""The rows of a table that differ from the others."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ctxkit.core.brief.data.columns import Numbers
from ctxkit.core.brief.data.literals import quoted
from ctxkit.core.brief.data.oddities import ENOUGH, FEW, RARER, outside
from ctxkit.core.brief.grids.fields import Field

TROUBLE = re.compile(
    r"(?<![A-Za-z])(?i:err|fail|crash|backoff|evict|oom|dead|defunct|unhealthy|degraded|offline|unreach|stopp|exited"
    r"|terminat|timeout|timed ?out|refused|denied|invalid|critical|fatal|not ?ready|missing|lost|suspend)"
    r"|(?<=[a-z])(?:Err|Fail|Crash|Back[Oo]ff|Evict|OOM|Dead|Terminat|Time[Oo]ut|Refused|Denied|Invalid|Fatal|NotReady"
    r"|Missing|Lost)|ERROR|FAIL|TIMEOUT"
)
"""What a value of a state holds when something is wrong, where a word begins: not as in herring or classroom."""
PATH = re.compile(r"\S*[/\\]\S*|\S+\.[A-Za-z]\w{0,3}")
"""A path or an address, which may hold any word."""
FEWEST = 5
"""Rows that a value may have and still be rare, however few there are; above, one in RARER of all."""
HASH = re.compile(r"[0-9a-f]{7,64}")
VALUES = 40
"""Different values past which a column is no state."""
USUAL = 12
"""Different values up to which one that hardly ever comes is odd, although no other is the usual one."""
FULL = 90
"""Percent from which a share is worth a word."""
NAMED = 6
"""Rare values of one column that are told."""


@dataclass(frozen=True, slots=True)
class Stray:
    """Say what is odd in the rows at ``lines``; with a ``value``, there are ``count`` rows that hold it.

    ``weight`` orders strays: the lower, the more it matters.
    """

    text: str
    lines: tuple[int, ...]
    weight: int
    value: str = ""
    count: int = 1


def strays(fields: Sequence[Field]) -> list[Stray]:
    """Return what is odd in the rows of a table, what matters most first."""
    found = [stray for field in fields for stray in _of(field)]
    return sorted(found, key=lambda stray: stray.weight)


def _of(field: Field) -> Iterator[Stray]:
    yield from _sorts(field)
    yield from _values(field)
    yield from _numbers(field)
    yield from _repeated(field)
    if field.texts is not None:
        for length, row, usual in outside(field.texts.lengths):
            if length > 200 and length >= field.texts.lengths.highest[0][0]:
                yield Stray(f"{field.name} has {length:,} characters; most have {usual}", (row,), 5)
                return


def _repeated(field: Field) -> Iterator[Stray]:
    """Yield ids that stand in a second row."""
    if field.texts is not None:
        for value, first, row in field.texts.repeats.odd(field.name, field.texts.low, field.texts.high):
            yield Stray(f"{field.name} is {quoted(value, 60)} a second time, first on line {first}", (row,), 1)
    column = field.numbers
    if column is not None and column.whole and column.lowest and field.plain:
        for value, first, row in column.repeats.odd(field.name, column.lowest[0][0], column.highest[0][0]):
            yield Stray(f"{field.name} is {value} a second time, first on line {first}", (row,), 1)


def _sorts(field: Field) -> Iterator[Stray]:
    """Yield cells that are text among numbers, numbers among text, empty among full ones, or the other way round."""
    sorts = field.sorts
    if len(sorts) < 2 or field.count < ENOUGH:
        return
    usual = max(sorts, key=lambda sort: sorts[sort])
    for sort, count in sorts.items():
        if sort != usual and count <= max(1, field.count * FEW) and not (sort == "number" and _are_hashes(field)):
            what = "a number" if sort == "number" else sort
            mostly = "numbers" if usual == "number" else usual
            text = f"{field.name} is {what} in {count:,} of {field.count:,}; most are {mostly}"
            yield Stray(text, tuple(field.rows[sort]), 4 if sort == "empty" else 1, count=count)


def _are_hashes(field: Field) -> bool:
    """Tell whether the texts of a column are hexadecimal numbers of one length: some have no letter in them."""
    texts = field.texts
    if texts is None or not texts.lengths.lowest or not texts.lengths.highest:
        return False
    equal = texts.lengths.lowest[0][0] == texts.lengths.highest[0][0]
    return equal and all(map(HASH.fullmatch, (texts.low, texts.high, texts.example)))


def _values(field: Field) -> Iterator[Stray]:
    """Yield values that are rare where few different ones are usual, those that sound like trouble first."""
    column = field.texts
    if column is None or not column.seen or not 1 < len(column.seen) <= VALUES or field.count < 5:
        return
    few = max(1, field.count * FEW)
    rare = sorted((count, row, value) for value, (count, row) in column.seen.items() if count <= few)
    most = max(count for count, _ in column.seen.values())
    state = most * 2 >= field.count and 0 < sum(count for count, _, _ in rare) <= field.count * 0.3
    bad = [one for one in _sounding(field) if one[0] <= field.count * 0.1]
    if not state and len(column.seen) <= USUAL and field.count >= 10 * ENOUGH:
        rare = [one for one in rare if one[0] <= max(1, field.count * RARER)]
        state = 0 < len(rare) <= 4 and len(rare) < len(column.seen) - 1
    alone = max(FEWEST, field.count * RARER)
    told = [*bad, *(one for one in rare if state and len(rare) <= NAMED * 2 and one[0] <= alone and one not in bad)]
    for count, row, value in told[:NAMED]:
        text = f"{field.name} is {quoted(value, 60)} in {count:,} of {field.count:,}"
        yield Stray(text, (row,), 0 if _sounds(value) else 2, value, count)


def _peaks(field: Field, column: Numbers) -> bool:
    """Tell whether one number is the largest of an unsorted column of many different ones."""
    return not field.sorted and field.distinct not in (1, 2, 3) and column.highest[0][0] > column.highest[1][0]


def _sounding(field: Field) -> list[tuple[int, int, str]]:
    """Return (count, first line, value) of values that sound like trouble, the rarest first."""
    seen = field.texts.seen if field.texts and field.texts.seen else {}
    return sorted((count, row, value) for value, (count, row) in seen.items() if _sounds(value))


def _sounds(value: str) -> bool:
    """Tell whether a value sounds like trouble; a path does not, whatever words it holds."""
    return TROUBLE.search(value) is not None and PATH.fullmatch(value) is None


def _numbers(field: Field) -> Iterator[Stray]:
    """Yield numbers far from where most lie, shares that are nearly whole, and the largest."""
    column = field.numbers
    if column is None or not column.lowest:
        return
    far = [] if field.sorted else list(outside(column))
    for wanted, usual in dict.fromkeys((value, usual) for value, _, usual in far):
        rows = tuple(row for value, row, _ in far if value == wanted)
        said = field.written.get(rows[0], str(wanted))
        text = f"{field.name} is {said}" + (f"; most are {usual}" if field.plain else "")
        yield Stray(text, rows, 2, count=len(rows))
    high, row = column.highest[0]
    cell = field.written.get(row, "")
    if cell.endswith("%") and high >= FULL and column.quarters()[1] < FULL:
        full = tuple(line for value, line in column.highest if value >= FULL)
        yield Stray(f"{field.name} is {cell}", full, 0, count=len(full))
    elif not far and column.count >= max(5, field.count / 2) and _peaks(field, column):
        yield Stray(f"{field.name} is highest, {cell or high}", (row,), 6)

