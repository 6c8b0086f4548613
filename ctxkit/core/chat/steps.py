"""The way through the entries of a session: from the newest message, or another, back to the root."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ctxkit.core.chat.message import Kept, Link, Message

NOWHERE = Link("")


class Step(NamedTuple):
    """Hold what the path needs to know of an entry: its place in the tree and, if a model reads it, who speaks there.

    ``calls`` are the ids of calls made in it and ``answers`` those that it answers. ``kept`` makes it a summary.
    """

    link: Link = NOWHERE
    role: str = ""
    calls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    kept: Kept | None = None

    @property
    def asks(self) -> bool:
        """Tell whether a turn of the user begins here."""
        return self.role == "user" and not self.answers


def step(entry: Message | Link) -> Step:
    """Return an entry of a session as a step."""
    if isinstance(entry, Link):
        return Step(entry)
    return Step(entry.link or NOWHERE, entry.role, entry.calls, entry.answers, entry.kept)


def places_of(steps: Iterable[Step]) -> dict[str, int]:
    """Return the number of each step by its id, for those that are written again."""
    return {one.link.id: at for at, one in enumerate(steps) if one.link.again}


def remaining(steps: Sequence[Step], turns: int | None, since: str = "") -> list[int]:
    """Return what stays when ``turns`` of the user are taken back, or all from the entry ``since`` on.

    Of everything, as where there is no such entry, only what the system said stays.
    """
    first = next((at for at, one in enumerate(steps) if since and one.link.id == since), -1)
    if first >= 0:
        return list(range(first))
    if turns is None or since:
        return [at for at, one in enumerate(steps) if one.role == "system"]
    asked = [at for at, one in enumerate(steps) if one.asks]
    end = asked[max(len(asked) - turns, 0)] if asked and turns > 0 else len(steps)
    return list(range(end))


def path(steps: Sequence[Step], leaf: str = "") -> list[int]:
    """Return which steps of a session are on the way to its newest message or tip, or to the entry ``leaf``.

    Of a session that was compacted these are the last summary, and what it kept. Raises KeyError when there is no
    entry ``leaf``.
    """
    main = _main(steps, leaf)
    places = {steps[at].link.id: at for at in reversed(main) if steps[at].link.id}
    end = places[leaf] if leaf else _newest(steps, main)
    parents = _parents(steps, main, places, end)
    way = _way(steps, main, places, parents, end)
    beside = _companions(steps, main, set(way))
    ordered = _ordered(way, beside, moved=parents)
    begin = next((place for place in reversed(range(len(ordered))) if steps[ordered[place]].link.begins), 0)
    return _after_compaction(steps, ordered[begin:])


def _newest(steps: Sequence[Step], main: Sequence[int]) -> int:
    """Return the last step from which a session goes on, -1 where there is none."""
    return next((at for at in reversed(main) if steps[at].role or steps[at].link.tip), -1)


def _main(steps: Sequence[Step], leaf: str) -> list[int]:
    """Leave out other agents' conversations, unless the leaf is in one or there is nothing else."""
    sides = [one.link.side for one in steps if (one.link.id == leaf if leaf else one.role)]
    wanted = bool(sides) and all(sides)
    return [at for at, one in enumerate(steps) if wanted or not one.link.side]


def _parents(steps: Sequence[Step], main: Sequence[int], places: dict[str, int], end: int) -> dict[int, str]:
    """Return other parents than those that were written, where the last compaction before the end kept a segment."""
    last = next((at for at in reversed(main) if at < end and steps[at].link.segment), -1)
    segment = steps[last].link.segment if last >= 0 else None
    ids = [id_ for id_ in segment.ids if id_ in places] if segment else []
    if segment is None or not ids or segment.anchor not in places:
        return {}
    after = [at for at in main if steps[at].link.parent == segment.anchor and steps[at].link.id not in ids]
    follow = zip(ids, (segment.anchor, *ids), strict=False) if segment.all else [(ids[0], segment.anchor)]
    return {**dict.fromkeys(after, ids[-1]), **{places[id_]: parent for id_, parent in follow}}


def _way(
    steps: Sequence[Step], main: Sequence[int], places: dict[str, int], parents: dict[int, str], end: int
) -> dict[int, None]:
    """Return the steps from the last one back; one whose parent is not told follows the one before it.

    Where no entry has a parent at all, the file is no tree.
    """
    linked = any(steps[at].link.parent for at in main)
    before = dict(zip(main[1:], main, strict=False))
    way: dict[int, None] = {}
    at = end
    while at >= 0 and at not in way:
        way[at] = None
        parent = parents.get(at, steps[at].link.parent)
        if parent == "" and linked:
            break
        at = places.get(parent, before.get(at, -1)) if parent else before.get(at, -1)
    return way


def _ordered(way: dict[int, None], beside: set[int], *, moved: dict[int, str]) -> list[int]:
    """Return the steps in the order of the file; where some ``moved``, in that of the way, others after their calls."""
    if not moved:
        return sorted(beside.union(way))
    found = list(reversed(way))
    for at in sorted(beside.difference(way)):
        before = max((one for one in way if one < at), default=-1)
        found.insert(found.index(before) + 1 if before >= 0 else 0, at)
    return found


def _companions(steps: Sequence[Step], main: Sequence[int], chosen: set[int]) -> set[int]:
    """Return what belongs to the path though it hangs beside it: parts of its responses, results of its calls."""
    groups = {steps[at].link.group for at in chosen} - {""}
    found = {at for at in main if steps[at].role and steps[at].link.group in groups}
    calls = {call for at in chosen | found for call in steps[at].calls}
    calls -= {answer for at in chosen for answer in steps[at].answers}
    for at in main:
        answers = steps[at].answers
        if at not in chosen and answers and calls.issuperset(answers):
            found.add(at)
            calls.difference_update(answers)
    return found


def _after_compaction(steps: Sequence[Step], chosen: Sequence[int]) -> list[int]:
    """Return the messages of a path: of one that was compacted the last summary, and what it kept."""
    last = next((at for at in reversed(chosen) if steps[at].kept), -1)
    kept = steps[last].kept if last >= 0 else None
    if kept is None:
        return [at for at in chosen if steps[at].role]
    named = next((at for at in chosen if kept.id and steps[at].link.id == kept.id), last)
    start = kept.place if kept.place is not None else named
    return [last, *(at for at in chosen if at >= start and not steps[at].kept and steps[at].role)]
