"""Writing a conversation again with changes: everything that no change names keeps its bytes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.editing.json_patches import JsonPiece, dump_json, join_pieces, patch_text
from ctxkit.core.chat.formats import chatml
from ctxkit.core.chat.model.record import Record
from ctxkit.core.chat.reading.transcript import Transcript


class Change(NamedTuple):
    """Say what is different: entries to leave out, patches inside entries, and entries to insert.

    Keys are the places of entries; what is inserted at one stands before it, and at the number of all at the end.
    """

    dropped: frozenset[int] = frozenset()
    patches: Mapping[int, Sequence[ValuePatch]] = {}
    inserted: Mapping[int, Sequence[Any]] = {}


def apply_change(transcript: Transcript, change: Change) -> str:
    """Return the text of a conversation with a change made; raises KeyError where a patch names no place."""
    if transcript.syntax == "document":
        return _rewrite_document(transcript, change)
    return _rewrite_lines(transcript, change)


def _rewrite_document(transcript: Transcript, change: Change) -> str:
    """Return a document with a changed list: each entry keeps what stood before it."""
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
    """Return lines, or marked messages, with a change; blank lines stay where they are."""
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
    """Return how lines end: as the first one does."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _find_next_line(text: str, end: int) -> int:
    """Return where the line after the one begins that an entry ends; the end of the entry where more follows there."""
    at = end
    while text[at : at + 1] in (" ", "\t", "\r"):
        at += 1
    return at + 1 if text[at : at + 1] == "\n" else end


def _make_tail(body: str, new: Sequence[str], end: str, *, ended: bool) -> str:
    """Return what is inserted at the end, on lines of its own; the last one ends if the text ``ended`` so."""
    if not new:
        return ""
    before = "" if body.endswith("\n") or not body.strip("\ufeff") else end
    return before + end.join(new) + (end if ended else "")


def _dump_entry(transcript: Transcript, value: Any) -> str:
    return chatml.dump_message(value) if transcript.syntax == "marked" else dump_json(value)
