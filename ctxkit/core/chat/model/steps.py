"""The path through the entries of a session, from the newest message or a given leaf back to the root."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ctxkit.core.chat.model.message import ChatMessage, EntryLink, KeptTail

NO_LINK = EntryLink("")


class PathStep(NamedTuple):
    """The fields of an entry that determine the path: its link and, if it is sent, its role.

    ``calls`` are the ids of its calls, ``answers`` the ids of the calls that it answers. ``kept`` marks a summary.
    """

    link: EntryLink = NO_LINK
    role: str = ""
    calls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    kept: KeptTail | None = None

    @property
    def is_user_turn(self) -> bool:
        """Return whether a user turn begins here."""
        return self.role == "user" and not self.answers


def make_step(entry: ChatMessage | EntryLink) -> PathStep:
    """Return an entry of a session as a step."""
    if isinstance(entry, EntryLink):
        return PathStep(entry)
    if entry.link is None and not entry.calls and not entry.answers and entry.kept is None:
        return _make_plain_step(entry.role)
    return PathStep(entry.link or NO_LINK, entry.role, entry.calls, entry.answers, entry.kept)


@lru_cache(maxsize=32)
def _make_plain_step(role: str) -> PathStep:
    """Return the step of messages that have only a role."""
    return PathStep(role=role)


class SegmentMoves(NamedTuple):
    """How the last compaction moved the entries that it kept: the index of its boundary, -1 if it moved none.

    ``parents`` are the new parents of entries by their index; ``members`` are the ids of the kept entries in order.
    """

    boundary: int = -1
    parents: Mapping[int, str] = {}
    members: tuple[str, ...] = ()


def index_updates(steps: Iterable[PathStep]) -> dict[str, int]:
    """Return the index of each updatable step by its id."""
    return {step.link.id: at for at, step in enumerate(steps) if step.link.is_update}


def rewind_steps(steps: Sequence[PathStep], turns: int | None, since: str = "") -> list[int]:
    """Return the indices that remain after a rewind of ``turns``, or of all steps from the entry ``since``.

    A rewind of everything, or from an unknown entry, keeps only system messages.
    """
    first = next((at for at, step in enumerate(steps) if since and step.link.id == since), -1)
    if first >= 0:
        return list(range(first))
    if turns is None or since:
        return [at for at, step in enumerate(steps) if step.role == "system"]
    requests = [at for at, step in enumerate(steps) if step.is_user_turn]
    end = requests[max(len(requests) - turns, 0)] if requests and turns > 0 else len(steps)
    return list(range(end))


def find_path(steps: Sequence[PathStep], leaf: str = "") -> list[int]:
    """Return the indices of the steps on the path to the newest message or tip, or to the entry ``leaf``.

    After a compaction, the path contains the last summary and the entries that it kept. Raise KeyError if no entry has
    the id ``leaf``.
    """
    main = _find_main(steps, leaf)
    places = _index_ids(steps, main)
    end = places[leaf] if leaf else _find_newest(steps, main)
    moves = _find_moves(steps, main, places, end)
    ancestors = _walk_back(steps, main, places, moves.parents, end)
    loaded = [at for at in main if at > moves.boundary or steps[at].link.id in moves.members]
    companions = _find_companions(steps, loaded, set(ancestors))
    ordered = _order_steps(ancestors, companions, moved=moves.parents)
    begin = next((place for place in reversed(range(len(ordered))) if steps[ordered[place]].link.is_boundary), 0)
    return _drop_replaced(steps, _apply_compaction(steps, ordered[begin:]))


def find_segment_moves(steps: Sequence[PathStep], leaf: str = "") -> SegmentMoves:
    """Return how the last compaction on the path to the newest entry, or to ``leaf``, moved what it kept."""
    main = _find_main(steps, leaf)
    places = _index_ids(steps, main)
    return _find_moves(steps, main, places, places.get(leaf, -1) if leaf else _find_newest(steps, main))


def _index_ids(steps: Sequence[PathStep], main: Sequence[int]) -> dict[str, int]:
    """Return the index of the first step with each id."""
    return {steps[at].link.id: at for at in reversed(main) if steps[at].link.id}


def _drop_replaced(steps: Sequence[PathStep], path: list[int]) -> list[int]:
    """Return a path with only the step of each series that is sent, at its own place."""
    sent: dict[str, int] = {}
    for at in path:
        link = steps[at].link
        if link.series and not (link.is_first_sent and link.series in sent):
            sent[link.series] = at
    return [at for at in path if sent.get(steps[at].link.series, at) == at] if sent else path


def _find_newest(steps: Sequence[PathStep], main: Sequence[int]) -> int:
    """Return the last step from which a session continues, -1 if there is none."""
    return next((at for at in reversed(main) if steps[at].role or steps[at].link.is_tip), -1)


def _find_main(steps: Sequence[PathStep], leaf: str) -> list[int]:
    """Return the indices without sidechains, unless the leaf is in one or no other messages exist."""
    sides = [step.link.is_sidechain for step in steps if (step.link.id == leaf if leaf else step.role)]
    keeps_sidechains = bool(sides) and all(sides)
    return [at for at, step in enumerate(steps) if keeps_sidechains or not step.link.is_sidechain]


def _find_moves(steps: Sequence[PathStep], main: Sequence[int], places: dict[str, int], end: int) -> SegmentMoves:
    """Return how the last compaction before the end moved what it kept; earlier ones no longer move anything."""
    last = _find_boundary(steps, main, end)
    segment = steps[last].link.segment if last >= 0 else None
    ids = [id_ for id_ in segment.ids if id_ in places] if segment else []
    if segment is None or not ids or segment.anchor not in places:
        return SegmentMoves()
    after = [at for at in main if steps[at].link.parent == segment.anchor and steps[at].link.id not in ids]
    follow = zip(ids, (segment.anchor, *ids), strict=False) if segment.is_complete else [(ids[0], segment.anchor)]
    parents = {**dict.fromkeys(after, ids[-1]), **{places[id_]: parent for id_, parent in follow}}
    members = ids if segment.is_complete else _list_members(steps, places, ids)
    return SegmentMoves(last, parents, tuple(members))


def _find_boundary(steps: Sequence[PathStep], main: Sequence[int], end: int) -> int:
    """Return the last boundary of a compaction before the end, -1 if there is none."""
    return next((at for at in reversed(main) if at < end and steps[at].link.is_boundary), -1)


def _list_members(steps: Sequence[PathStep], places: dict[str, int], ids: Sequence[str]) -> list[str]:
    """Return the ids of the entries from the first to the last of a segment that is known by its ends."""
    members: dict[str, None] = {}
    id_ = ids[-1]
    while id_ in places and id_ not in members:
        members[id_] = None
        id_ = "" if id_ == ids[0] else steps[places[id_]].link.parent or ""
    return list(reversed(members))


def _walk_back(
    steps: Sequence[PathStep], main: Sequence[int], places: dict[str, int], parents: Mapping[int, str], end: int
) -> dict[int, None]:
    """Return the steps from the last one back to the root; a step without a parent follows the previous step.

    If no entry has a parent, the file is not a tree.
    """
    linked = any(steps[at].link.parent for at in main)
    before = dict(zip(main[1:], main, strict=False))
    ancestors: dict[int, None] = {}
    at = end
    while at >= 0 and at not in ancestors:
        ancestors[at] = None
        parent = parents.get(at, steps[at].link.parent)
        if parent == "" and linked:
            break
        at = places.get(parent, before.get(at, -1)) if parent else before.get(at, -1)
    return ancestors


def _order_steps(ancestors: dict[int, None], companions: set[int], *, moved: Mapping[int, str]) -> list[int]:
    """Return the steps in file order, or in path order with companions after their calls if some ``moved``."""
    if not moved:
        return sorted(companions.union(ancestors))
    order = list(reversed(ancestors))
    for at in sorted(companions.difference(ancestors)):
        before = max((ancestor for ancestor in ancestors if ancestor < at), default=-1)
        order.insert(order.index(before) + 1 if before >= 0 else 0, at)
    return order


def _find_companions(steps: Sequence[PathStep], main: Sequence[int], selected: set[int]) -> set[int]:
    """Return steps outside the path that belong to it: parts of its responses, and results of its calls."""
    groups = {steps[at].link.group for at in selected} - {""}
    companions = {at for at in main if steps[at].role and steps[at].link.group in groups}
    calls = {call for at in selected | companions for call in steps[at].calls}
    calls -= {answer for at in selected for answer in steps[at].answers}
    for at in main:
        answers = steps[at].answers
        if at not in selected and answers and calls.issuperset(answers):
            companions.add(at)
            calls.difference_update(answers)
    return companions


def _apply_compaction(steps: Sequence[PathStep], places: Sequence[int]) -> list[int]:
    """Return the messages of a path; after a compaction, the last summary and the messages that it kept."""
    last = next((at for at in reversed(places) if steps[at].kept), -1)
    kept = steps[last].kept if last >= 0 else None
    if kept is None:
        return [at for at in places if steps[at].role]
    first_kept = next((at for at in places if kept.id and steps[at].link.id == kept.id), last)
    start = kept.place if kept.place is not None else first_kept
    return [last, *(at for at in places if at >= start and not steps[at].kept and steps[at].role)]
