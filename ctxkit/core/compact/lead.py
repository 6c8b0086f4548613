"""A summary and a request in one message: where roles must alternate, the one goes before the other."""

from collections.abc import Mapping
from typing import NamedTuple

from ctxkit.core.chat.message import Message
from ctxkit.core.chat.record import SYSTEM_ROLES, Place, Record
from ctxkit.core.context.summary import MARK, contents

SEAM = "\n\n[End of the summary; what follows was said by the user.]\n\n"


class Lead(NamedTuple):
    """Hold a message without the summary that stood before its words, and that summary."""

    record: Record
    place: Place
    page: str


def joined(page: str, words: str) -> str:
    """Return a summary with the words that it goes before."""
    return page.rstrip("\n") + SEAM + words


def lead_of(record: Record) -> Lead | None:
    """Return a message that begins with a summary parted from it, None for any other."""
    if not record.passages:
        return None
    passage = record.passages[0]
    head, seam, words = passage.text.partition(SEAM)
    if not seam or contents(head) is None:
        return None
    passages = (passage._replace(text=words), *record.passages[1:])
    entries = tuple(
        _without(entry, passage.text, words) if isinstance(entry, Message) else entry for entry in record.entries
    )
    return Lead(record._replace(passages=passages, entries=entries), passage.place, head)


def _without(message: Message, text: str, words: str) -> Message:
    """Return a message with the summary taken out of the part that holds it."""
    parts = tuple(part._replace(text=words) if part.text == text else part for part in message.parts)
    return message._replace(parts=parts)


def is_summary(record: Record) -> bool:
    """Tell whether an entry is nothing but a summary of what came before it."""
    if record.kind == "summary":
        return True
    first = next((part.text for message in record.messages for part in message.parts if part.kind == "text"), "")
    return MARK in first[: 2 * len(MARK)] and contents(record.words) is not None


def instructs(record: Record) -> bool:
    """Tell whether the system speaks in an entry, which then always stays."""
    return record.role in SYSTEM_ROLES and not is_summary(record)


def earlier(path: tuple[Record, ...], leads: Mapping[int, Lead]) -> str:
    """Return the page of the newest summary on a path, empty for none."""
    found = ""
    for record in path:
        if record.at in leads:
            found = contents(leads[record.at].page) or found
        elif is_summary(record):
            found = contents(record.words) or found
    return found
