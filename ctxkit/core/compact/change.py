"""The change that a compaction plan describes, and the conversation that results from it."""

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from ctxkit.core.chat.branches import Change, apply_change, find_moves, relink_entries
from ctxkit.core.chat.editing import ApiRules, EditableFormat, ValuePatch
from ctxkit.core.chat.model.json_fields import get_member
from ctxkit.core.chat.model.message import SYSTEM_ROLES, Place, Record, Rewind
from ctxkit.core.chat.reading.transcript import Transcript, parse_changed
from ctxkit.core.chat.validity.pairing import sender_of
from ctxkit.core.compact.plan import CompactionInput, CompactionPlan, SummaryMessage, count_leading_instructions
from ctxkit.core.summary.frame import append_summary, is_instruction, is_summary, prepend_summary
from ctxkit.core.text.json_value import JsonValue

_SIZE_PLACES = (("compactMetadata", "preTokens"), ("tokensBefore",))
"""Places in a summary entry of Claude Code and of pi for the tokens before the compaction, 0 until it is known."""
_BOUNDARY_REASON = "boundary of an earlier compaction"
"""Reason for dropping a boundary."""


class NoInsertionPoint(Exception):  # noqa: N818 - what happened, not what went wrong
    """No position exists at which the API accepts a summary."""


def find_dropped(conversation: CompactionInput, plan: CompactionPlan) -> dict[int, str]:
    """Return the index of each entry that a plan drops, with the reason."""
    dropped = {**(conversation.inactive if plan.drops_inactive else {}), **plan.dropped}
    boundary = _find_replaced_boundary(conversation, plan)
    dropped |= {} if boundary < 0 else {boundary: _BOUNDARY_REASON}
    return dropped | dict.fromkeys(find_orphan_notes(conversation.transcript, dropped), NOTE_REASON)


def _find_replaced_boundary(conversation: CompactionInput, plan: CompactionPlan) -> int:
    """Return the index of the boundary of a compaction by the agent that a summary replaces, -1 if there is none.

    A boundary that kept earlier entries would exclude the new summary before them.
    """
    first = conversation.path[count_leading_instructions(conversation.path) :][:1]
    if plan.summary is None or not first or first[0].at not in plan.dropped:
        return -1
    return find_moves(conversation.transcript, _path_places(conversation)).boundary


def _find_summary_parent(conversation: CompactionInput, dropped: Container[int]) -> str:
    """Return the id of the entry that a summary follows, empty for the root."""
    path = conversation.path[count_leading_instructions(conversation.path) :]
    moves = find_moves(conversation.transcript, _path_places(conversation))
    if moves.boundary not in dropped:
        path = tuple(record for record in path if record.at > moves.boundary) or path
    return find_parent_id(conversation.transcript, path, dropped, moves.parents)


class InsertionPoint(NamedTuple):
    """The position of a summary: before the entry at index ``at``, with a role.

    ``passage`` is the passage of that entry that the summary precedes, None for a separate message. With ``follows``,
    the summary stands behind the words of the passage.
    """

    at: int
    role: str
    passage: Place | None = None
    follows: bool = False


def _make_entries(
    conversation: CompactionInput,
    summary: SummaryMessage,
    point: InsertionPoint,
    dropped: Container[int],
    parent: str,
) -> list[JsonValue]:
    """Return the entries of a summary, the first below its parent; one of several is a boundary, and so a root."""
    editor = conversation.transcript.format
    neighbour = find_neighbour(conversation.transcript, point.at, dropped)
    follows = parent if conversation.path[0].at not in dropped else ""
    first, *rest = editor.make_summary(summary.text, point.role, summary.key, follows or None, neighbour)
    _state_size(first, conversation.total_tokens)
    return [_relink_under(editor, first, parent) if parent and not (follows or rest) else first, *rest]


def _list_patches(plan: CompactionPlan) -> dict[int, list[ValuePatch]]:
    """Return the patches of the edits of a plan by the positions of their records."""
    patches: dict[int, list[ValuePatch]] = {}
    for at, edit in plan.edits():
        patches.setdefault(at, []).extend(edit.patches)
    return patches


def _has_parents(records: Sequence[Record]) -> bool:
    return any(record.link and record.link.parent for record in records)


