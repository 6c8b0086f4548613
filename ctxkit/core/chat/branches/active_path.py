"""The path of entries that a host sends, and the rewriting of entries on it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.editing.json_patches import JsonPiece, dump_json, join_pieces, patch_text
from ctxkit.core.chat.formats import chatml
from ctxkit.core.chat.model.message import ChatMessage, EntryLink, Record, Rewind
from ctxkit.core.chat.model.steps import (
    PathStep,
    SegmentMoves,
    find_path,
    find_segment_moves,
    index_updates,
    make_step,
    rewind_steps,
)
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.text.json_value import JsonValue


def find_active_path(transcript: Transcript, leaf: str = "") -> tuple[int, ...]:
    """Return the indices of the entries that the agent would send next, in order; a summary comes first.

    In a tree, the path ends at the entry with the id ``leaf``, by default at the newest entry. Raise KeyError if no
    entry has that id.
    """
    paths = transcript.active_paths
    if leaf not in paths:  # each stage of a compaction needs it again
        paths[leaf] = _compute_path(transcript, leaf)
    return paths[leaf]


def _compute_path(transcript: Transcript, leaf: str) -> tuple[int, ...]:
    steps = _list_steps(transcript)
    if transcript.format.LINEAR:
        places = [at for at, (_, step) in enumerate(steps) if step.role]
    else:
        places = find_path([step for _, step in steps], leaf)
    return tuple(dict.fromkeys(steps[at][0] for at in places))


def find_moves(transcript: Transcript, path: Sequence[int] = ()) -> SegmentMoves:
    """Return how the last compaction on a path, by default the newest, moved the entries that it kept.

    Indices are those of entries.
    """
    if not any(record.link and record.link.segment for record in transcript.records):
        return SegmentMoves()
    steps = _list_steps(transcript)
    end = transcript.records[path[-1]].link if path else None
    moves = find_segment_moves([step for _, step in steps], end.id if end else "")
    if moves.boundary < 0:
        return moves
    return moves._replace(
        boundary=steps[moves.boundary][0], parents={steps[at][0]: parent for at, parent in moves.parents.items()}
    )


def _list_steps(transcript: Transcript) -> list[tuple[int, PathStep]]:
    """Return the steps of a transcript with the indices of their entries, without rewound steps."""
    steps: list[tuple[int, PathStep]] = []
    places: dict[str, int] = {}
    for record in transcript.records:
        for entry in record.entries:
            if isinstance(entry, Rewind):
                stay = rewind_steps([step for _, step in steps], entry.turns, entry.since)
                steps = [steps[place] for place in stay]
                places = index_updates(step for _, step in steps)
            elif isinstance(entry, (ChatMessage, EntryLink)):
                _add_step(steps, places, record.at, make_step(entry))
    return steps


def _add_step(steps: list[tuple[int, PathStep]], places: dict[str, int], at: int, step: PathStep) -> None:
    """Add a step, or replace the earlier step that it updates."""
    if step.link.is_update and step.link.id in places:
        steps[places[step.link.id]] = at, step
        return
    places[step.link.id] = len(steps)
    steps.append((at, step))


class Change(NamedTuple):
    """A change of a conversation: dropped entries, patches of entries, and inserted entries.

    Keys are indices of entries. Insertions come before the entry at their index; the number of entries means the end.
    """

    dropped: frozenset[int] = frozenset()
    patches: Mapping[int, Sequence[ValuePatch]] = {}
    inserted: Mapping[int, Sequence[JsonValue]] = {}


def apply_change(transcript: Transcript, change: Change) -> str:
    """Return the text of a conversation after a change; raise KeyError if the place of a patch does not exist."""
    if transcript.syntax == "document":
        return _rewrite_document(transcript, change)
    return _rewrite_lines(transcript, change)


def _rewrite_document(transcript: Transcript, change: Change) -> str:
    """Return a document with a changed list; each kept entry keeps the text before it."""
    text, (begin, end) = transcript.text, transcript.inner
    spans = [(record.start, record.end) for record in transcript.records]
    return text[:begin] + join_pieces(text, begin, end, spans, _make_pieces(transcript, change)) + text[end:]


def _make_pieces(transcript: Transcript, change: Change) -> Iterator[JsonPiece]:
    text, records = transcript.text, transcript.records
    for at, record in enumerate(records):
        yield from (JsonPiece("", dump_json(value)) for value in change.inserted.get(at, ()))
        if at not in change.dropped:
            yield JsonPiece(
                text[records[at - 1].end : record.start] if at else "", _rewrite_entry(transcript, record, change)
            )
    yield from (JsonPiece("", dump_json(value)) for value in change.inserted.get(len(records), ()))


def _rewrite_entry(transcript: Transcript, record: Record, change: Change) -> str:
    patches = change.patches.get(record.at, ())
    if not patches:
        return transcript.get_raw(record)
    if transcript.syntax == "marked":
        return chatml.patch_message(record.value, patches)
    return patch_text(transcript.text, record.start, patches)


def _rewrite_lines(transcript: Transcript, change: Change) -> str:
    """Return changed lines or marked messages; blank lines remain in place."""
    text, records = transcript.text, transcript.records
    end = _find_line_ending(text)
    parts, at = [], 0
    for record in records:
        parts.append(text[at : record.start])
        parts += [_dump_entry(transcript, value) + end for value in change.inserted.get(record.at, ())]
        at = _find_next_line(text, record.end)
        if record.at not in change.dropped:
            parts += [_rewrite_entry(transcript, record, change), text[record.end : at]]
    body = "".join([*parts, text[at:]])
    new = [_dump_entry(transcript, value) for value in change.inserted.get(len(records), ())]
    return body + _make_tail(body, new, end, ended=text.endswith("\n"))


def _find_line_ending(text: str) -> str:
    """Return the line ending of the first line."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _find_next_line(text: str, end: int) -> int:
    """Return the start of the line after an entry, or the end of the entry if more text follows on its line."""
    at = end
    while text[at : at + 1] in (" ", "\t", "\r"):
        at += 1
    return at + 1 if text[at : at + 1] == "\n" else end


def _make_tail(body: str, new: Sequence[str], end: str, *, ended: bool) -> str:
    """Return the entries inserted at the end, on separate lines.

    The last one gets a line ending if the text ``ended`` with one.
    """
    if not new:
        return ""
    before = "" if body.endswith("\n") or not body.strip("\ufeff") else end
    return before + end.join(new) + (end if ended else "")


def _dump_entry(transcript: Transcript, value: JsonValue) -> str:
    return chatml.dump_message(value) if transcript.syntax == "marked" else dump_json(value)
