"""One edit of a conversation: stores the removed messages, writes the rest, and records the undo."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from json import dumps, loads
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.chat.branches import Change, apply_change, find_active_path, relink_entries
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.model.message import Record
from ctxkit.core.chat.reading.transcript import Transcript, parse_changed
from ctxkit.core.chat.validity.invariants import Breach, find_breaches, find_change_breaches
from ctxkit.core.chat.validity.pairing import sender_of
from ctxkit.core.count.amount import Amount
from ctxkit.core.count.conversation import count_transcript
from ctxkit.core.edit.numbered_conversation import (
    SUMMARY_MARK,
    MessageRange,
    NumberedConversation,
    choose_range,
    format_range,
)
from ctxkit.core.errors import NotStoredError, UsageError
from ctxkit.core.store.label import Label, shorten_ref
from ctxkit.core.store.store_interface import Blob, Store, store_content
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.lines import measure_common_prefix
from ctxkit.core.text.quantity import PositionRange

if TYPE_CHECKING:
    from ctxkit.core.compact.manifest import ByteOffsets

SUMMARY_END = "\n\n[End of what stands for earlier messages.]\n\n"
"""The separator between a summary and the original text of the same message."""


class EditedConversation(NamedTuple):
    """A conversation after an edit, and the number of messages that it lost."""

    transcript: Transcript
    fewer: int


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
    record = _make_undo(kind, conversation, taken, change, StoredEdit(data, storable, old, ref))
    undo = _store_content(store, label._replace(tool=TOOL), [record.to_json()])
    return outcome._replace(ref=undo, refs=(undo, old, ref))


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
        if undo is not None and _fits_conversation(undo, data, lambda content_ref: _read_blob(store, content_ref)):
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
    from ctxkit.core.compact.trigger import leave_out_results  # only the setting never_store needs this import

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


def remove_messages(conversation: NumberedConversation, taken: MessageRange) -> EditedConversation:
    """Return a conversation without a range of its messages; raise UsageError if the rest would be invalid."""
    return _apply_checked(
        conversation, taken, relink_entries(conversation.transcript, Change(_find_entries(conversation, taken))), 0
    )


def summarize_messages(
    conversation: NumberedConversation, taken: MessageRange, text: str, ref: str
) -> EditedConversation:
    """Return a conversation with a summary in place of a range of its messages, which are stored under ``ref``.

    If the API requires alternating roles, or accepts no separate summary, the summary becomes part of a user message:
    before the text of the next one, or after that of the previous one. Raise UsageError if the rest would be invalid.
    """
    words = frame_summary(text, taken, ref)
    change = Change(_find_entries(conversation, taken))
    tries = [(_insert_summary(conversation, taken, change, words), 1)]
    if (host := _find_host(conversation, taken, words)) is not None:
        joined = relink_entries(conversation.transcript, change._replace(patches={host[0].at: [host[1]]}))
        tries.insert(0 if conversation.transcript.format.RULES.roles_alternate else 1, (joined, 0))
    return _try_changes(conversation, taken, tries)


def _try_changes(
    conversation: NumberedConversation, taken: MessageRange, tries: Sequence[tuple[Change, int]]
) -> EditedConversation:
    """Return the first change that leaves a valid conversation; raise the error of the first change if none does."""
    first_error: UsageError | None = None
    for change, new in tries:
        try:
            return _apply_checked(conversation, taken, change, new)
        except UsageError as error:
            first_error = first_error or error
    assert first_error is not None
    raise first_error


def frame_summary(text: str, taken: MessageRange, ref: str) -> str:
    """Return the text of a summary with the command that restores the messages, if they are stored."""
    hint = f"; ctxkit cache get {ref} prints them" if ref else ""
    return f"{SUMMARY_MARK} Messages {format_range(*taken)} stand here in short{hint}.\n\n{text.strip()}"


def _find_entries(conversation: NumberedConversation, taken: MessageRange) -> frozenset[int]:
    """Return the entries of a range and the earlier versions that they update, which would otherwise reappear."""
    records = conversation.path[taken[0] - 1 : taken[1]]
    ids = {record.link.id for record in records if record.link and record.link.is_update}
    earlier = (
        entry.at
        for entry in conversation.transcript.records
        if entry.link and entry.link.is_update and entry.link.id in ids
    )
    return frozenset({record.at for record in records}.union(earlier))


def _insert_summary(conversation: NumberedConversation, taken: MessageRange, change: Change, words: str) -> Change:
    """Return the change with a separate summary entry."""
    transcript, path = conversation.transcript, conversation.path
    first, neighbor = path[taken[0] - 1], next(iter((*path[taken[1] :], *path[: taken[0] - 1][-1:])), None)
    parent = first.link.parent or "" if first.link else ""
    # Entries without ids have no parents either; a nonempty text says only that earlier entries exist.
    parent_id = parent or (path[0].role if first.link and not first.link.id and taken[0] > 1 else "")
    key = sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    new = transcript.format.make_summary(words, "user", key, parent_id or None, neighbor.value if neighbor else None)
    change = change._replace(inserted={first.at: list(new)})
    name = transcript.format.make_id(key)
    return relink_entries(transcript, change, [record.at for record in path], {parent: name} if name else None)


def _find_host(conversation: NumberedConversation, taken: MessageRange, words: str) -> tuple[Record, ValuePatch] | None:
    """Return the user message next to a range that can include a summary, and its patch; None if there is none."""
    after = next((record for record in conversation.path[taken[1] :] if sender_of(record) != "system"), None)
    if after and sender_of(after) == "user" and after.passages:
        place, text = after.passages[0].place, after.passages[0].text
        return after, ValuePatch(place, words + SUMMARY_END + text)
    before = next(
        (record for record in reversed(conversation.path[: taken[0] - 1]) if sender_of(record) != "system"), None
    )
    if before and sender_of(before) == "user" and before.passages:
        place, text = before.passages[-1].place, before.passages[-1].text
        return before, ValuePatch(place, f"{text}\n\n{words}")
    return None


def _apply_checked(
    conversation: NumberedConversation, taken: MessageRange, change: Change, new: int
) -> EditedConversation:
    """Return a conversation after a change; raise UsageError if the change violates a rule."""
    before = conversation.transcript
    data = before.encode(apply_change(before, change))
    after = parse_changed(data, "the edited conversation", before)
    problems = [*find_change_breaches(before, after), *_find_new_breaches(find_breaches(before), find_breaches(after))]
    if problems:
        raise UsageError(f"without messages {format_range(*taken)}: {problems[0].message}", hint="take another range")
    fewer = taken[1] - taken[0] + 1 - new
    if len(find_active_path(after)) != len(conversation.path) - fewer:
        raise UsageError(
            f"without messages {format_range(*taken)} other messages would disappear or come back",
            hint="take another range",
        )
    return EditedConversation(after, fewer)


def _find_new_breaches(before: tuple[Breach, ...], after: tuple[Breach, ...]) -> list[Breach]:
    """Return the breaches in ``after`` that ``before`` does not contain as often."""
    known = Counter((breach.rule, breach.message) for breach in before)
    new_breaches = []
    for breach in after:
        known[breach.rule, breach.message] -= 1
        if known[breach.rule, breach.message] < 0:
            new_breaches.append(breach)
    return new_breaches


VERSION = 1
TOOL = "ctxkit edit"
"""The tool label of stored content, both for undo records and for removed content."""


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


def _make_undo(
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


def _fits_conversation(undo: Undo, data: bytes, fetch: Callable[[str], bytes]) -> bool:
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
