"""Learn from events which maps were not enough: whoever needed more read parts, or ran the command again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.events.event import LoggedEvent, MapRanges, Span, overlaps, read_number
from ctxkit.core.events.totals import align_columns
from ctxkit.core.text.escapes import escape_line

if TYPE_CHECKING:
    from ctxkit.core.text.json_value import JsonValue

NEXT_CALLS = 5
"""Number of events of a session after a map in which it is looked for what the map lacked."""
MAX_SESSIONS = 10_000
"""Number of sessions whose last maps are remembered."""
WORST = 20
"""Number of maps that are named."""
ROUNDED = 500
"""Tokens to which the size of a suggested map is rounded up."""
MIN_MAPS = 5
"""Maps of a program from which a setting is suggested."""
COLUMNS = ("maps", "enough", "read_once", "read_often", "rerun", "net")
WAYS = ("quoted", "named", "unnamed", "grep", "focus", "other")
"""How content is read back: a range with a line that the map quotes, another one that it names, one that it does not
name; lines that match a pattern or a focus; bytes, a value of JSON, or all of it."""
BETTER_SHARE = 0.75
"""Share of the maps of a kind that are enough, from which this kind is suggested for a program."""


class MapUse(NamedTuple):
    """A map, and what its session did next: how parts were read, and whether the command ran again.

    ``net`` is what the map kept out, less what was read back and what the same command brought in again, in tokens.
    ``read`` is the part of that which was read back, ``size`` what the map takes. ``disabled`` counts the reruns that
    turned ctxkit off.
    """

    kind: str
    program: str
    ref: str
    command_hash: str
    net: int
    ways: tuple[str, ...] = ()
    reruns: int = 0
    disabled: int = 0
    read: int = 0
    size: int = 0
    ranges: MapRanges = MapRanges()

    @property
    def reads(self) -> int:
        """Return how often a part was read."""
        return len(self.ways)

    @property
    def outcome(self) -> str:
        """Return the column that counts the map."""
        if self.reruns:
            return "rerun"
        return ("enough", "read_once", "read_often")[min(self.reads, 2)]


class QualitySums(NamedTuple):
    """The number of maps of a group by what came after them, their net savings in tokens, and the reads by their way.

    ``disabled`` counts the maps after which the command ran with ctxkit turned off.
    """

    key: str
    maps: int = 0
    enough: int = 0
    read_once: int = 0
    read_often: int = 0
    rerun: int = 0
    net: int = 0
    disabled: int = 0
    quoted: int = 0
    named: int = 0
    unnamed: int = 0
    grep: int = 0
    focus: int = 0
    other: int = 0

    def plus(self, use: MapUse) -> QualitySums:
        """Return the sums with one more map."""
        counted = {use.outcome: getattr(self, use.outcome) + 1}
        ways = {way: getattr(self, way) + use.ways.count(way) for way in WAYS}
        disabled = self.disabled + bool(use.disabled)
        return self._replace(maps=self.maps + 1, net=self.net + use.net, disabled=disabled, **counted, **ways)


class QualityMeter:
    """Follows events in order, and collects what came after each map."""

    def __init__(self) -> None:
        self.uses: list[MapUse] = []
        self._open: dict[str, deque[tuple[int, MapUse]]] = {}

    def add(self, event: LoggedEvent) -> None:
        """Add the next event; one that neither reads nor lets content in does not count as a call."""
        if event.kind not in ("gate", "tool_output_truncated", "cache_get", "gate_disabled") or event.verb == "compact":
            return
        name = event.session or event.project
        waiting = self._open.pop(name, deque())
        followed = deque((left - 1, use) for left, use in waiting)
        for place in range(len(followed) - 1, -1, -1):  # what is read or comes again is that of the last such map
            left, use = followed[place]
            if (changed := _follow(use, event)) != use:
                followed[place] = left, changed
                break
        while followed and not followed[0][0]:
            self.uses.append(followed.popleft()[1])
        if added := _read_map(event):
            followed.append((NEXT_CALLS, added))
        if followed:
            self._open[name] = followed
        if len(self._open) > MAX_SESSIONS:
            self._close(next(iter(self._open)))

    def finish(self) -> list[MapUse]:
        """Return all maps; those at the end of a session have had fewer calls after them."""
        for name in list(self._open):
            self._close(name)
        return self.uses

    def _close(self, name: str) -> None:
        self.uses += [use for _, use in self._open.pop(name)]


def _read_map(event: LoggedEvent) -> MapUse | None:
    """Return the map of an event, None if it has none."""
    facts = event.facts
    if facts.get("result") != "briefing":
        return None
    before, after = read_number(facts.get("before_tokens")) or 0, read_number(facts.get("after_tokens")) or 0
    kind, command_hash = facts.get("kind"), facts.get("command_hash")
    return MapUse(
        kind if isinstance(kind, str) else "-",
        event.program or event.name.partition(" ")[0] or "-",
        event.ref,
        command_hash if isinstance(command_hash, str) else "",
        before - after,
        size=after,
        ranges=MapRanges(_read_spans(facts.get("quoted")), _read_spans(facts.get("named"))),
    )


def _read_spans(value: JsonValue) -> tuple[Span, ...]:
    """Return the ranges of an event, those that are pairs of counts."""
    return tuple(filter(None, map(_read_span, value))) if isinstance(value, list) else ()


def _read_span(value: JsonValue) -> Span | None:
    numbers = [read_number(number) for number in value] if isinstance(value, list) else []
    return (numbers[0], numbers[1]) if len(numbers) == 2 and numbers[0] and numbers[1] else None


def _follow(use: MapUse, event: LoggedEvent) -> MapUse:
    """Return a map after the next call of its session."""
    entered = read_number(event.facts.get("after_tokens")) or 0
    if event.kind == "cache_get":
        if not use.ref or event.ref != use.ref:
            return use
        ways = (*use.ways, _find_way(use.ranges, event))
        return use._replace(ways=ways, read=use.read + entered, net=use.net - entered)
    if use.command_hash and event.facts.get("command_hash") == use.command_hash:
        disabled = use.disabled + (event.kind == "gate_disabled")
        return use._replace(reruns=use.reruns + 1, disabled=disabled, net=use.net - entered)
    return use


def _find_way(ranges: MapRanges, event: LoggedEvent) -> str:
    """Return the way in which a part was read."""
    part, span = event.facts.get("part"), _read_span(event.facts.get("span"))
    if part in ("grep", "focus"):
        return str(part)
    if part != "lines" or span is None:
        return "other"
    if overlaps(span, ranges.quoted):
        return "quoted"
    return "named" if overlaps(span, ranges.named) else "unnamed"


def sum_uses(uses: Sequence[MapUse], find_key: Callable[[MapUse], str]) -> list[QualitySums]:
    """Return the sums of maps by a key, those with most maps that were not enough first."""
    sums: dict[str, QualitySums] = {}
    for use in uses:
        key = find_key(use)
        sums[key] = (sums.get(key) or QualitySums(key)).plus(use)
    return sorted(sums.values(), key=lambda row: (row.enough - row.maps, -row.maps, row.key))


def find_worst(uses: Sequence[MapUse]) -> list[MapUse]:
    """Return the maps after which most was read or run again."""
    lacking = [use for use in uses if use.outcome in ("rerun", "read_often")]
    return sorted(lacking, key=lambda use: (-use.reruns, -use.reads, use.net, use.ref))[:WORST]


def suggest_exclusions(uses: Sequence[MapUse]) -> list[str]:
    """Return the programs whose commands mostly ran again after a map: their output had better pass whole."""
    rows = sum_uses([use for use in uses if use.command_hash], _get_program)
    return sorted(row.key for row in rows if row.maps >= MIN_MAPS and row.rerun * 2 > row.maps and row.key != "-")


def suggest_targets(uses: Sequence[MapUse]) -> dict[str, int]:
    """Return the tokens that maps of a program should have, by its name, where most maps were read but not run again.

    A map then has room for what was read of three maps of four as well.
    """
    targets = {}
    excluded = suggest_exclusions(uses)
    for program, own in _group_by_program(uses):
        lacking = [use for use in own if use.reads and not use.reruns]
        if len(own) >= MIN_MAPS and len(lacking) * 2 > len(own) and program not in excluded:
            sizes = sorted(use.size + use.read for use in lacking)
            targets[program] = -(-sizes[len(sizes) * 3 // 4] // ROUNDED) * ROUNDED
    return targets


def suggest_kinds(uses: Sequence[MapUse]) -> dict[str, str]:
    """Return by program the kind whose maps were mostly enough, where those of another kind mostly were not."""
    kinds = {}
    for program, own in _group_by_program(uses):
        rows = [row for row in sum_uses(own, _get_kind) if row.maps >= MIN_MAPS and row.key != "-"]
        good = [row.key for row in rows if row.enough >= BETTER_SHARE * row.maps]
        bad = [row.key for row in rows if row.enough * 2 < row.maps]
        if len(good) == 1 and bad:
            kinds[program] = good[0]
    return kinds


def _group_by_program(uses: Sequence[MapUse]) -> list[tuple[str, list[MapUse]]]:
    groups: dict[str, list[MapUse]] = {}
    for use in uses:
        if use.program != "-":
            groups.setdefault(use.program, []).append(use)
    return sorted(groups.items())


def format_quality(uses: Sequence[MapUse]) -> str:
    """Return tables by kind and by program, and the maps that were least enough."""
    parts = []
    for title, find_key in (("kind", _get_kind), ("program", _get_program)):
        rows = sum_uses(uses, find_key)
        cells = [[title, *(name.replace("_", " ") for name in COLUMNS)]]
        cells += [[escape_line(row.key), *(_format_cell(row, name) for name in COLUMNS)] for row in rows]
        parts.append("".join(f"{line}\n" for line in align_columns(cells)))
    total = sum_uses(uses, lambda _: "total")
    if total and any(use.ways for use in uses):
        counts = (f"{getattr(total[0], way):,} {way}" for way in WAYS if getattr(total[0], way))
        parts.append(f"parts that were read: {', '.join(counts)}\n")
    if worst := find_worst(uses):
        parts.append("".join(f"{escape_line(line)}\n" for line in ("least enough", *map(_format_use, worst))))
    return "\n".join(parts)


def _format_use(use: MapUse) -> str:
    """Return a map that was not enough, as a line."""
    ways = ", ".join(f"{use.ways.count(way)} {way}" for way in WAYS if way in use.ways)
    read = f"read {use.reads}x ({ways})" if ways else f"read {use.reads}x"
    off = f", {use.disabled}x with CTXKIT_DISABLE" if use.disabled else ""
    return f"{use.ref}  {use.kind}, {use.program}: {read}, run again {use.reruns}x{off}"


def describe_quality(uses: Sequence[MapUse]) -> dict[str, JsonValue]:
    """Return the same as one object."""
    return {
        "maps": len(uses),
        "net": sum(use.net for use in uses),
        "kinds": [row._asdict() for row in sum_uses(uses, _get_kind)],
        "programs": [row._asdict() for row in sum_uses(uses, _get_program)],
        "worst": [
            {name: getattr(use, name) for name in ("ref", "kind", "program", "reads", "reruns", "disabled")}
            for use in find_worst(uses)
        ],
    }


def _get_kind(use: MapUse) -> str:
    return use.kind


def _get_program(use: MapUse) -> str:
    return use.program


def _format_cell(row: QualitySums, column: str) -> str:
    value: int = getattr(row, column)
    return f"{value:,}" if column in ("maps", "net") else f"{value / row.maps:.0%}"
