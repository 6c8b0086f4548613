"""Opening of content as a conversation if it is one: a JSON document, JSON lines, or ChatML."""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ctxkit.core.chat.formats import chatml
from ctxkit.core.chat.model.message import ChatEntry
from ctxkit.core.chat.reading.format_names import MEMBERS
from ctxkit.core.chat.reading.format_registry import (
    SAMPLE_CHARACTERS,
    ConversationFormat,
    find_format,
    find_unread_format,
    find_unread_text,
    make_unread_error,
)
from ctxkit.core.chat.reading.transcript import read_document
from ctxkit.core.chat.reading.unread_format_table import UnreadFormat
from ctxkit.core.errors import MalformedInputError
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.limits import COUNTED_DOCUMENT as DOCUMENT
from ctxkit.core.text.lines import split_lines
from ctxkit.core.text.positions import InvalidJsonError, JsonTooDeepError, decode_value, read_stream
from ctxkit.core.text.stream import PeekableStream
from ctxkit.core.tokens.token_count import decode_chunks, detect_encoding

Parse = Callable[[bytes], JsonValue]
"""Function that returns the value of a JSON text in UTF-8; it raises ValueError, with ``lineno`` if known."""
_SAMPLE_BYTES = 64 << 10
"""Number of bytes that determine the type of content."""
_SAMPLE_LINES = 64
"""Number of lines that determine the format of a session: some begin with many lines that are not messages."""
_TOO_LONG = f"over {DOCUMENT >> 20} MB, and not JSON lines: counted as text"
_MARK = re.compile(rf'"(?:{"|".join(MEMBERS)})"\s*:'.encode())
_ROLE = re.compile(rb'"role"\s*:\s*"(?:system|developer|user|assistant|tool|model)"')


class OpenedContent(NamedTuple):
    """The entries of a conversation; content without a format is text, in ``chunks``.

    ``doubt`` says why text may have been intended as a conversation. ``unread`` is the format of a conversation that
    ctxkit knows and does not read. Once the entries are read, ``bad_lines`` has the numbers of the lines that could not
    be.
    """

    format: ConversationFormat | None
    entries: Iterator[ChatEntry]
    chunks: Iterator[bytes]
    doubt: str = ""
    bad_lines: Sequence[int] = ()
    unread: UnreadFormat | None = None


def open_content(
    chunks: Iterable[bytes],
    parse: Parse,
    name: str,
    given_format: ConversationFormat | None = None,
    *,
    skip_bad: bool = False,
) -> OpenedContent:
    """Return content as a conversation in ``given_format`` or in a detected format, otherwise as text.

    Entries are read lazily. Iteration raises MalformedInputError, with ``name`` and the 1-based line, if the content of
    a conversation is invalid; a last line that is cut off, and with ``skip_bad`` any invalid line, is left out.
    """
    stream = chunks if isinstance(chunks, PeekableStream) else PeekableStream(chunks)
    head = stream.peek(_SAMPLE_BYTES)
    if detect_encoding(head) != "utf-8":
        data = b"".join(stream.drain())
        plain = (text.encode("utf-8", "replace") for text in decode_chunks([data]))
        content = open_content(plain, parse, name, given_format, skip_bad=skip_bad)
        return content if content.format else content._replace(chunks=iter([data]))
    start = _strip_start(head)[:1]
    if given_format is chatml or (given_format is None and _strip_start(head).startswith(chatml.START.encode())):
        return _open_chatml(stream, name, given_format)
    if given_format is None and not (start in (b"{", b"[") and _MARK.search(head)):
        return _open_unread(stream, find_unread_text(_strip_start(head)[:SAMPLE_CHARACTERS].decode("utf-8", "replace")))
    return _open_json(stream, _ReadOptions(parse, name, given_format, skip_bad))


def _strip_start(data: bytes) -> bytes:
    return data.removeprefix(codecs.BOM_UTF8).lstrip()


def _open_text(stream: PeekableStream, doubt: str = "") -> OpenedContent:
    return OpenedContent(None, iter(()), stream.drain(), doubt)


def _open_unread(stream: PeekableStream, unread: UnreadFormat | None) -> OpenedContent:
    """Open content as text; ``unread`` is its format if that is known."""
    content = _open_text(stream)
    if unread is None:
        return content
    return content._replace(doubt=f"it is {unread.name}, which ctxkit does not read: counted as text", unread=unread)


def make_unrecognized_error(name: str, content: OpenedContent) -> MalformedInputError:
    """Return the error for text where a conversation is needed; ``name`` is that of the content."""
    if content.unread:
        return make_unread_error(name, content.unread)
    return MalformedInputError(f"{name}: no conversation is recognized", hint="--format names the format")


def _parse_value(data: bytes, parse: Parse) -> JsonValue:
    return parse(data.removeprefix(codecs.BOM_UTF8))


def _open_chatml(stream: PeekableStream, name: str, given_format: ConversationFormat | None) -> OpenedContent:
    words = stream.peek(DOCUMENT).removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
    if not stream.ended:
        return _open_text(stream, _TOO_LONG)
    if not (given_format or chatml.is_format_of(words)):
        return _open_text(stream)
    return OpenedContent(chatml, _read_values(chatml, [(1, words)], name), iter(()))


class _ReadOptions(NamedTuple):
    """How content is read: the parser, the name of its source, the format if one is given, and ``skip_bad``."""

    parse: Parse
    name: str
    given_format: ConversationFormat | None
    skip_bad: bool


