"""The JSON values in the output of an API: one document, lines, or an event stream."""

from collections.abc import Callable, Iterator

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.text.json_value import JsonValue

Parse = Callable[[bytes], JsonValue]
"""Function that returns the value of a JSON text in UTF-8; it raises ValueError."""
_FIELDS = (b"event:", b"id:", b"retry:", b":")
"""Beginnings of stream lines that are not data (WHATWG HTML, 9.2.6)."""
_DATA = b"data:"
_DONE = b"[DONE]"
_HINT = "usage is read from a response, a stream of one, or a session with receipts"
_BOM = b"\xef\xbb\xbf"


def read_values(data: bytes, parse: Parse, name: str) -> Iterator[JsonValue]:
    """Yield the JSON values in content: one document, or the values of its lines or events.

    HTTP headers before it are skipped. Raise MalformedInputError, with ``name`` and the 1-based line, for invalid JSON.
    """
    body, first = _skip_headers(data.removeprefix(_BOM))
    if not body.strip():
        raise MalformedInputError(f"{name}: it is empty", hint=_HINT)
    try:
        yield parse(body)
        return
    except ValueError as error:
        reason = str(getattr(error, "msg", error))
        where = first + getattr(error, "lineno", 1) - 1
    numbered_lines = list(_split_events(body, first) if _is_stream(body) else _split_lines(body, first))
    if sum(1 for _, line in numbered_lines if line.lstrip()[:1] in (b"{", b"[")) <= len(numbered_lines) // 2:
        raise MalformedInputError(f"{name}: line {where} is not JSON: {reason}", hint=_HINT)
    for number, line in numbered_lines:
        try:
            yield parse(line)
        except ValueError as error:
            if number > first and line.startswith(b"{") and body.endswith(line):  # cut off as the program was killed
                return
            reason = str(getattr(error, "msg", error))
            raise MalformedInputError(f"{name}: line {number} is not JSON: {reason}", hint=_HINT) from None


def _skip_headers(data: bytes) -> tuple[bytes, int]:
    """Return the content after HTTP headers, as written by curl -i, and the number of its first line."""
    at, first = 0, 1
    while data.startswith(b"HTTP/", at):
        ends = [(end, len(mark)) for mark in (b"\r\n\r\n", b"\n\n") if (end := data.find(mark, at)) >= 0]
        if not ends:
            break
        end, length = min(ends)
        first += data.count(b"\n", at, end + length)
        at = end + length
    return data[at:], first


def _is_stream(body: bytes) -> bool:
    lines = [line for line in body.lstrip()[:4096].splitlines() if line.strip()]
    return bool(lines) and lines[0].startswith((_DATA, *_FIELDS)) and any(line.startswith(_DATA) for line in lines)


def _split_lines(body: bytes, first: int) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(body.split(b"\n"), first):
        if line.strip():
            yield number, line


def _split_events(body: bytes, first: int) -> Iterator[tuple[int, bytes]]:
    """Yield the data of each event with the number of its first line; an event may have several data lines."""
    data_lines: list[bytes] = []
    began = first
    for number, line in enumerate([*body.splitlines(), b""], first):
        if line.startswith(_DATA):
            began = began if data_lines else number
            data_lines.append(line[len(_DATA) :].removeprefix(b" "))
        elif not line.startswith(_FIELDS) and data_lines:
            if (event := b"\n".join(data_lines)).strip() not in (b"", _DONE):
                yield began, event
            data_lines = []
