"""Where a conversation may be cut: between two entries that the API lets stand without each other."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Literal

from ctxkit.core.chat.editor import Rules
from ctxkit.core.chat.pairing import pairing
from ctxkit.core.chat.record import Record

Joint = Literal["free", "loop", "closed"]
"""What a place between two entries is: one may cut there; only inside a loop of calls whose rest again begins with
reasoning; or not at all."""


def joints(path: Sequence[Record], rules: Rules) -> list[Joint]:
    """Return what the place before each entry is, and last the one at the end.

    A call and its result stay together, so do the parts of one response, and reasoning and what it led to; a call
    that waits for its result stays at the end.
    """
    found: list[Joint] = ["free"] * (len(path) + 1)
    for first, last in _loops(path) if rules.loops else ():
        for at in range(first + 1, last + 1):
            found[at] = "loop" if path[at].thinks else "closed"
    # Bonds may lie in one another, each over thousands of entries: only their ends are noted.
    open_bonds = [0] * (len(path) + 2)
    for first, last in _bonds(path, rules):
        open_bonds[first + 1] += 1
        open_bonds[last + 1] -= 1
    return ["closed" if bonds else joint for joint, bonds in zip(found, accumulate(open_bonds), strict=False)]


def _bonds(path: Sequence[Record], rules: Rules) -> Iterator[tuple[int, int]]:
    """Yield first and last of entries that must not be parted."""
    found = pairing(path, rules)
    at = {record.at: place for place, record in enumerate(path)}
    places = [at[record.at] for record in found.spoken]
    for asked, told in (*found.paired, *found.displaced):
        first, last = sorted((places[asked.at], places[told.at]))
        yield first, last
    for turn in found.turns:
        yield places[turn.first], places[turn.last]
    for one in found.waiting:
        yield places[one.at], len(path)
    yield from _responses(path)


def _responses(path: Sequence[Record]) -> Iterator[tuple[int, int]]:
    """Yield the entries of each response that is kept in several, and reasoning with what follows it."""
    first: dict[str, int] = {}
    for at, record in enumerate(path):
        group = record.link.group if record.link else ""
        if group:
            yield first.setdefault(group, at), at
        alone = record.thinks and not record.calls and not record.words.strip()
        if alone and at + 1 < len(path) and path[at + 1].role == "assistant":
            yield at, at + 1


def _loops(path: Sequence[Record]) -> Iterator[tuple[int, int]]:
    """Yield first and last of each run of calls and results that begins with reasoning."""
    first = -1
    for at, record in enumerate(path):
        if first < 0 and record.role == "assistant" and record.thinks:
            first = at
        elif first >= 0 and (record.asks or record.kind == "summary"):
            yield first, at - 1
            first = -1
    if first >= 0:
        yield first, len(path) - 1
