"""Answer each record of JSON lines with one line of JSON, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.core.errors import CtxkitError, Exit, MalformedInputError, UsageError
from ctxkit.core.text.limits import EDITABLE
from ctxkit.core.text.quantity import format_size
from ctxkit.edge import out, source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ctxkit.core.text.json_value import JsonValue
    from ctxkit.edge.request import Call


class RecordPaths(NamedTuple):
    """Where a record has its text and its id: the paths of ``--field`` and ``--id``, None if not given."""

    field: str | None = None
    id_path: str | None = None


def check_each(call: Call, paths: RecordPaths, each: bool) -> None:
    """Raise UsageError for options that do not go together."""
    if not each and paths != RecordPaths():
        raise UsageError(f"{'--id' if paths.field is None else '--field'} is for --each")
    if each and call.request.session_name(call.settings):
        hint = "leave out --session, and unset CTXKIT_SESSION: records are independent of each other"
        raise UsageError("--each takes no session", hint=hint)


def answer_records(file: str, paths: RecordPaths, answer: Callable[[bytes], dict[str, Any]]) -> Exit:
    """Write a line with the ``answer`` to the text in each record, or with the error in its place.

    Each line begins with the 1-based number of its record in the input of this process, and with the id of the record
    if ``paths`` has one. Return MALFORMED if a record had an error.
    """
    import orjson

    status = Exit.DONE
    for number, line in enumerate(_split_lines(source.chunks(file)), 1):
        key: dict[str, JsonValue] = {}
        try:
            record = _parse_record(line)
            if paths.id_path:
                key["id"] = _find_value(record, paths.id_path)
            result = answer(_get_text(record, paths.field))
        except CtxkitError as error:
            status = Exit.MALFORMED
            result = {"error": str(error), **({"hint": error.hint} if error.hint else {})}
        out.write((orjson.dumps({"line": number, **key, **result}), b"\n"))
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


def _parse_record(line: bytes) -> JsonValue:
    import orjson

    if len(line) > EDITABLE:
        raise MalformedInputError(f"the record is larger than {format_size(EDITABLE)}")
    if not line.strip():
        raise MalformedInputError("the record is an empty line")
    try:
        record: JsonValue = orjson.loads(line)
    except ValueError as error:
        raise MalformedInputError(f"the record is not JSON: {error}") from None
    return record


def _get_text(record: JsonValue, field: str | None) -> bytes:
    """Return the text in a record: that of the field; without a field the record, whose text is its JSON if needed."""
    import orjson

    value = _find_value(record, field) if field else record
    if isinstance(value, str):
        return value.encode("utf-8", "replace")
    if field:
        raise MalformedInputError(f"the field {field} is not a string, but {_name_type(value)}")
    return orjson.dumps(value)


def _name_type(value: JsonValue) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return "an object" if isinstance(value, dict) else "an array" if isinstance(value, list) else "a number"


def _find_value(record: JsonValue, path: str) -> JsonValue:
    """Return the value at a path of a record, with or without the first dot that jq wants."""
    value = record
    for key in path.removeprefix(".").split("."):
        value = _get_member(value, key, path)
    return value


def _get_member(value: JsonValue, key: str, field: str) -> JsonValue:
    if isinstance(value, dict) and key in value:
        return value[key]
    if isinstance(value, list) and key.isascii() and key.isdigit() and int(key) < len(value):
        return value[int(key)]
    raise MalformedInputError(f"the record has no field {field}")
