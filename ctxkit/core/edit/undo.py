"""What an edit took out of a conversation, and how it comes back: one stretch of bytes that another stands in for."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from hashlib import sha256
from json import dumps, loads
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.edit.message_range import MessageRange
from ctxkit.core.edit.numbered_conversation import NumberedConversation

if TYPE_CHECKING:
    from ctxkit.core.compact.manifest import ByteOffsets

VERSION = 1
TOOL = "ctxkit edit"
"""The tool that stored content is labelled with, the record of an edit and what it took out alike."""


class Undo(NamedTuple):
    """Record an edit: from byte ``at`` of the edited conversation on, ``size`` bytes stand for what is under ``ref``.

    ``digest`` is the SHA-256 of the edited conversation up to the end of these bytes. ``taken`` are the numbers of
    the messages, ``tokens`` what they took, ``changes`` what was taken out: an object each, with the members that a
    manifest of a compaction has.
    """

    edit: str
    format: str
    taken: MessageRange
    tokens: int
    at: int
    size: int
    digest: str
    ref: str
    changes: tuple[dict[str, Any], ...] = ()

    def to_json(self) -> bytes:
        """Return the record as JSON."""
        fields = {"kind": TOOL, "version": VERSION, **self._asdict()}
        return dumps(fields, ensure_ascii=False, indent=1).encode("utf-8", "replace") + b"\n"


class ChangedSpan(NamedTuple):
    """Hold where two texts differ: from ``at`` on, ``old`` stands in one and ``new`` in the other; in bytes."""

    at: int
    old: bytes
    new: bytes


def parse_undo(data: bytes) -> Undo | None:
    """Return the record of an edit, None where a text is none."""
    try:
        fields = loads(data)
        if fields.pop("kind") != TOOL or fields.pop("version") != VERSION:
            return None
        return Undo(**{**fields, "taken": tuple(fields["taken"]), "changes": tuple(fields["changes"])})
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def find_changed_span(before: Transcript, after: Transcript) -> ChangedSpan:
    """Return what an edit changed, as one stretch that begins and ends with entries where it can."""
    old, new = before.text, after.text
    ends = sorted({0, len(old), *(place for record in before.records for place in (record.start, record.end))})
    first = ends[bisect_right(ends, _count_common(old, new)) - 1]
    same = min(_count_common(old[::-1], new[::-1]), len(old) - first, len(new) - first)
    stop = ends[bisect_left(ends, len(old) - same)]
    head = before.encode(old[:first])
    return ChangedSpan(
        len(head), before.encode(old[first:stop]), before.encode(new[first : len(new) - len(old) + stop])
    )


def make_undo(
    edit: str,
    conversation: NumberedConversation,
    taken: MessageRange,
    change: ChangedSpan,
    edited: bytes,
    refs: tuple[str, str],
) -> Undo:
    """Return the record of an edit: ``refs`` are what was stored of the stretch and of the messages in it."""
    from ctxkit.core.compact.manifest import ByteOffsets  # only who writes a record pays for what compacts

    end = change.at + len(change.new)
    offset, action = ByteOffsets(conversation.transcript), {"remove": "dropped", "summarize": "summarized"}[edit]
    removed = [_describe_message(conversation, number, offset) for number in range(taken[0], taken[1] + 1)]
    changes = tuple({"action": action, "reason": "edit", **fields, "ref": refs[1]} for fields in removed)
    digest, tokens = sha256(edited[:end]).hexdigest(), conversation.sum_cost(*taken).tokens
    return Undo(
        edit, conversation.transcript.format.NAME, taken, tokens, change.at, len(change.new), digest, refs[0], changes
    )


def fits_conversation(undo: Undo, data: bytes, fetch: Callable[[str], bytes]) -> bool:
    """Tell whether an edit is what made a conversation what it is, whatever was added at its end since."""
    end = undo.at + undo.size
    if end > len(data) or sha256(data[:end]).hexdigest() != undo.digest:
        return False
    old = fetch(undo.ref)
    return not old or data[undo.at : undo.at + len(old)] != old


def restore_content(undo: Undo, data: bytes, old: bytes) -> bytes:
    """Return a conversation with what an edit took out, byte for byte as it was."""
    return data[: undo.at] + old + data[undo.at + undo.size :]


def _describe_message(conversation: NumberedConversation, number: int, offset: "ByteOffsets") -> dict[str, Any]:
    """Return what is known of a message that was taken out; lines and bytes are 1-based, inclusive."""
    from ctxkit.core.compact.manifest import ids_of

    record, transcript = conversation.path[number - 1], conversation.transcript
    raw = transcript.encode(transcript.get_raw(record))
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


def _count_common(first: str, second: str) -> int:
    """Return how many characters two texts have in common at their start."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
