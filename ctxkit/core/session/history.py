"""The history of a session: conversation entries as lines, and detection of lines torn by a crash."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.text.json_value import JsonValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ctxkit.core.chat.reading.transcript import Transcript

SNIFFED_LINES = 64
"""Number of lines that determine the format of a history."""
_STRING_OR_BLANKS = re.compile(r'("(?:[^"\\]|\\.)*")|[ \t\r\n]+', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


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
    """Return the warning about a torn line, with the command that prints it."""
    return f"line {line.number:,} was cut short and is skipped: sed -n {line.number}p {path} shows its bytes"


def _entry_texts(transcript: Transcript) -> Iterator[str]:
    if transcript.syntax != "marked":
        yield from (transcript.get_raw(record) for record in transcript.records)
        return
    from ctxkit.core.chat.editing.json_patches import dump_json

    yield from (dump_json(record.value) for record in transcript.records)


def _encode_line(transcript: Transcript, line: str) -> bytes:
    """Return a line in UTF-8; invalid bytes are restored, and a lone UTF-16 surrogate becomes an escape."""
    if transcript.encoding == "utf-8":
        return line.encode("utf-8", "surrogateescape")
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", line).encode()


def _is_object(data: bytes, parse: Callable[[bytes], JsonValue]) -> bool:
    try:
        return isinstance(parse(data), dict)
    except ValueError:
        return False
