"""One edit of a conversation: what is taken out is stored first, then the rest is written, then how to undo it."""

from collections.abc import Iterable
from typing import NamedTuple

from ctxkit.core.chat.transcript import Transcript
from ctxkit.core.count.amount import Amount
from ctxkit.core.count.conversation import weight
from ctxkit.core.edit.choice import Range, chosen
from ctxkit.core.edit.numbered import Numbered
from ctxkit.core.edit.removal import removed, summarized
from ctxkit.core.edit.undo import TOOL, Undo, cut, read, restored, suits, undo_of
from ctxkit.core.label import Label
from ctxkit.core.ref import short
from ctxkit.core.span import Span
from ctxkit.core.store import Blob, Store, keep
from ctxkit.core.trouble import NotHeld


class Outcome(NamedTuple):
    """Hold an edited conversation: its bytes, which messages went, and what the whole took before and after.

    ``ref`` names the record of the edit, by which it is undone, ``refs`` all that was stored; empty without a store.
    """

    data: bytes
    taken: Range
    before: Amount
    after: Amount
    fewer: int
    ref: str = ""
    refs: tuple[str, ...] = ()


def edited(
    found: Numbered, span: Span, store: Store | None, label: Label, *, text: str | None = None, expand: bool = False
) -> Outcome:
    """Return a conversation without a range of its messages, or with a ``text`` in its place.

    What leaves is stored first. Raises Misuse or NotHeld where the range may not go, IOFailed or OSError where it
    cannot be stored.
    """
    taken = chosen(found, span, expand=expand, replaced=text is not None)
    ref = _stored(store, label, _messages(found, taken)) if store else ""
    made = removed(found, taken) if text is None else summarized(found, taken, text, short(ref))
    data = made.transcript.encoded(made.transcript.text)
    outcome = Outcome(data, taken, found.total, weight(made.transcript, found.order)[0], made.fewer)
    if store is None:
        return outcome
    change = cut(found.transcript, made.transcript)
    old = _stored(store, label, [change.old])
    record = undo_of("remove" if text is None else "summarize", found, taken, change, data, (old, ref))
    undo = _stored(store, label._replace(tool=TOOL), [record.written()])
    return outcome._replace(ref=undo, refs=(undo, old, ref))


def undone(data: bytes, store: Store, ref: str = "") -> tuple[bytes, Undo]:
    """Return a conversation as it was before its last edit, or before the edit whose record is ``ref``.

    Raises NotHeld where no edit is known that led to it, or what it took out is not stored any more.
    """
    for found in [ref] if ref else _records(store):
        undo = read(_whole(store, found))
        if undo is None and ref:
            raise NotHeld(f"{short(ref)} is no record of an edit", hint="ctxkit cache list shows those there are")
        if undo is not None and suits(undo, data, lambda wanted: _whole(store, wanted)):
            return restored(undo, data, _whole(store, undo.ref)), undo
    what = f"the edit {short(ref)} is not what led to it" if ref else "no edit is known that led to it"
    raise NotHeld(what, hint="only what stands after the edited part may have changed since")


def _records(store: Store) -> list[str]:
    """Return the records of edits, the newest first."""
    blobs: Iterable[Blob] = (blob for blob in store.blobs() if blob.label.tool == TOOL)
    return [blob.ref for blob in sorted(blobs, key=lambda blob: (-blob.created, blob.ref))]


def _messages(found: Numbered, taken: Range) -> list[bytes]:
    """Return the messages of a range as they are written, one after the other."""
    transcript: Transcript = found.transcript
    records = found.path[taken[0] - 1 : taken[1]]
    return [transcript.encoded(transcript.raw(record) + "\n") for record in records]


def _stored(store: Store, label: Label, content: list[bytes]) -> str:
    return keep(store, content, label)


def _whole(store: Store, ref: str) -> bytes:
    held = store.open(ref)
    return held.read(0, held.lines.size)
