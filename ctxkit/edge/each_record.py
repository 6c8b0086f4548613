"""Answer each record of JSON lines with one line of JSON, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxkit.core.errors import CtxkitError, Exit, MalformedInputError, UsageError
from ctxkit.core.text.limits import EDITABLE
from ctxkit.core.text.measure import format_size
from ctxkit.edge import out, source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ctxkit.core.text.json_value import JsonValue
    from ctxkit.edge.request import CliRequest
    from ctxkit.edge.settings import Settings


def check_each(request: CliRequest, config: Settings, field: str | None, each: bool) -> None:
    """Raise UsageError for options that do not go together."""
    if field is not None and not each:
        raise UsageError("--field is for --each")
    if each and request.session_name(config):
        hint = "leave out --session, and unset CTXKIT_SESSION: records are independent of each other"
        raise UsageError("--each takes no session", hint=hint)


def answer_records(file: str, field: str, answer: Callable[[bytes], dict[str, Any]]) -> Exit:
    """Write a line with the ``answer`` to the text in each record, or with the error in its place.

    Each line begins with the 1-based number of its record. Return MALFORMED if a record had an error.
    """
    import orjson

    status = Exit.DONE
    for number, line in enumerate(_split_lines(source.chunks(file)), 1):
        try:
            result = answer(_read_text(line, field))
        except CtxkitError as error:
            status = Exit.MALFORMED
            result = {"error": str(error), **({"hint": error.hint} if error.hint else {})}
        out.write((orjson.dumps({"line": number, **result}), b"\n"))
    return status


def _split_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines as they arrive; one that is too long is cut off somewhere past the limit."""
    parts: list[bytes] = []
    size = 0
    for piece in pieces:
        start = 0
        while (end := piece.find(b"\n", start)) >= 0:
            yield b"".join((*parts, piece[start:end]))
            parts, size, start = [], 0, end + 1
        if size <= EDITABLE:
            parts.append(piece[start:])
            size += len(piece) - start
    if size:
        yield b"".join(parts)


def _read_text(line: bytes, field: str) -> bytes:
    """Return the text in a record: that of the field, else the record; a value that is no text is its JSON."""
    import orjson

    if len(line) > EDITABLE:
        raise MalformedInputError(f"the record is larger than {format_size(EDITABLE)}")
    try:
        value: JsonValue = orjson.loads(line)
    except ValueError as error:
        raise MalformedInputError(f"the record is not JSON: {error}") from None
    for key in field.split(".") if field else ():
        value = _get_member(value, key, field)
    return value.encode("utf-8", "replace") if isinstance(value, str) else orjson.dumps(value)


def _get_member(value: JsonValue, key: str, field: str) -> JsonValue:
    if isinstance(value, dict) and key in value:
        return value[key]
    if isinstance(value, list) and key.isascii() and key.isdigit() and int(key) < len(value):
        return value[int(key)]
    raise MalformedInputError(f"the record has no field {field}")
