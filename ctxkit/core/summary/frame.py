"""The summary entry of a conversation: its mark, its page, and a request in the same message."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from ctxkit.core.chat.model.message import SYSTEM_ROLES, ChatMessage, Place, Record
from ctxkit.core.hosts.message_wrappers import INSTRUCTIONS
from ctxkit.core.text.json_value import replace_surrogates

SUMMARY_MARK = "[ctxkit summary]"
"""The beginning of a summary entry, by which the next compaction recognizes it."""
_SUMMARY_HEAD = re.compile(rf"\s*{re.escape(SUMMARY_MARK)}[^\n]*\n+(?=# Context\s*$)", re.MULTILINE)
_READ = "To read these messages:"
_READ_LINE = re.compile(rf"\n{{0,2}}^\[{_READ} [^\n]*\]$", re.MULTILINE)


def frame_page(text: str, reader: str) -> str:
    """Return the text of a summary entry; ``reader`` is what reads the stored messages, "" if they are not stored.

    It stands behind the page, which often stays the same in the next compaction: a prompt cache keeps what comes first.

    >>> frame_page("# Context\\n", "ctxkit cache get 3f9a2c81d0b47e65").splitlines()[-1]
    '[To read these messages: ctxkit cache get 3f9a2c81d0b47e65]'
    """
    line = f"\n[{_READ} {reader}]\n" if reader else ""
    return replace_surrogates(f"{SUMMARY_MARK} Earlier messages stand here in short.\n\n{text.strip()}\n{line}")


def unframe_page(words: str) -> str | None:
    """Return the page in the text of a summary entry, None for any other text."""
    if not words.lstrip().startswith(SUMMARY_MARK):
        return None
    match = _SUMMARY_HEAD.match(words)
    return _READ_LINE.sub("", words[match.end() :], count=1) if match else None


_SEPARATOR = "\n\n[End of the summary; what follows was said by the user.]\n\n"
_SUFFIX_SEPARATOR = "\n\n[End of what the user said; a summary follows.]\n\n"


class SummaryPrefix(NamedTuple):
    """A message without the summary before or behind its words, the place of these, and that summary."""

    record: Record
    place: Place
    page: str


def prepend_summary(page: str, words: str) -> str:
    """Return a summary followed by the words of the message that it precedes."""
    return page.rstrip("\n") + _SEPARATOR + words


def append_summary(words: str, page: str) -> str:
    """Return the words of a message followed by a summary."""
    return words + _SUFFIX_SEPARATOR + page.rstrip("\n")


def split_prefix(record: Record) -> SummaryPrefix | None:
    """Return a message separated from the summary before or behind its words, or None if it has none."""
    if not record.passages:
        return None
    passage = record.passages[0]
    head, separator, words = passage.text.partition(_SEPARATOR)
    if not separator or unframe_page(head) is None:
        passage = record.passages[-1]
        words, separator, head = passage.text.rpartition(_SUFFIX_SEPARATOR)
    if not separator or unframe_page(head) is None:
        return None
    passages = tuple(item._replace(text=words) if item == passage else item for item in record.passages)
    entries = tuple(
        _strip_summary(entry, passage.text, words) if isinstance(entry, ChatMessage) else entry
        for entry in record.entries
    )
    return SummaryPrefix(record._replace(passages=passages, entries=entries), passage.place, head)


def _strip_summary(message: ChatMessage, text: str, words: str) -> ChatMessage:
    """Return a message whose part equal to ``text`` contains only ``words``."""
    parts = tuple(part._replace(text=words) if part.text == text else part for part in message.parts)
    return message._replace(parts=parts)


def is_summary(record: Record) -> bool:
    """Return whether an entry contains only a summary of earlier messages."""
    if record.kind == "summary":
        return True
    for message in record.messages:
        for part in message.parts:
            if part.kind == "text":
                marked = SUMMARY_MARK in part.text[: 2 * len(SUMMARY_MARK)]
                return marked and unframe_page(record.words) is not None
    return False


def is_instruction(record: Record) -> bool:
    """Return whether an entry holds instructions, which a compaction always keeps: a system message, or what a host
    writes with the role of the user at the beginning of a session.
    """
    if record.role == "user" and not record.results and record.words.lstrip().startswith(INSTRUCTIONS):
        return not is_summary(record)
    return record.role in SYSTEM_ROLES and not is_summary(record)


def find_summary_page(path: tuple[Record, ...], prefixes: Mapping[int, SummaryPrefix]) -> str:
    """Return the page of the newest summary on a path, empty if there is none."""
    page = ""
    for record in path:
        if record.at in prefixes:
            page = unframe_page(prefixes[record.at].page) or page
        elif is_summary(record):
            page = unframe_page(record.words) or page
    return page
