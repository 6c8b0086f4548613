"""Removal of a range of messages, and replacement with a summary."""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from ctxkit.core.chat.branches.active_path import find_active_path
from ctxkit.core.chat.branches.relinking import relink_entries
from ctxkit.core.chat.branches.rewrite import Change, apply_change
from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.model.record import Record
from ctxkit.core.chat.reading.transcript import Transcript, parse_changed
from ctxkit.core.chat.validity.change_invariants import find_change_breaches
from ctxkit.core.chat.validity.invariants import Breach, find_breaches
from ctxkit.core.chat.validity.turns import sender_of
from ctxkit.core.edit.message_range import MessageRange, format_range
from ctxkit.core.edit.numbered_conversation import SUMMARY_MARK, NumberedConversation
from ctxkit.core.errors import UsageError

SUMMARY_END = "\n\n[End of what stands for earlier messages.]\n\n"
"""The separator between a summary and the original text of the same message."""


class EditedConversation(NamedTuple):
    """A conversation after an edit, and the number of messages that it lost."""

    transcript: Transcript
    fewer: int


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
