"""Learn from events which maps were not enough: whoever needed more read parts, or ran the command again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.events.event import LoggedEvent, read_number
from ctxkit.core.events.table import align_columns
from ctxkit.core.text.escapes import escape_line

if TYPE_CHECKING:
    from ctxkit.core.text.json_value import JsonValue

NEXT_CALLS = 5
"""Number of events of a session after a map in which it is looked for what the map lacked."""
MAX_SESSIONS = 10_000
"""Number of sessions whose last maps are remembered."""
WORST = 20
"""Number of maps that are named."""
MIN_MAPS = 5
"""Maps of a program from which a setting is suggested."""
COLUMNS = ("maps", "enough", "read_once", "read_often", "rerun", "net")


class MapUse(NamedTuple):
    """A map, and what its session did next: how often a part was read, and whether the command ran again.

    ``net`` is what the map kept out, less what was read back and what the same command brought in again, in tokens.
    """

    kind: str
    program: str
    ref: str
    command_hash: str
    net: int
    reads: int = 0
    reruns: int = 0

    @property
    def outcome(self) -> str:
        """Return the column that counts the map."""
        if self.reruns:
            return "rerun"
        return ("enough", "read_once", "read_often")[min(self.reads, 2)]


class QualitySums(NamedTuple):
    """The number of maps of a group by what came after them, and their net savings in tokens."""

    key: str
    maps: int = 0
    enough: int = 0
    read_once: int = 0
    read_often: int = 0
    rerun: int = 0
    net: int = 0

    def plus(self, use: MapUse) -> QualitySums:
        """Return the sums with one more map."""
        counted = {use.outcome: getattr(self, use.outcome) + 1}
        return self._replace(maps=self.maps + 1, net=self.net + use.net, **counted)


class QualityMeter:
    """Follows events in order, and collects what came after each map."""

    def __init__(self) -> None:
        self.uses: list[MapUse] = []
        self._open: dict[str, deque[tuple[int, MapUse]]] = {}

    def add(self, event: LoggedEvent) -> None:
        """Add the next event; one that neither reads nor lets content in does not count as a call."""
        if event.kind not in ("gate", "tool_output_truncated", "cache_get") or event.verb == "compact":
            return
        name = event.session or event.project
        waiting = self._open.pop(name, deque())
        followed = deque((left - 1, _follow(use, event)) for left, use in waiting)
        while followed and not followed[0][0]:
            self.uses.append(followed.popleft()[1])
        if use := _read_map(event):
            followed.append((NEXT_CALLS, use))
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
    )


def _follow(use: MapUse, event: LoggedEvent) -> MapUse:
    """Return a map after the next call of its session."""
    entered = read_number(event.facts.get("after_tokens")) or 0
    if event.kind == "cache_get":
        return use._replace(reads=use.reads + 1, net=use.net - entered) if use.ref and event.ref == use.ref else use
    if use.command_hash and event.facts.get("command_hash") == use.command_hash:
        return use._replace(reruns=use.reruns + 1, net=use.net - entered)
    return use


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


def format_quality(uses: Sequence[MapUse]) -> str:
    """Return tables by kind and by program, and the maps that were least enough."""
    parts = []
    for title, find_key in (("kind", _get_kind), ("program", _get_program)):
        rows = sum_uses(uses, find_key)
        cells = [[title, *(name.replace("_", " ") for name in COLUMNS)]]
        cells += [[escape_line(row.key), *(_format_cell(row, name) for name in COLUMNS)] for row in rows]
        parts.append("".join(f"{line}\n" for line in align_columns(cells)))
    if worst := find_worst(uses):
        lines = (f"{use.ref}  {use.kind}, {use.program}: read {use.reads}x, run again {use.reruns}x" for use in worst)
        parts.append("".join(f"{escape_line(line)}\n" for line in ("least enough", *lines)))
    return "\n".join(parts)


def describe_quality(uses: Sequence[MapUse]) -> dict[str, JsonValue]:
    """Return the same as one object."""
    return {
        "maps": len(uses),
        "net": sum(use.net for use in uses),
        "kinds": [row._asdict() for row in sum_uses(uses, _get_kind)],
        "programs": [row._asdict() for row in sum_uses(uses, _get_program)],
        "worst": [
            {"ref": use.ref, "kind": use.kind, "program": use.program, "reads": use.reads, "reruns": use.reruns}
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