def _open_json(stream: PeekableStream, reading: _ReadOptions) -> OpenedContent:
    """Open content as JSON lines if its first line is a value and more lines follow, otherwise as a document."""
    parse, name, given_format, _ = reading
    line = stream.single_line(DOCUMENT)
    rows = iter([(1, line)]) if line else split_lines(_limit_size(stream))
    value = _try_parse(next(rows, (1, b""))[1], parse)
    if value is not None and next(rows, None) is not None:
        return _open_lines(stream, reading)
    if value is None:
        data = stream.peek(DOCUMENT)
        if not stream.ended:
            return _open_text(stream, _TOO_LONG)
        try:
            value = _parse_value(data, parse)
        except ValueError as error:
            return _open_broken_json(stream, reading, error)
    format_ = given_format or find_format([value])
    if format_ is None:
        return _open_unread(stream, find_unread_format([value]))
    return OpenedContent(format_, _read_values(format_, [(1, value)], name), iter(()))


def _limit_size(stream: PeekableStream) -> Iterator[bytes]:
    """Yield content up to the maximum size of a document."""
    for chunk in stream:
        yield chunk
        if stream.size > DOCUMENT:
            return


def _open_lines(stream: PeekableStream, reading: _ReadOptions) -> OpenedContent:
    sample = [_try_parse(line, reading.parse) for _, line in islice(split_lines(_limit_size(stream)), _SAMPLE_LINES)]
    values = [value for value in sample if value is not None]
    format_ = reading.given_format or find_format(values)
    if format_ is None:
        return _open_unread(stream, find_unread_format(values))
    bad_lines: list[int] = []
    entries = _read_lines(format_, split_lines(stream.drain()), reading, bad_lines)
    return OpenedContent(format_, entries, iter(()), bad_lines=bad_lines)


def _open_broken_json(stream: PeekableStream, reading: _ReadOptions, error: ValueError) -> OpenedContent:
    """Open an invalid document as JSON lines if most lines are objects, otherwise as text.

    Raise MalformedInputError if a format is given and most lines are not objects.
    """
    sample = [_try_parse(line, reading.parse) for _, line in islice(split_lines(_limit_size(stream)), _SAMPLE_LINES)]
    objects = [value for value in sample if isinstance(value, dict)]
    if 2 * len(objects) > len(sample):
        return _open_lines(stream, reading)
    line = getattr(error, "lineno", 0)
    where = f"line {line}" if line else "it"
    if reading.given_format is not None:
        raise MalformedInputError(f"{reading.name}: {where} is not JSON: {_get_reason(error)}")
    if "fit in memory" in _get_reason(error):
        return _open_text(stream, f"{_get_reason(error)}: counted as text")
    return _open_text(
        stream, f"{where} is not JSON: counted as text" if _ROLE.search(stream.peek(0)[:_SAMPLE_BYTES]) else ""
    )


def _try_parse(line: bytes, parse: Parse) -> JsonValue:
    try:
        return _parse_value(line, parse)
    except ValueError:
        return None


def _read_lines(
    format_: ConversationFormat, rows: Iterator[tuple[int, bytes]], reading: _ReadOptions, bad_lines: list[int]
) -> Iterator[ChatEntry]:
    """Yield the entries of lines; add the numbers of lines that are left out to ``bad_lines``."""
    for number, line in rows:
        try:
            values = [_parse_value(line, reading.parse)]
        except ValueError as error:
            values = _read_joined_values(line, reading.name)
            if not values and not reading.skip_bad and not (line.startswith(b"{") and not line.endswith(b"\n")):
                hint = "--skip-bad leaves such lines out"
                message = f"{reading.name}: line {number} is not JSON: {_get_reason(error)}"
                raise MalformedInputError(message, hint=hint) from None
            if not values:
                bad_lines.append(number)
        yield from _read_values(format_, ((number, value) for value in values), reading.name)


def _read_joined_values(line: bytes, name: str) -> list[JsonValue]:
    """Return the values of a line that two programs wrote at once, none if something else is in it."""
    try:
        return [row.value for row in read_stream(line.decode("utf-8", "replace"), 0, name)]
    except MalformedInputError:
        return []


def _get_reason(error: ValueError) -> str:
    """Return the reason why a text is not JSON, without the position that a parser appends."""
    return str(getattr(error, "msg", error)).removesuffix(" starting at")


def _read_values(
    format_: ConversationFormat, values: Iterable[tuple[int, JsonValue]], name: str
) -> Iterator[ChatEntry]:
    for number, value in values:
        try:
            yield from read_document(format_, value)
        except ValueError as error:
            raise MalformedInputError(
                f"{name}: line {number}: {error}", hint=f"ctxkit reads it as {format_.NAME}"
            ) from None


_SIDECHAIN = re.compile(rb'(?<!\\)"isSidechain"[ \t]*:[ \t]*true')


class MainLines:
    """The lines of a session in pieces, without those of subagents; ``left_out`` counts their lines and bytes."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks
        self.left_out = (0, 0)

    def __iter__(self) -> Iterator[bytes]:
        """Yield the lines; blank ones are left out."""
        lines = size = 0
        for _, line in split_lines(self._chunks):
            if _SIDECHAIN.search(line) and _is_of_subagent(line):
                lines, size = lines + 1, size + len(line)
                self.left_out = lines, size
            else:
                yield line


def _is_of_subagent(line: bytes) -> bool:
    """Return whether a line is an entry of a subagent; the mark may be in a part of another entry."""
    value: JsonValue = None
    try:
        value, _ = decode_value(line.decode("utf-8", "replace"), 0)
    except (InvalidJsonError, JsonTooDeepError):
        return False
    return isinstance(value, dict) and value.get("isSidechain") is True
