"""Where the rows of JSON data differ from each other."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ctxkit.core.brief.data.columns import Numbers, Strings, Values
from ctxkit.core.brief.data.literals import literal, number, step_of
from ctxkit.core.brief.data.schema import Spot, spots
from ctxkit.core.brief.data.shape import NAMES, Shape

FEW = 0.05
"""The share of rows up to which something is rare."""
RARER = 0.01
"""The share of values up to which one of a few different ones is rare."""
USUAL = 0.8
"""The share of values from which on their type is the usual one."""
ENOUGH = 10
"""Values from which on something can be rare among them."""
OFTEN = 5
"""Times that each of the usual values comes on average, where one that is rare is odd."""
SPREAD = 5
"""Widths of the middle half beyond which a number lies outside."""


@dataclass(frozen=True, slots=True)
class Oddity:
    """Say what is odd in one row; ``steps`` and ``test`` find the very value in it.

    ``weight`` orders oddities: the lower, the more it matters. ``earlier`` is another row it is about.
    """

    text: str
    row: int
    spot: Spot
    test: Callable[[Any], bool]
    weight: int
    earlier: int | None = None


def oddities(root: Shape) -> list[Oddity]:
    """Return what is odd, what matters most first."""
    found = [odd for spot in spots(root) if spot.shape.rowed for odd in _of(spot)]
    return sorted(found, key=lambda odd: (odd.weight, odd.spot.level))


def _of(spot: Spot) -> Iterator[Oddity]:
    yield from _types(spot)
    yield from _keys(spot)
    for name, column in spot.shape.columns.items():
        if name == "number" and isinstance(column, Numbers):
            yield from _numbers(spot, column)
        elif isinstance(column, Strings):
            yield from _lengths(spot, column.lengths, "characters", str)
        elif name == "array" and isinstance(column, Numbers):
            yield from _lengths(spot, column, "elements", list)
        if isinstance(column, Values) and name in ("string", "boolean", "number"):
            yield from _values(spot, column)
            yield from _repeats(spot, column)


def _rare(count: int, total: int) -> bool:
    return total >= ENOUGH and count <= max(1, total * FEW) and count * 4 <= total


def _types(spot: Spot) -> Iterator[Oddity]:
    """Yield types that few of the values have."""
    columns = spot.shape.columns
    if len(columns) < 2:
        return
    usual, most = max(columns.items(), key=lambda pair: pair[1].count)
    if most.count < USUAL * (spot.shape.count - (columns["null"].count if "null" in columns else 0)):
        return
    for name, column in columns.items():
        if name != usual and _rare(column.count, spot.shape.count):
            text = f"is {_a(name)} in {column.count:,} of {spot.shape.count:,}; {_a(usual)} in {most.count:,}"
            yield Oddity(text, column.first, spot, _is(name), 3 if name == "null" else 0)


def _a(name: str) -> str:
    return name if name == "null" else f"an {name}" if name[0] in "ao" else f"a {name}"


def _is(name: str) -> Callable[[Any], bool]:
    return lambda value: NAMES[type(value)] == name


def _keys(spot: Spot) -> Iterator[Oddity]:
    """Yield keys that few of the objects have, and keys that few lack; those of the same rows together."""
    objects = spot.shape.objects
    rare: dict[tuple[int, int], list[str]] = {}
    gone: dict[tuple[int, int], list[str]] = {}
    for key, child in spot.shape.keys.items():
        lacking = objects - child.count
        if _rare(child.count, objects):
            rare.setdefault((child.count, child.first), []).append(key)
        elif lacking and _rare(lacking, objects) and child.lacking is not None:
            gone.setdefault((lacking, child.lacking), []).append(key)
    if len(rare) > 5 and sum(map(len, rare.values())) * 2 > len(spot.shape.keys):
        rare = {}  # keys that are data: each is rare, none is odd
    for (count, row), keys in rare.items():
        yield _present(spot, keys, f"present in {count:,} of {objects:,}", row)
    for (count, row), keys in gone.items():
        yield _missing(spot, keys, f"missing from {count:,} of {objects:,}", row)


def _missing(spot: Spot, keys: list[str], often: str, row: int) -> Oddity:
    if len(keys) > 1:
        return Oddity(f"lacks {len(keys)} keys {often}: {_names(keys)}", row, spot, _lacks(keys[0]), 2)
    return Oddity(f"is {often}", row, replace(spot, path=spot.path + step_of(keys[0])), _lacks(keys[0]), 2)


def _names(keys: list[str]) -> str:
    names = ", ".join(step_of(key).removeprefix(".") for key in keys[:6])
    return names + (f", +{len(keys) - 6:,} more" if len(keys) > 6 else "")


def _present(spot: Spot, keys: list[str], often: str, row: int) -> Oddity:
    if len(keys) > 1:
        return Oddity(f"has {len(keys)} keys {often}: {_names(keys)}", row, spot, _has(keys[0]), 1)
    inner = Spot(spot.path + step_of(keys[0]), (*spot.steps, keys[0]), spot.shape, None, spot.level + 1)
    return Oddity(f"is {often}", row, inner, _any, 1)


def _has(key: str) -> Callable[[Any], bool]:
    return lambda value: type(value) is dict and key in value


def _any(value: Any) -> bool:
    del value
    return True


def _lacks(key: str) -> Callable[[Any], bool]:
    return lambda value: type(value) is dict and key not in value


def _equals(wanted: Any) -> Callable[[Any], bool]:
    return lambda value: type(value) is type(wanted) and value == wanted


def _numbers(spot: Spot, column: Numbers) -> Iterator[Oddity]:
    """Yield numbers far from where most lie, and those that are no numbers."""
    if column.odd:
        count, row = column.odd
        yield Oddity(f"is not finite in {count:,} of {column.count:,}", row, spot, _not_finite, 0)
    for value, row, usual in outside(column):
        yield Oddity(f"is {number(value)}; most are {usual}", row, spot, _equals(value), 2)


def _not_finite(value: Any) -> bool:
    return type(value) is float and value - value != 0


def outside(column: Numbers) -> Iterator[tuple[Any, int, str]]:
    """Yield (value, row, where most are) of numbers that lie far outside; of many, the farthest."""
    if column.count < ENOUGH * 2 or not column.lowest:
        return
    low, middle, high = column.quarters()
    try:
        reach = SPREAD * (high - low) or 10 * abs(middle)
        high + reach, low - reach
    except OverflowError:  # an integer too large to be added to a float
        return
    usual = number(low) if low == high else f"{number(low)}..{number(high)}"
    for ends in (column.lowest, column.highest):
        far = [(value, row) for value, row in ends if value < low - reach or value > high + reach]
        yield from ((value, row, usual) for value, row in far[: 1 if len(far) > 3 else 3])


def _lengths(spot: Spot, lengths: Numbers, noun: str, kind: type) -> Iterator[Oddity]:
    """Yield strings and arrays that are far longer than most."""
    for value, row, usual in outside(lengths):
        if value > (500 if kind is str else 20) and value >= lengths.highest[0][0]:
            text = f"has {value:,} {noun}; most have {usual}"
            yield Oddity(text, row, spot, _length(kind, value), 3)
            return


def _length(kind: type, wanted: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str | list) and type(value) is kind and len(value) == wanted


def _repeats(spot: Spot, column: Values) -> Iterator[Oddity]:
    """Yield ids that stand in a second row."""
    name = next((step for step in reversed(spot.steps) if step), "")
    if isinstance(column, Strings):
        found = column.repeats.odd(name, column.low, column.high)
    elif isinstance(column, Numbers) and column.whole and column.lowest:
        found = column.repeats.odd(name, column.lowest[0][0], column.highest[0][0])
    else:
        return
    for value, first, row in found:
        yield Oddity(f"is {literal(value)} a second time", row, spot, _equals(value), 1, first)


def _values(spot: Spot, column: Values) -> Iterator[Oddity]:
    """Yield values that are rare where few different ones are usual."""
    if not column.seen or len(column.seen) > 12 or column.count < 2 * ENOUGH or len(column.seen) < 2:
        return
    if isinstance(column, Numbers) and (len(column.seen) > 4 or not column.whole):
        return
    few = max(1, column.count * RARER)
    rare = [(value, count, row) for value, (count, row) in column.seen.items() if count <= few]
    if len(rare) > 4 or len(rare) == len(column.seen):
        return
    usual = column.count - sum(count for _, count, _ in rare)
    if usual < OFTEN * (len(column.seen) - len(rare)):
        return
    for value, count, row in rare:
        if not (isinstance(column, Numbers) and any(value == odd for odd, _, _ in outside(column))):
            text = f"is {literal(value)} in {count:,} of {column.count:,}"
            yield Oddity(text, row, spot, _equals(value), 4 if isinstance(column, Numbers) else 1)
