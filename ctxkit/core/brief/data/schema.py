"""What a shape says, in words that are visibly a schema and never data."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ctxkit.core.brief.data.columns import Column, Numbers, Strings, Values
from ctxkit.core.brief.data.literals import PLAIN, number, quoted, step_of, values
from ctxkit.core.brief.data.shape import Shape
from ctxkit.core.brief.outline import Entry
from ctxkit.core.measure import plural

DATED = re.compile(r"\d{4}-\d\d-\d\d").match
DEEPER = " (nested deeper than this map goes)"


@dataclass(frozen=True, slots=True)
class Spot:
    """Place a shape: its path as shown and as steps (None for each member), and what it stands in."""

    path: str
    steps: tuple[str | None, ...]
    shape: Shape
    parent: Shape | None
    level: int


Place = Callable[[Sequence[Spot], str, int], Entry]
"""Return an entry about neighbouring spots, with a text and a rank, at the lines they are on."""


def spots(root: Shape) -> list[Spot]:
    """Return every spot of a shape, the outer ones first."""
    found = [Spot("", (), root, None, 0)]
    for spot in found:
        found.extend(below(spot))
    return found


def below(spot: Spot) -> Iterator[Spot]:
    """Yield the spots right below one: its keys, its members where keys are data, its elements."""
    shape, level = spot.shape, spot.level + 1
    for key, child in shape.keys.items():
        yield Spot(spot.path + step_of(key), (*spot.steps, key), child, shape, level)
    if shape.others:
        yield Spot(f"{spot.path}.*", (*spot.steps, None), shape.others, None, level)
    if shape.items:
        yield Spot(f"{spot.path}[]", (*spot.steps, None), shape.items, None, level)


class _Order:
    """Order spots as their paths nest."""

    def __init__(self, root: Shape) -> None:
        self.places: dict[int, int] = {}
        self._walk(root)

    def _walk(self, shape: Shape) -> None:
        self.places[id(shape)] = len(self.places)
        for child in (*shape.keys.values(), *filter(None, (shape.others, shape.items))):
            self._walk(child)

    def __call__(self, spot: Spot) -> int:
        return self.places[id(spot.shape)]


class Schema:
    """Describe a shape in lines, all of the outer levels before any of the inner ones."""

    def __init__(self, root: Shape) -> None:
        self.root = root
        self._groups = list(_groups(_by_weight(spots(root))))
        self._order = _Order(root)
        self.size = len(self._groups)

    def lines(self, most: int, place: Place) -> tuple[list[Entry], int]:
        """Return at most ``most`` entries and the number of paths that they leave out."""
        chosen = self._groups[:most]
        known = {id(spot.shape) for group in chosen for spot in group}
        chosen.sort(key=lambda group: self._order(group[0]))
        entries = [place(group, _line(group, known), 20 + group[0].level) for group in chosen]
        return entries, sum(map(len, self._groups[most:]))


def unplaced(group: Sequence[Spot], text: str, rank: int) -> Entry:
    """Return an entry about no line: where every row has the path."""
    del group
    return Entry(text, rank=rank)


def _by_weight(found: list[Spot]) -> list[Spot]:
    """Order the spots of each level by how much there is below their parents, then by how much below themselves."""
    weights: dict[int, int] = {}
    for spot in reversed(found):
        weights[id(spot.shape)] = 1 + sum(weights[id(inner.shape)] for inner in below(spot))
    parents = {id(inner.shape): id(spot.shape) for spot in found for inner in below(spot)}

    def order(spot: Spot) -> tuple[int, int, int]:
        return spot.level, -weights.get(parents.get(id(spot.shape), 0), 0), -weights[id(spot.shape)]

    return sorted(found, key=order)


def _groups(found: list[Spot]) -> Iterator[list[Spot]]:
    """Yield spots one by one, but siblings of which nothing is worth saying apart together."""
    dull: dict[tuple[int, int, str], list[Spot]] = {}
    for spot in found:
        if spot.parent and _is_dull(spot.shape):
            dull.setdefault(_likeness(spot), []).append(spot)
    told: set[int] = set()
    for spot in found:
        if id(spot.shape) in told:
            continue
        group = dull.get(_likeness(spot), [])
        if len(group) < 4 or not any(spot is other for other in group):
            group = [spot]
        told.update(id(other.shape) for other in group)
        yield group


def _likeness(spot: Spot) -> tuple[int, int, str]:
    return id(spot.parent), spot.shape.count, next(iter(spot.shape.columns), "")


def _is_dull(shape: Shape) -> bool:
    """Say whether nothing but type and length is to be said of a shape, such as of a URL."""
    if len(shape.columns) != 1:
        return False
    column = next(iter(shape.columns.values()))
    if not isinstance(column, Strings):
        return "null" in shape.columns
    return bool(column.lengths.highest[0][0] > 40 and not values(column) and not DATED(column.low))


def _line(group: list[Spot], known: set[int]) -> str:
    spot = group[0]
    often = ""
    if spot.parent and spot.shape.count < spot.parent.objects:
        often = f", in {spot.shape.count:,} of {spot.parent.objects:,}" + (" each" if len(group) > 1 else "")
    if len(group) == 1:
        return f"{spot.path or '(top)'}: {describe(spot.shape, known)}{often}"
    return f"{_names(group)}: {_together(group)}{often}"


def _names(group: list[Spot]) -> str:
    """Return the paths of siblings as one, ``.user.{url, html_url, +3 more}``."""
    keys = [str(spot.steps[-1]) for spot in group]
    outer = group[0].path.removesuffix(step_of(keys[0]))
    names = ", ".join(key if PLAIN(key) else quoted(key, 40) for key in keys[:12])
    more = f", +{len(keys) - 12:,} more" if len(keys) > 12 else ""
    return f"{outer}.{{{names}{more}}}"


def _together(group: list[Spot]) -> str:
    columns = [next(iter(spot.shape.columns.values())) for spot in group]
    lengths = [column.lengths for column in columns if isinstance(column, Strings)]
    if not lengths:
        return "null"
    low, high = min(one.lowest[0][0] for one in lengths), max(one.highest[0][0] for one in lengths)
    example = columns[0].example if isinstance(columns[0], Strings) else ""
    span = plural(low, "char") if low == high else f"{low:,}..{high:,} chars"
    return f"strings of {span}, the first e.g. {quoted(example, 60)}"


def describe(shape: Shape, known: set[int]) -> str:
    """Return types and what the values of each have in common; ``known`` shapes have a line of their own."""
    total = len(shape.columns)
    said = []
    for name, column in sorted(shape.columns.items(), key=lambda pair: -pair[1].count):
        label = "integer" if isinstance(column, Numbers) and name == "number" and column.whole else name
        more = _column(name, column, shape, known)
        alone = isinstance(column, Strings) and len(column.seen or ()) == 1 and "×" in more
        count = f" ×{column.count:,}" if total > 1 and not alone else ""
        said.append(f"{label}{count}{more and f' {more}'}")
    return " | ".join(said) or "nothing"


def _column(name: str, column: Column, shape: Shape, known: set[int]) -> str:
    if name == "object":
        return _keys(shape, known)
    if name == "array" and isinstance(column, Numbers):
        return f"of {_span(column, 'element')}{DEEPER if shape.deeper else ''}"
    if isinstance(column, Strings):
        return _string(column)
    if isinstance(column, Numbers):
        return values(column) or _range(column)
    return values(column) if isinstance(column, Values) else ""


def _keys(shape: Shape, known: set[int]) -> str:
    """Say which keys an object has, unless each has its own line."""
    if shape.deeper:
        return DEEPER.lstrip()
    if shape.others and not shape.keys:
        some = ", ".join(quoted(key, 40) for key in list(shape.folded)[:3])
        return f"with {plural(len(shape.folded), 'key')} alike ({some}, +{len(shape.folded) - 3:,} more)"
    hidden = [key for key, child in shape.keys.items() if id(child) not in known]
    if not hidden:
        return f"with {plural(len(shape.keys) + len(shape.folded), 'key')}" if shape.keys else "without keys"
    which = "keys" if len(hidden) == len(shape.keys) else "further keys"
    names = ", ".join(key if PLAIN(key) else quoted(key, 40) for key in hidden[:8])
    more = f", +{len(hidden) - 8 + len(shape.folded):,} more" if len(hidden) > 8 else ""
    return f"with {plural(len(shape.keys) + len(shape.folded), 'key')} ({which} {names}{more})"


def _span(numbers: Numbers, noun: str) -> str:
    low, high = numbers.lowest[0][0], numbers.highest[0][0]
    return plural(low, noun) if low == high else f"{low:,}..{high:,} {noun}s"


def _string(column: Strings) -> str:
    listed = values(column)
    if listed:
        return listed
    length = _span(column.lengths, "char")
    if column.count == 1:
        return quoted(column.example, 60)
    if DATED(column.low) and DATED(column.high):
        return f"from {quoted(column.low, 40)} to {quoted(column.high, 40)}"
    return f"of {length}, e.g. {quoted(column.example, 60)}"


def _range(column: Numbers) -> str:
    odd = f", {column.odd[0]:,} not finite" if column.odd else ""
    if not column.lowest:
        return odd.removeprefix(", ")
    low, high = column.lowest[0][0], column.highest[0][0]
    return (number(low) if low == high else f"{number(low)}..{number(high)}") + odd