def make_change(conversation: CompactionInput, plan: CompactionPlan) -> Change:
    """Return the change that a plan describes; raise NoInsertionPoint if the API accepts the summary nowhere."""
    dropped, patches = find_dropped(conversation, plan), _list_patches(plan)
    if plan.summary is None:
        return relink_entries(conversation.transcript, Change(frozenset(dropped), patches), _path_places(conversation))
    point = find_insertion_point(conversation, dropped)
    if point is None:
        raise NoInsertionPoint
    for at, place, words in _find_prefix_edits(conversation, plan, plan.summary, point):
        patches[at] = [*(patch for patch in patches.get(at, ()) if patch.place != place), ValuePatch(place, words)]
    if point.passage is not None:
        return relink_entries(conversation.transcript, Change(frozenset(dropped), patches), _path_places(conversation))
    parent = _find_summary_parent(conversation, dropped)
    new = _make_entries(conversation, plan.summary, point, dropped, parent)
    change = Change(frozenset(dropped), patches, {point.at: new})
    summary_id = conversation.transcript.format.make_id(plan.summary.key)
    if summary_id and not _has_parents(conversation.transcript.records):
        return change._replace(patches=_chain_parents(conversation, change, summary_id))
    after = {parent: summary_id} if summary_id else {}
    start = point.at if len(new) > 1 else 0  # a summary of several entries begins with a boundary
    return relink_entries(conversation.transcript, change, _path_places(conversation), after, start)


def _state_size(entry: JsonValue, tokens: int) -> None:
    """Set the tokens before the compaction in a new entry, if its format has a place for them."""
    for *steps, key in _SIZE_PLACES:
        inner = get_member(entry, steps)
        if isinstance(inner, dict) and key in inner:
            inner[key] = tokens


def _chain_parents(conversation: CompactionInput, change: Change, summary_id: str) -> dict[int, list[ValuePatch]]:
    """Return patches that make each message the child of the previous one, for a file without parents.

    The summary has a parent. If any entry has a parent, readers take entries without one for roots.
    """
    patches, parent = {at: list(edits) for at, edits in change.patches.items()}, summary_id
    for record in conversation.path:
        if record.at not in change.dropped and record.at >= min(change.inserted) and record.link and record.link.id:
            patches.setdefault(record.at, []).extend(conversation.transcript.format.patch_parent(record.value, parent))
            parent = record.link.id
    return patches


def _path_places(conversation: CompactionInput) -> tuple[int, ...]:
    return tuple(record.at for record in conversation.path)


def _find_prefix_edits(
    conversation: CompactionInput, plan: CompactionPlan, summary: SummaryMessage, point: InsertionPoint
) -> Iterator[tuple[int, Place, str]]:
    """Yield the passages that gain or lose a summary, with their new text."""
    places = {(at, prefix.place) for at, prefix in conversation.prefixes.items()}
    places |= {(point.at, point.passage)} if point.passage is not None else set()
    for at, place in sorted(places, key=str):
        if at not in plan.dropped:
            edit = plan.shortened.get(at, {}).get(place)
            words = (
                edit.text
                if edit
                else next(passage.text for passage in conversation.record(at).passages if passage.place == place)
            )
            if (at, place) == (point.at, point.passage):
                words = append_summary(words, summary.text) if point.follows else prepend_summary(summary.text, words)
            yield at, place, words


def rebuild_transcript(conversation: CompactionInput, change: Change) -> Transcript:
    """Return the conversation after a change, parsed again."""
    transcript = conversation.transcript
    data = transcript.encode(apply_change(transcript, change))
    return parse_changed(data, "the compacted conversation", transcript)


def find_insertion_point(conversation: CompactionInput, dropped: Container[int]) -> InsertionPoint | None:
    """Return the insertion point of a summary, or None if the API accepts it nowhere.

    A kept entry that replaces everything before it, such as a compaction by the agent, would replace the summary too:
    the summary comes after it. So does a boundary of one that kept earlier entries.
    """
    begin = count_leading_instructions(conversation.path)
    kept = [(at, record) for at, record in enumerate(conversation.path) if at >= begin and record.at not in dropped]
    messages = [(at, record) for at, record in kept if not is_instruction(record)]
    if not has_alternating_sides(messages, conversation.transcript.format.RULES):
        return None
    last_reset = _find_last_reset(conversation, [record for _, record in kept], dropped)
    if point := _find_point_behind_request(conversation, dropped, last_reset):
        return point
    following = [record for _, record in kept if record.at > last_reset]
    at = min(
        (record.at for record in following), default=max((record.at for record in conversation.path), default=-1) + 1
    )
    first = next((record for record in following if not is_instruction(record)), None)
    return _insertion_point_before(conversation, at, first)


def _find_last_reset(conversation: CompactionInput, kept: Sequence[Record], dropped: Container[int]) -> int:
    """Return the position of the last kept entry or boundary that replaces what precedes it, -1 if there is none."""
    boundary = find_moves(conversation.transcript, [record.at for record in conversation.path]).boundary
    resets = [record.at for record in kept if _replaces_all(record)]
    return max(-1, *resets, -1 if boundary in dropped else boundary)


def _is_request_kept(conversation: CompactionInput, dropped: Container[int], last_reset: int) -> bool:
    """Return whether the user's last request is kept and still sent."""
    place = conversation.last_request
    if place < 0:
        return False
    at = conversation.path[place].at
    return at not in dropped and at >= last_reset


