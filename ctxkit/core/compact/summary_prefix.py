"""A summary and a request in one message: where roles must alternate, the one goes before the other."""

from collections.abc import Mapping
from typing import NamedTuple

from ctxkit.core.chat.model.message import ChatMessage
from ctxkit.core.chat.model.record import SYSTEM_ROLES, Place, Record
from ctxkit.core.context.summary import SUMMARY_MARK, unframe_page

SEPARATOR = "\n\n[End of the summary; what follows was said by the user.]\n\n"


class SummaryPrefix(NamedTuple):
    """Hold a message without the summary that stood before its words, and that summary."""

    record: Record
    place: Place
    page: str


def prepend_summary(page: str, words: str) -> str:
    """Return a summary with the words that it goes before."""
    return page.rstrip("\n") + SEPARATOR + words


def split_prefix(record: Record) -> SummaryPrefix | None:
    """Return a message that begins with a summary parted from it, None for any other."""
    if not record.passages:
        return None
    passage = record.passages[0]
    head, separator, words = passage.text.partition(SEPARATOR)
    if not separator or unframe_page(head) is None:
        return None
    passages = (passage._replace(text=words), *record.passages[1:])
    entries = tuple(
        _strip_summary(entry, passage.text, words) if isinstance(entry, ChatMessage) else entry
        for entry in record.entries
    )
    return SummaryPrefix(record._replace(passages=passages, entries=entries), passage.place, head)


def _strip_summary(message: ChatMessage, text: str, words: str) -> ChatMessage:
    """Return a message with the summary taken out of the part that holds it."""
    parts = tuple(part._replace(text=words) if part.text == text else part for part in message.parts)
    return message._replace(parts=parts)


def is_summary(record: Record) -> bool:
    """Tell whether an entry is nothing but a summary of what came before it."""
    if record.kind == "summary":
        return True
    first = next((part.text for message in record.messages for part in message.parts if part.kind == "text"), "")
    return SUMMARY_MARK in first[: 2 * len(SUMMARY_MARK)] and unframe_page(record.words) is not None


def is_instruction(record: Record) -> bool:
    """Tell whether the system speaks in an entry, which then always stays."""
    return record.role in SYSTEM_ROLES and not is_summary(record)


def find_summary_page(path: tuple[Record, ...], prefixes: Mapping[int, SummaryPrefix]) -> str:
    """Return the page of the newest summary on a path, empty for none."""
    page = ""
    for record in path:
        if record.at in prefixes:
            page = unframe_page(prefixes[record.at].page) or page
        elif is_summary(record):
            page = unframe_page(record.words) or page
    return page
