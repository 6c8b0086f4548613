"""The history of a session as lines, marks of its messages, and snapshots: the conversation after a compaction."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from ctxkit.core.errors import UsageError
from ctxkit.core.session.ledger import check_session_name
from ctxkit.core.store.label import make_held_ref
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


_REF = re.compile(rb"(?<![0-9A-Za-z])[0-9a-f]{12}(?:[0-9a-f]{4}|[0-9a-f]{52})?(?![0-9A-Za-z])")
"""A ref in its short form, in that of ctxkit 0.1.0, or in full (core/store/label.py)."""
KEPT_SNAPSHOTS = 10
"""Number of snapshots of a session that are kept, the newest one included."""


class Snapshot(NamedTuple):
    """A conversation for a resumed session: content, format, message count, and tokens with their method.

    It replaces the first ``covers`` of the session's history. ``created`` is in seconds since 1970. ``number`` is 1 for
    the newest snapshot of a session, 2 for the one before it.
    """

    session: str
    content: bytes
    format: str
    messages: int
    tokens: int
    method: str
    covers: HistoryExtent
    created: float = 0.0
    number: int = 1

    @property
    def name(self) -> str:
        """Return the name of the snapshot: the session, with the number of an earlier one."""
        return self.session if self.number == 1 else f"{self.session}@{self.number}"


class SnapshotStore(Protocol):
    """The last snapshots of each session."""

    def save(self, snapshot: Snapshot) -> Snapshot:
        """Save a snapshot with the current time as the session's newest one; return it."""

    def find(self, session: str, number: int = 1) -> Snapshot | None:
        """Return the newest snapshot of a session, or the one of a number from 2 on; None if it does not exist."""

    def earlier(self, session: str) -> list[Snapshot]:
        """Return the earlier snapshots of a session without their content, the newest first."""

    def all(self) -> list[Snapshot]:
        """Return the newest snapshot of every session without its content, the oldest first."""

    def remove(self, session: str) -> bool:
        """Remove all snapshots of a session; return whether there was one."""


def parse_snapshot_name(name: str) -> tuple[str, int]:
    """Return the session and the number in the name of a snapshot; raise UsageError if it is not a name.

    >>> parse_snapshot_name("s"), parse_snapshot_name("s@2")
    (('s', 1), ('s', 2))
    """
    session, mark, number = name.partition("@")
    if mark and not (number.isascii() and number.isdigit() and 0 < int(number[:4]) <= KEPT_SNAPSHOTS):
        raise UsageError(
            f"{name[:40]!r} is not the name of a snapshot",
            hint=f"S is the newest of session S, S@2 the one before it, up to S@{KEPT_SNAPSHOTS}",
        )
    return check_session_name(session), int(number) if mark else 1


def find_refs(content: bytes) -> set[str]:
    """Return the refs in a text, and words that look like refs, as make_held_ref returns them."""
    return {make_held_ref(ref.decode()) for ref in _REF.findall(content)}


def append_lines(transcript: Transcript, lines: Sequence[bytes]) -> bytes:
    """Return a conversation with lines of a history after its entries, in its own syntax."""
    if not lines:
        return transcript.encode(transcript.text)
    texts = [line.decode("utf-8", "surrogateescape") for line in lines]
    if transcript.syntax == "document":
        return transcript.encode(_append_to_document(transcript, texts))
    if transcript.syntax == "marked":
        return transcript.encode(_append_marked(transcript, texts))
    text, end = transcript.text, "\r\n" if "\r\n" in transcript.text else "\n"
    return transcript.encode(text + ("" if text.endswith("\n") else end) + "".join(line + end for line in texts))


def _append_marked(transcript: Transcript, texts: Sequence[str]) -> str:
    from json import loads

    from ctxkit.core.chat.branches import Change, apply_change

    return apply_change(transcript, Change(inserted={len(transcript.records): [loads(text) for text in texts]}))


def _append_to_document(transcript: Transcript, texts: Sequence[str]) -> str:
    """Return a document with values at the end of its list, in the layout of the existing values."""
    text, records, (begin, _) = transcript.text, transcript.records, transcript.inner
    if not records:
        return text[: begin + 1] + ",".join(texts) + text[begin + 1 :]
    first, stop = text[begin + 1 : records[0].start], records[-1].end
    between = text[records[-2].end : records[-1].start] if len(records) > 1 else f",{first}"
    return text[:stop] + "".join(between + value for value in texts) + text[stop:]