def _find_point_behind_request(
    conversation: CompactionInput, dropped: Container[int], last_reset: int
) -> InsertionPoint | None:
    """Return the point behind the user's last request, None if the summary covers nothing that followed it.

    In a loop of requests it stays while the work on it goes on, so that the provider's prompt cache keeps it.
    """
    path, place = conversation.path, conversation.last_request
    if not conversation.policy.is_in_loop or not _is_request_kept(conversation, dropped, last_reset):
        return None
    begin = count_leading_instructions(path)
    if any(record.at not in dropped for record in path[begin:place]):
        return None
    later = next((at for at in range(place + 1, len(path)) if path[at].at not in dropped), len(path))
    if all(is_summary(record) for record in path[place + 1 : later]):
        return None
    at = path[later].at if later < len(path) else path[-1].at + 1
    point = _insertion_point_before(conversation, at, path[place])
    if point is None or point.passage is None:
        return point
    return point._replace(passage=path[place].passages[-1].place, follows=True)


def _replaces_all(record: Record) -> bool:
    """Return whether an entry replaces all entries before it."""
    return any(isinstance(entry, Rewind) and entry.turns is None and not entry.since for entry in record.entries)


def can_insert_before(conversation: CompactionInput, first: Record | None) -> bool:
    """Return whether the API accepts a summary before a message."""
    return _insertion_point_before(conversation, 0, first) is not None


def _choose_role(conversation: CompactionInput, *, from_user: bool) -> str:
    """Return the role of a summary whose next message is from the user, or not."""
    rules = conversation.transcript.format.RULES
    role = conversation.policy.role or conversation.previous_role or rules.summary_role
    must_be_user = rules.summary_role == "user" or (rules.user_opens and not from_user)
    return "user" if role in SYSTEM_ROLES and must_be_user else role


def _insertion_point_before(conversation: CompactionInput, at: int, first: Record | None) -> InsertionPoint | None:
    rules = conversation.transcript.format.RULES
    from_user = first is not None and sender_of(first) == "user"
    role = _choose_role(conversation, from_user=from_user)
    if role in SYSTEM_ROLES or first is None or not (rules.roles_alternate and from_user):
        return InsertionPoint(at, role)
    if first.passages and not first.results:
        return InsertionPoint(first.at, role, first.passages[0].place)
    return None


def has_alternating_sides(messages: Sequence[tuple[int, Record]], rules: ApiRules) -> bool:
    """Return whether new neighbours have different senders, if the API requires alternating roles.

    Each message comes with its position in the path: messages that were neighbours before are not checked.
    """
    if not rules.roles_alternate:
        return True
    pairs = pairwise(messages)
    return all(sender_of(earlier) != sender_of(later) for (at, earlier), (next_, later) in pairs if next_ > at + 1)


NOTE_REASON = "note between messages that left"
"""Reason for dropping a note."""


def find_orphan_notes(transcript: Transcript, dropped: Container[int]) -> Iterator[int]:
    """Yield the index of each note between dropped messages.

    Notes after the last message are dropped if that message is dropped.
    """
    pending: list[int] = []
    leaves = False
    for record in transcript.records:
        if record.kind == "note":
            if record.at not in dropped:
                pending.append(record.at)
            continue
        if record.at in dropped and leaves:
            yield from pending
        leaves, pending = record.at in dropped, []
    if leaves:
        yield from pending


def _get_parent(record: Record, moves: Mapping[int, str]) -> str | None:
    """Return the id of the parent of an entry, where a compaction by the agent may have moved it."""
    return moves.get(record.at, record.link.parent if record.link else None)


def find_parent_id(
    transcript: Transcript, path: Sequence[Record], dropped: Container[int], moved: Mapping[int, str] | None = None
) -> str:
    """Return the id of the nearest kept ancestor of a path, empty for the root.

    ``moved`` are the parents that a compaction by the agent gave to entries, by their index.
    """
    first = min(path, key=lambda record: record.at, default=None)
    moves = moved or {}
    parent = _get_parent(first, moves) if first is not None and first.link is not None else None
    by_id = {record.link.id: record for record in transcript.records if record.link and record.link.id}
    seen: set[str] = set()
    while parent and parent not in seen and parent in by_id and by_id[parent].at in dropped:
        seen.add(parent)
        parent = _get_parent(by_id[parent], moves)
    return parent if parent and parent not in seen else ""


def _relink_under(editor: EditableFormat, value: JsonValue, parent: str) -> JsonValue:
    """Return the first entry of a tree with ``parent`` as its parent."""
    for patch in editor.patch_parent(value, parent):
        value = {**value, patch.place[0]: patch.value}
    return value


def find_neighbour(transcript: Transcript, at: int, dropped: Container[int]) -> JsonValue:
    """Return the value of the entry after an insertion, or None at the end.

    Messages come before notes, because some notes lack the fields that the entries of a session share.
    """
    kept_records = [record for record in transcript.records[at:] if record.at not in dropped]
    spoken = (record.value for record in kept_records if record.kind in ("message", "summary"))
    return next(spoken, kept_records[0].value if kept_records else None)
