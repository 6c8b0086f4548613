"""Undo of an edit: one span of bytes that is replaced by the original bytes."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from hashlib import sha256
from json import dumps, loads
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.edit.numbered_conversation import MessageRange, NumberedConversation
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.search import measure_common_prefix

if TYPE_CHECKING:
    from ctxkit.core.compact.manifest import ByteOffsets

VERSION = 1
TOOL = "ctxkit edit"
"""The tool label of stored content, both for undo records and for removed content."""


class Undo(NamedTuple):
    """An undo record: the ``size`` bytes at offset ``at`` of the edited conversation replace the content of ``ref``.

    ``digest`` is the SHA-256 of the edited conversation up to the end of these bytes. ``taken`` contains the numbers of
    the removed messages, ``tokens`` their token count. ``changes`` describes each as in the manifest of a compaction.
    """

    edit: str
    format: str
    taken: MessageRange
    tokens: int
    at: int
    size: int
    digest: str
    ref: str
    changes: tuple[dict[str, JsonValue], ...] = ()

    def to_json(self) -> bytes:
        """Return the record as JSON."""
        fields = {"kind": TOOL, "version": VERSION, **self._asdict()}
        return dumps(fields, ensure_ascii=False, indent=1).encode("utf-8", "replace") + b"\n"


class ChangedSpan(NamedTuple):
    """The difference between two texts: at byte ``at``, ``old`` was replaced by ``new``."""

    at: int
    old: bytes
    new: bytes


def parse_undo(data: bytes) -> Undo | None:
    """Return an undo record, None if the text is not one."""
    try:
        fields = loads(data)
        if fields.pop("kind") != TOOL or fields.pop("version") != VERSION:
            return None
        return Undo(**{**fields, "taken": tuple(fields["taken"]), "changes": tuple(fields["changes"])})
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def find_changed_span(before: Transcript, after: Transcript, storable: Transcript | None = None) -> ChangedSpan:
    """Return the change of an edit as one span that begins and ends at entries if possible.

    The old bytes are those of ``storable``, which has the same entries as ``before``.
    """
    old, new = before.text, after.text
    source = storable or before
    places = {0: 0, len(old): len(source.text)}
    for record, other in zip(before.records, source.records, strict=True):
        places |= {record.start: other.start, record.end: other.end}
    ends = sorted(places)
    first = ends[bisect_right(ends, measure_common_prefix(old, new)) - 1]
    same = min(measure_common_prefix(old[::-1], new[::-1]), len(old) - first, len(new) - first)
    stop = ends[bisect_left(ends, len(old) - same)]
    head = before.encode(old[:first])
    stored = source.text[places[first] : places[stop]]
    return ChangedSpan(len(head), before.encode(stored), before.encode(new[first : len(new) - len(old) + stop]))


class StoredEdit(NamedTuple):
    """What an edit left: the edited bytes, the conversation as it may be stored, and two refs.

    They are those of the stored span, and of the stored messages.
    """

    edited: bytes
    storable: Transcript
    span_ref: str
    messages_ref: str


def make_undo(
    edit: str, conversation: NumberedConversation, taken: MessageRange, change: ChangedSpan, stored: StoredEdit
) -> Undo:
    """Return the undo record of an edit; the removed messages are described as they are stored."""
    from ctxkit.core.compact.manifest import ByteOffsets  # only an undo record needs this import, which is slow

    end = change.at + len(change.new)
    offset, action = ByteOffsets(conversation.transcript), {"remove": "dropped", "summarize": "summarized"}[edit]
    numbers = range(taken[0], taken[1] + 1)
    removed = [_describe_message(conversation, number, offset, stored.storable) for number in numbers]
    changes = tuple({"action": action, "reason": "edit", **fields, "ref": stored.messages_ref} for fields in removed)
    digest, tokens = sha256(stored.edited[:end]).hexdigest(), conversation.sum_cost(*taken).tokens
    form, size = conversation.transcript.format.NAME, len(change.new)
    return Undo(edit, form, taken, tokens, change.at, size, digest, stored.span_ref, changes)


def fits_conversation(undo: Undo, data: bytes, fetch: Callable[[str], bytes]) -> bool:
    """Return whether an edit produced a conversation, apart from later additions at its end."""
    end = undo.at + undo.size
    if end > len(data) or sha256(data[:end]).hexdigest() != undo.digest:
        return False
    old = fetch(undo.ref)
    return not old or data[undo.at : undo.at + len(old)] != old


def restore_content(undo: Undo, data: bytes, old: bytes) -> bytes:
    """Return a conversation with the removed bytes restored."""
    return data[: undo.at] + old + data[undo.at + undo.size :]


def _describe_message(
    conversation: NumberedConversation, number: int, offset: "ByteOffsets", stored: Transcript
) -> dict[str, JsonValue]:
    """Return the description of a removed message; lines and bytes are 1-based and inclusive."""
    from ctxkit.core.compact.manifest import ids_of

    record, transcript = conversation.path[number - 1], conversation.transcript
    raw = stored.encode(stored.get_raw(stored.records[record.at]))
    return {
        "message": number,
        "role": record.role,
        "lines": [record.line, record.line + transcript.get_raw(record).count("\n")],
        "bytes": [offset.byte_at(record.start) + 1, offset.byte_at(record.end)],
        "entries": 1,
        "ids": list(ids_of(record)),
        "size": len(raw),
        "tokens": conversation.costs[number - 1].tokens,
        "sha256": sha256(raw).hexdigest(),
    }
