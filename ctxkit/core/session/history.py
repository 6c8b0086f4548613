"""The history of a session: conversation entries as lines, lines torn by a crash, and marks of messages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from ctxkit.core.text.json_value import SURROGATE, JsonValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from ctxkit.core.chat.model.message import Record
    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.text.lines import IndexedLines

SNIFFED_LINES = 64
"""Number of lines that determine the format of a history."""
_STRING_OR_BLANKS = re.compile(r'("(?:[^"\\]|\\.)*")|[ \t\r\n]+', re.DOTALL)


class HistoryExtent(NamedTuple):
    """The extent of a history in lines, including torn ones, and in bytes."""

    lines: int = 0
    size: int = 0


class AppendResult(NamedTuple):
    """The result of an append: the 1-based number of the first new line, and the new extent.

    ``torn_line`` is the number of the torn line right before the new lines, 0 for none.
    """

    first: int
    extent: HistoryExtent
    torn_line: int = 0


class Addition(NamedTuple):
    """One addition to a history: time (seconds since 1970), first line, number of lines, offset and size in bytes."""

    at: float
    first: int
    lines: int
    offset: int
    size: int


def parse_addition(row: str) -> Addition | None:
    """Return an addition from its row with a newline, or None if the row is incomplete."""
    fields = row.split(" ")
    if len(fields) != 5 or not row.endswith("\n"):
        return None
    try:
        return Addition(float(fields[0]), *map(int, fields[1:]))
    except ValueError:
        return None


class HistoryStore(Protocol):
    """The histories of sessions by name; one that does not exist has the extent None."""

    def path(self, name: str) -> str:
        """Return where the history of a session is, for messages."""

    def append(self, name: str, lines: Sequence[bytes]) -> AppendResult:
        """Append lines without newlines; add all or none."""

    def extent(self, name: str) -> HistoryExtent | None:
        """Return the number of lines and bytes of a history, or None if there is none."""

    def open(self, name: str) -> IndexedLines | None:
        """Return the current lines of a history, or None if there is none."""

    def read_after(self, name: str, start: HistoryExtent, end: HistoryExtent) -> Iterable[bytes]:
        """Return the lines of a history between two of its extents."""

    def additions(self, name: str) -> list[Addition]:
        """Return the recorded additions, in order."""

    def find_last_addition(self, name: str) -> Addition | None:
        """Return the last recorded addition."""

    def remove(self, name: str) -> bool:
        """Remove a history; return whether it existed."""

    def removal(self, name: str) -> AbstractContextManager[bool]:
        """Remove a history together with the session that the body removes; if that fails, keep both."""


class HistoryLine(NamedTuple):
    """A line of a history without its newline; a torn line is not ``complete``."""

    number: int
    data: bytes
    complete: bool = True


def encode_entries(transcript: Transcript) -> list[bytes]:
    """Return each entry of a conversation as a UTF-8 line without its newline, with its original text.

    An entry of several lines loses the blanks between its values. An entry without JSON is written as JSON.
    """
    return [_encode_line(transcript, join_json_line(text)) for text in _entry_texts(transcript)]


def find_format_conflict(values: Iterable[JsonValue], transcript: Transcript) -> str:
    """Return the format of a history if it conflicts with a conversation's format, otherwise an empty string.

    ``values`` are the first lines of the history. Formats of one API may accept each other's lines.
    """
    from ctxkit.core.chat.reading.format_registry import find_format

    new = transcript.format
    for value in values:
        if (old := find_format([value])) is not None:
            alike = (
                old is new
                or new.is_format_of(value)
                or any(old.is_format_of(record.value) for record in transcript.records)
            )
            return "" if alike else old.NAME
    return ""


def join_json_line(text: str) -> str:
    """Return a JSON value on one line; the text of its values changes only in newlines inside strings."""
    if "\n" not in text:
        return text
    return _STRING_OR_BLANKS.sub(lambda match: (match[1] or "").replace("\n", "\\n"), text)


def read_lines(rows: Iterable[tuple[int, bytes]], parse: Callable[[bytes], JsonValue]) -> Iterator[HistoryLine]:
    """Yield the lines that are not blank; a line that is not a JSON object is not ``complete``."""
    for number, row in rows:
        data = row.rstrip(b"\r\n")
        if data.strip():
            yield HistoryLine(number, data, _is_object(data, parse))


def describe_torn_line(line: HistoryLine, path: str) -> str:
    """Return the warning about a torn line, with the command that prints it; ``path`` is a shell word, "" for none."""
    command = f": sed -n {line.number}p {path} shows its bytes" if path else ""
    return f"line {line.number:,} was cut short and is skipped{command}"


def _entry_texts(transcript: Transcript) -> Iterator[str]:
    if transcript.syntax != "marked":
        yield from (transcript.get_raw(record) for record in transcript.records)
        return
    from ctxkit.core.chat.editing import dump_json

    yield from (dump_json(record.value) for record in transcript.records)


def _encode_line(transcript: Transcript, line: str) -> bytes:
    """Return a line in UTF-8; invalid bytes are restored, and a lone UTF-16 surrogate becomes an escape."""
    if transcript.encoding == "utf-8":
        return line.encode("utf-8", "surrogateescape")
    return SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", line).encode()


def _is_object(data: bytes, parse: Callable[[bytes], JsonValue]) -> bool:
    try:
        return isinstance(parse(data), dict)
    except ValueError:
        return False


ContextMark = Literal["keep", "removable"]
MARKS: tuple[ContextMark, ...] = ("keep", "removable")
"""All marks."""


class MarkedMessages(NamedTuple):
    """The digests of the messages of a session with each mark."""

    kept: frozenset[str] = frozenset()
    removable: frozenset[str] = frozenset()


class MarkStore(Protocol):
    """The marks of the messages of sessions."""

    def find(self, session: str) -> dict[str, str]:
        """Return the mark of each marked message by its digest."""

    def set_mark(self, session: str, digests: Iterable[str], mark: ContextMark) -> None:
        """Mark messages; a new mark replaces an older one."""


def digest_message(transcript: Transcript, record: Record) -> str:
    """Return what identifies a message in the history and in a snapshot: the hash of its bytes on one line."""
    from hashlib import sha256  # only a session with marks needs it

    return sha256(transcript.encode(join_json_line(transcript.get_raw(record)))).hexdigest()


def group_marks(marks: Mapping[str, str]) -> MarkedMessages:
    """Return the marked messages; ``marks`` gives the mark of each digest."""
    return MarkedMessages(
        frozenset(digest for digest, mark in marks.items() if mark == "keep"),
        frozenset(digest for digest, mark in marks.items() if mark == "removable"),
    )


def find_kept_texts(transcript: Transcript, marked: MarkedMessages, longest: int) -> Iterator[str]:
    """Yield the texts of the kept messages, of at most ``longest`` characters, that a summary must repeat."""
    for record in transcript.records if marked.kept else ():
        text = record.words.strip()
        if text and len(text) <= longest and digest_message(transcript, record) in marked.kept:
            yield text
