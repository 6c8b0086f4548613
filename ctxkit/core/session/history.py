"""The history of a session: entries of conversations as lines, and which of those a crash cut short."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ctxkit.core.chat.reading.transcript import Transcript

SNIFFED_LINES = 64
"""Lines among which a history shows its format."""
_STRING_OR_BLANKS = re.compile(r'("(?:[^"\\]|\\.)*")|[ \t\r\n]+', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


class HistoryExtent(NamedTuple):
    """Say how far a history reaches: in lines, those cut short among them, and in bytes."""

    lines: int = 0
    size: int = 0


class AppendResult(NamedTuple):
    """Say where lines were added: the 1-based number of the first, and how far the history reaches with them.

    ``torn_line`` is the number of a line that a crash had cut short right before them, 0 for none.
    """

    first: int
    extent: HistoryExtent
    torn_line: int = 0


class HistoryLine(NamedTuple):
    """Hold a line of a history, its newline left out; one that is not ``complete`` was cut short."""

    number: int
    data: bytes
    complete: bool = True


def encode_entries(transcript: Transcript) -> list[bytes]:
    """Return every entry of a conversation as a line of UTF-8 without its newline, written as it was.

    Where an entry spans lines, the blanks between its values go; what has no JSON of its own is written as such.
    """
    return [_encode_line(transcript, join_json_line(text)) for text in _entry_texts(transcript)]


def find_format_conflict(values: Iterable[Any], transcript: Transcript) -> str:
    """Return the format of a history where it and a conversation cannot be read together, else nothing.

    ``values`` are the first of its lines; those of one API may look like those of another.
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
    """Return a JSON value on one line; its values keep their text, but for newlines that stand inside strings."""
    if "\n" not in text:
        return text
    return _STRING_OR_BLANKS.sub(lambda match: (match[1] or "").replace("\n", "\\n"), text)


def read_lines(rows: Iterable[tuple[int, bytes]], parse: Callable[[bytes], Any]) -> Iterator[HistoryLine]:
    """Yield the lines among numbered rows that are not blank, and tell which of them hold no JSON object."""
    for number, row in rows:
        data = row.rstrip(b"\r\n")
        if data.strip():
            yield HistoryLine(number, data, _is_object(data, parse))


def describe_torn_line(line: HistoryLine, path: str) -> str:
    """Return what to say of a line that was cut short, with the command that shows it."""
    return f"line {line.number:,} was cut short and is skipped: sed -n {line.number}p {path} shows its bytes"


def _entry_texts(transcript: Transcript) -> Iterator[str]:
    if transcript.syntax != "marked":
        yield from (transcript.get_raw(record) for record in transcript.records)
        return
    from ctxkit.core.chat.editing.json_patches import dump_json

    yield from (dump_json(record.value) for record in transcript.records)


def _encode_line(transcript: Transcript, line: str) -> bytes:
    """Return a line in UTF-8: bytes that were none come back as they were, half a character of UTF-16 as an escape."""
    if transcript.encoding == "utf-8":
        return line.encode("utf-8", "surrogateescape")
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", line).encode()


def _is_object(data: bytes, parse: Callable[[bytes], Any]) -> bool:
    try:
        return isinstance(parse(data), dict)
    except ValueError:
        return False
