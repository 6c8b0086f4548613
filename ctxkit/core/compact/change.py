"""The change that a compaction plan describes, and the conversation that results from it."""

from collections.abc import Container, Iterator, Sequence

from ctxkit.core.chat.branches import Change, apply_change, find_moves, relink_entries
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.model.json_fields import get_member
from ctxkit.core.chat.model.message import Place, Record
from ctxkit.core.chat.reading.transcript import Transcript, parse_changed
from ctxkit.core.compact import links
from ctxkit.core.compact.insertion import InsertionPoint, find_insertion_point
from ctxkit.core.compact.plan import CompactionInput, CompactionPlan, SummaryMessage, count_leading_instructions
from ctxkit.core.compact.summary_prefix import append_summary, prepend_summary
from ctxkit.core.text.json_value import JsonValue

SIZE_PLACES = (("compactMetadata", "preTokens"), ("tokensBefore",))
"""Places in a summary entry of Claude Code and of pi for the tokens before the compaction, 0 until it is known."""
BOUNDARY_REASON = "boundary of an earlier compaction"
"""Reason for dropping a boundary."""


class NoInsertionPoint(Exception):  # noqa: N818 - what happened, not what went wrong
    """No position exists at which the API accepts a summary."""


def find_dropped(conversation: CompactionInput, plan: CompactionPlan) -> dict[int, str]:
    """Return the index of each entry that a plan drops, with the reason."""
    dropped = {**(conversation.inactive if plan.drops_inactive else {}), **plan.dropped}
    boundary = _find_replaced_boundary(conversation, plan)
    dropped |= {} if boundary < 0 else {boundary: BOUNDARY_REASON}
    return dropped | dict.fromkeys(links.find_orphan_notes(conversation.transcript, dropped), links.NOTE_REASON)


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
    return links.find_parent_id(conversation.transcript, path, dropped, moves.parents)


def _make_entries(
    conversation: CompactionInput,
    summary: SummaryMessage,
    point: InsertionPoint,
    dropped: Container[int],
    parent: str,
) -> list[JsonValue]:
    """Return the entries of a summary, the first below its parent; one of several is a boundary, and so a root."""
    editor = conversation.transcript.format
    neighbour = links.find_neighbour(conversation.transcript, point.at, dropped)
    follows = parent if conversation.path[0].at not in dropped else ""
    first, *rest = editor.make_summary(summary.text, point.role, summary.key, follows or None, neighbour)
    _state_size(first, conversation.total_tokens)
    return [links.relink_under(editor, first, parent) if parent and not (follows or rest) else first, *rest]


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
    for *steps, key in SIZE_PLACES:
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
