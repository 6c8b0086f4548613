"""Which lines, or bytes of a line, the parts of a JSON text take."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ctxkit.core.brief.data.ground import Ground, Member
from ctxkit.core.brief.data.literals import literal, quoted, step_of
from ctxkit.core.brief.data.schema import Spot, spots
from ctxkit.core.brief.data.shape import Shape
from ctxkit.core.brief.outline import Entry
from ctxkit.core.measure import plural

LONG = 12
"""Lines from which on the value of a key is worth entering; an element of an array ten times these."""
CROWDED = 2_000
"""Characters from which on the value of a key on one line is worth entering."""
STEPS = (1, 2, 5)
CALLED = ("id", "name", "title", "key", "path")
"""Keys that tell an object from others."""


@dataclass(frozen=True, slots=True)
class Part:
    """Name members ``first`` to ``last`` of one array or object, next to each other."""

    path: str
    members: tuple[Member, ...]
    first: int
    level: int


class Extents:
    """Say where the parts of a JSON text stand: in lines, or in bytes where lines are too long to help."""

    def __init__(self, places: Ground, roots: Sequence[Member], root: Shape, *, by_bytes: bool = False) -> None:
        self.places = places
        self.roots = roots
        self.root = root
        self.by_bytes = by_bytes
        self._found: dict[str, Member | None] = {}

    def entries(self, most: int) -> list[Entry]:
        """Return at most ``most`` parts of what has rows, outer ones first, in the order of the text."""
        chosen: list[Part] = []
        waiting = self._roots(most)
        while waiting:
            parts = waiting.pop(0)
            if len(chosen) + len(parts) > most:
                continue
            chosen.extend(parts)
            for part in parts:
                inner = self._inside(part, max(most // 3, 4))
                if inner:
                    waiting.append(inner)
        chosen.sort(key=lambda part: (part.members[0].at, part.level))
        return [self._entry(part) for part in chosen[:most]]

    def path(self, most: int = 4) -> str:
        """Return a path for ``cache get --json-path`` to the first of at most so many parts; empty for none."""
        parts = next(iter(self._roots(most)), [])
        if len(self.roots) > 1 or not parts:
            return ""
        part = parts[0]
        if part.members[0].key is not None:
            return self._name(part)
        near = [one for one in part.members if one.end - part.members[0].start <= CROWDED * 4] or part.members[:1]
        last = part.first + len(near)
        return f"{part.path}[{part.first}:{last}]" if len(near) > 1 else self._name(part)

    def entry(self, member: Member, text: str, rank: int) -> Entry:
        """Return an entry about one member."""
        return self._placed(member.at, member.end, text, rank)

    def reach(self, first: Member, last: Member, text: str, rank: int) -> Entry:
        """Return an entry about all members from one to another."""
        return self._placed(first.at, last.end, text, rank)

    def place(self, group: Sequence[Spot], text: str, rank: int) -> Entry:
        """Return an entry about neighbouring spots: with their lines where there is no row to tell."""
        first, last = self._find(group[0]), self._find(group[-1])
        return self._placed(first.at, last.end, text, rank) if first and last else Entry(text, rank=rank)

    def _find(self, spot: Spot) -> Member | None:
        """Return where a spot is, None for the whole and where every row has it."""
        if not spot.steps or len(self.roots) > 1 or None in spot.steps:
            return None
        if spot.path not in self._found:
            self._found[spot.path] = self.places.find(self.roots[0], spot.steps)
        return self._found[spot.path]

    def _roots(self, most: int) -> list[list[Part]]:
        """Return the parts of all arrays, and of objects whose keys are data, that are in no other one."""
        if len(self.roots) > 1:
            return [self._grouped("", self.roots, most, 0)]
        tables = []
        for spot in spots(self.root):
            if not spot.shape.rowed and (spot.shape.items or spot.shape.others):
                found = self._find(spot) if spot.steps else self.roots[0]
                if found and (not spot.steps or not self._is_short(found)):
                    tables.append((spot.path, found))
        tables = [(path, found) for path, found in tables if not self._is_huddled(found)]
        tables.sort(key=lambda table: table[1].start - table[1].end)
        share = max(most // max(len(tables), 1), 4)
        return [self._grouped(path, self.places.below(table), share, 1) for path, table in tables]

    def _inside(self, part: Part, most: int) -> list[Part]:
        """Return the parts of a part, unless it is short or several members."""
        if len(part.members) > 1 or part.level > 4:
            return []
        member = part.members[0]
        if self._is_short(member):
            return []
        inner = self.places.below(member)
        return self._grouped(self._name(part), inner, most, part.level + 1) if len(inner) > 1 else []

    def _is_huddled(self, member: Member) -> bool:
        """Tell whether no line leads to one part rather than to another, since all stand on the same ones."""
        below = self.places.below(member)
        if len(below) < 2 or self.by_bytes:
            return False
        return self.places.line(below[0].at) == self.places.line(below[-1].at)

    def _is_short(self, member: Member) -> bool:
        times = 10 if member.key is None else 1
        if self.by_bytes:
            return member.end - member.start < CROWDED * times
        return self._height(member) < LONG * times

    def _height(self, member: Member) -> int:
        return self.places.line(member.end) - self.places.line(member.start)

    def _grouped(self, path: str, members: Sequence[Member], most: int, level: int) -> list[Part]:
        """Return members one by one, or in runs of a round number when they are more than ``most``."""
        size, power = 1, 0
        while len(members) > size * max(most, 1):
            power += 1
            size = STEPS[power % 3] * 10 ** (power // 3)
        if size == 1 and level:
            return list(self._runs(path, members, level))
        starts = range(0, len(members), size)
        return [Part(path, tuple(members[at : at + size]), at, level) for at in starts]

    def _runs(self, path: str, members: Sequence[Member], level: int) -> Iterator[Part]:
        """Yield long members one by one, and the short ones between them together."""
        run: list[Member] = []
        for number, member in enumerate(members):
            if not self._is_scalar(member):
                if run:
                    yield Part(path, tuple(run), number - len(run), level)
                    run = []
                yield Part(path, (member,), number, level)
            else:
                run.append(member)
        if run:
            yield Part(path, tuple(run), len(members) - len(run), level)

    def _is_scalar(self, member: Member) -> bool:
        return self.places.is_plain(member) and member.end - member.start < CROWDED

    def _name(self, part: Part) -> str:
        member = part.members[0]
        return part.path + (f"[{part.first}]" if member.key is None else step_of(member.key))

    def _entry(self, part: Part) -> Entry:
        first, last = part.members[0], part.members[-1]
        if len(part.members) == 1:
            text = f"{self._name(part)}: {self._glance(first)}"
        elif first.key is None:
            end = part.first + len(part.members) - 1
            text = f"{part.path}[{part.first}] to [{end}]{self._ids(first, last)}"
        else:
            reach = f"{quoted(first.key, 40)} to {quoted(last.key or '', 40)}"
            text = f"{part.path or 'keys'} {reach} ({len(part.members):,} keys)"
        return self._placed(first.at, last.end, text, 30 + part.level * 10)

    def _placed(self, start: int, end: int, text: str, rank: int) -> Entry:
        places = self.places
        if self.by_bytes:
            return Entry(text, places.byte(start) + 1, places.byte(end), rank, octets=True)
        return Entry(text, places.line(start), places.line(end - 1), rank)

    def _glance(self, member: Member) -> str:
        """Say in few words what a member is."""
        value = self.places.value(member)
        if value is ...:
            return "not readable to its end"
        if isinstance(value, dict):
            title = _title(value)
            if title:
                return title
            scalars = _scalars(value)
            return plural(len(value), "key") + (f" ({scalars})" if scalars and member.key is None else "")
        if isinstance(value, list):
            return f"array of {plural(len(value), 'element')}"
        return "null" if value is None else quoted(value, 60) if isinstance(value, str) else literal(value)

    def _ids(self, first: Member, last: Member) -> str:
        """Say how the first and the last of a run of objects are called."""
        one, other = self.places.value(first), self.places.value(last)
        if not isinstance(one, dict) or not isinstance(other, dict):
            return ""
        begin, end = _scalars(one, 1), _scalars(other, 1)
        return f" ({begin} to {end})" if begin and end and begin != end else ""


def _scalars(value: dict[str, Any], most: int = 2) -> str:
    """Return the first short scalars of an object, as ``id 7, name "x"``."""
    short = [
        f"{step_of(key).removeprefix('.')} {literal(item)}"
        for key, item in value.items()
        if isinstance(item, int | float | str) and len(key) < 40 and len(str(item)[:41]) <= 40
    ]
    short.sort(key=lambda said: said.partition(" ")[0] not in CALLED)
    return ", ".join(short[:most])


def _title(value: dict[str, Any]) -> str:
    """Return what an object of Kubernetes is called, ``Deployment shop/web``; empty for other objects."""
    about, kind = value.get("metadata"), value.get("kind")
    if not isinstance(about, dict) or not isinstance(kind, str) or not isinstance(about.get("name"), str):
        return ""
    inside = f"{about['namespace']}/" if isinstance(about.get("namespace"), str) else ""
    return f"{kind} {inside}{about['name']}"[:120]
