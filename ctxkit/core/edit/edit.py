"""One edit of a conversation: stores the removed messages, writes the rest, and records the undo."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.count.amount import Amount
from ctxkit.core.count.conversation import count_transcript
from ctxkit.core.edit.message_range import MessageRange, choose_range
from ctxkit.core.edit.numbered_conversation import NumberedConversation
from ctxkit.core.edit.removal import remove_messages, summarize_messages
from ctxkit.core.edit.undo import (
    TOOL,
    StoredEdit,
    Undo,
    find_changed_span,
    fits_conversation,
    make_undo,
    parse_undo,
    restore_content,
)
from ctxkit.core.errors import NotStoredError
from ctxkit.core.store.label import Label, shorten_ref
from ctxkit.core.store.store_interface import Blob, Store, store_content
from ctxkit.core.text.spans import PositionRange


class EditOutcome(NamedTuple):
    """An edited conversation: its bytes, the removed range, and its token counts before and after.

    ``ref`` is the ref of the undo record, ``refs`` are all stored refs; both are empty without a store. ``messages`` is
    the number of messages after the edit.
    """

    data: bytes
    taken: MessageRange
    before: Amount
    after: Amount
    fewer: int
    ref: str = ""
    refs: tuple[str, ...] = ()
    messages: int = 0


class MessageEdit(NamedTuple):
    """A range of messages that are removed, more than it if need be to ``expand`` it, and the text in their place."""

    span: PositionRange
    text: str | None = None
    expand: bool = False


def edit_conversation(
    conversation: NumberedConversation,
    edit: MessageEdit,
    store: Store | None,
    label: Label,
    is_unstored: Callable[[str], bool] | None = None,
) -> EditOutcome:
    """Return a conversation without a range of its messages, or with a text in their place.

    The removed messages are stored first, without the output of scripts that ``is_unstored``. Raise UsageError or
    NotStoredError if the range cannot be removed, and InputOutputError or OSError if it cannot be stored.
    """
    text = edit.text
    taken = choose_range(conversation, edit.span, expand=edit.expand, replaced=text is not None)
    storable = _leave_out(conversation.transcript, is_unstored) if store else conversation.transcript
    ref = _store_content(store, label, _encode_messages(conversation, storable, taken)) if store else ""
    edited = (
        remove_messages(conversation, taken)
        if text is None
        else summarize_messages(conversation, taken, text, shorten_ref(ref))
    )
    data = edited.transcript.encode(edited.transcript.text)
    after, messages = count_transcript(edited.transcript, conversation.order, conversation.counter)
    outcome = EditOutcome(data, taken, conversation.total, after, edited.fewer, messages=messages)
    if store is None:
        return outcome
    change = find_changed_span(conversation.transcript, edited.transcript, storable)
    old = _store_content(store, label, [change.old])
    kind = "remove" if text is None else "summarize"
    record = make_undo(kind, conversation, taken, change, StoredEdit(data, storable, old, ref))
    undo = _store_content(store, label._replace(tool=TOOL), [record.to_json()])
    return outcome._replace(ref=undo, refs=(undo, old, ref))


def undo_edit(data: bytes, store: Store, ref: str = "") -> tuple[bytes, Undo]:
    """Return a conversation before its last edit, or before the edit with the record ``ref``, and that record.

    Raise NotStoredError if no known edit produced the conversation, or if the removed content is no longer stored.
    """
    for edit_ref in [ref] if ref else _list_edits(store):
        undo = parse_undo(_read_blob(store, edit_ref))
        if undo is None and ref:
            raise NotStoredError(
                f"{shorten_ref(ref)} is not the record of an edit", hint="ctxkit cache list shows all content"
            )
        if undo is not None and fits_conversation(undo, data, lambda content_ref: _read_blob(store, content_ref)):
            return restore_content(undo, data, _read_blob(store, undo.ref)), undo
    what = (
        f"the edit {shorten_ref(ref)} does not belong to this conversation"
        if ref
        else "no stored edit belongs to this conversation"
    )
    raise NotStoredError(what, hint="only messages after the edited part may have changed since the edit")


def _list_edits(store: Store) -> list[str]:
    """Return the refs of edit records, newest first."""
    blobs: Iterable[Blob] = (blob for blob in store.blobs() if blob.label.tool == TOOL)
    return [blob.ref for blob in sorted(blobs, key=lambda blob: (-blob.created, blob.ref))]


def _leave_out(transcript: Transcript, is_unstored: Callable[[str], bool] | None) -> Transcript:
    """Return a conversation as it may be stored."""
    if is_unstored is None:
        return transcript
    from ctxkit.core.compact.unstored import leave_out_results  # only the setting never_store needs this import

    return leave_out_results(transcript, is_unstored).transcript


def _encode_messages(conversation: NumberedConversation, storable: Transcript, taken: MessageRange) -> list[bytes]:
    """Return the raw messages of a range in order, as they may be stored."""
    records = [storable.records[record.at] for record in conversation.path[taken[0] - 1 : taken[1]]]
    return [storable.encode(storable.get_raw(record) + "\n") for record in records]


def _store_content(store: Store, label: Label, content: list[bytes]) -> str:
    return store_content(store, content, label)


def _read_blob(store: Store, ref: str) -> bytes:
    stored = store.open(ref)
    return stored.read(0, stored.lines.size)
