"""The history of a session: entries of conversations as lines, and which of those a crash cut short."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ctxkit.core.chat.transcript import Transcript

SNIFFED = 64
"""Lines among which a history shows its format."""
_OUTSIDE = re.compile(r'("(?:[^"\\]|\\.)*")|[ \t\r\n]+', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


class Extent(NamedTuple):
    """Say how far a history reaches: in lines, those cut short among them, and in bytes."""

    lines: int = 0
    size: int = 0


class Appended(NamedTuple):
    """Say where lines were added: the 1-based number of the first, and how far the history reaches with them.

    ``torn`` is the number of a line that a crash had cut short right before them, 0 for none.
    """

    first: int
    extent: Extent
    torn: int = 0


class Line(NamedTuple):
    """Hold a line of a history, its newline left out; one that is not ``whole`` was cut short."""

    number: int
    data: bytes
    whole: bool = True


def lines_of(transcript: Transcript) -> list[bytes]:
    """Return every entry of a conversation as a line of UTF-8 without its newline, written as it was.

    Where an entry spans lines, the blanks between its values go; what has no JSON of its own is written as such.
    """
    return [_encoded(transcript, one_line(text)) for text in _texts(transcript)]


def other_format(values: Iterable[Any], transcript: Transcript) -> str:
    """Return the format of a history where it and a conversation cannot be read together, else nothing.

    ``values`` are the first of its lines; those of one API may look like those of another.
    """
    from ctxkit.core.chat.format import format_of

    new = transcript.format
    for value in values:
        if (old := format_of([value])) is not None:
            alike = old is new or new.claims(value) or any(old.claims(record.value) for record in transcript.records)
            return "" if alike else old.NAME
    return ""


def one_line(text: str) -> str:
    """Return a JSON value on one line; its values keep their text, but for newlines that stand inside strings."""
    if "\n" not in text:
        return text
    return _OUTSIDE.sub(lambda match: (match[1] or "").replace("\n", "\\n"), text)


def read(rows: Iterable[tuple[int, bytes]], parse: Callable[[bytes], Any]) -> Iterator[Line]:
    """Yield the lines among numbered rows that are not blank, and tell which of them hold no JSON object."""
    for number, row in rows:
        data = row.rstrip(b"\r\n")
        if data.strip():
            yield Line(number, data, _is_object(data, parse))


def torn(line: Line, path: str) -> str:
    """Return what to say of a line that was cut short, with the command that shows it."""
    return f"line {line.number:,} was cut short and is left out: sed -n {line.number}p {path} shows its bytes"


def _texts(transcript: Transcript) -> Iterator[str]:
    if transcript.syntax != "marked":
        yield from (transcript.raw(record) for record in transcript.records)
        return
    from ctxkit.core.chat.located import written

    yield from (written(record.value) for record in transcript.records)


def _encoded(transcript: Transcript, line: str) -> bytes:
    """Return a line in UTF-8: bytes that were none come back as they were, half a character of UTF-16 as an escape."""
    if transcript.encoding == "utf-8":
        return line.encode("utf-8", "surrogateescape")
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", line).encode()


def _is_object(data: bytes, parse: Callable[[bytes], Any]) -> bool:
    try:
        return isinstance(parse(data), dict)
    except ValueError:
        return False
