"""Parts of Gemini contents: text, thoughts, calls, results, images and files."""

from collections.abc import Iterator

from ctxkit.core.chat.model.attachments import read_file
from ctxkit.core.chat.model.calls_and_results import parse_arguments
from ctxkit.core.chat.model.json_fields import dump_value, get_object, get_objects, get_text
from ctxkit.core.chat.model.message import MessagePart
from ctxkit.core.chat.model.record import Place, RecordCall, RecordResult
from ctxkit.core.text.json_value import JsonValue


def _get_either(part: dict[str, JsonValue], name: str, other: str) -> dict[str, JsonValue]:
    """Return the member of one of two spellings, empty without both."""
    return get_object(part, name) or get_object(part, other)


def read_gemini_parts(value: dict[str, JsonValue]) -> Iterator[MessagePart]:
    """Yield the parts of a content."""
    for part in get_objects(value, "parts"):
        call = _get_either(part, "functionCall", "function_call")
        answer = _get_either(part, "functionResponse", "function_response")
        inline = _get_either(part, "inlineData", "inline_data")
        if words := get_text(part, "text"):
            yield MessagePart("thinking" if part.get("thought") is True else "text", words)
        elif call:
            yield MessagePart("call", dump_value(call.get("args")), get_text(call, "name"))
        elif answer:
            yield MessagePart("result", dump_value(answer.get("response")), get_text(answer, "name"))
        elif inline or "fileData" in part or "file_data" in part:
            yield read_file(inline or _get_either(part, "fileData", "file_data"), "")
        elif rest := {key: member for key, member in part.items() if not key.startswith("thought")}:
            yield MessagePart("other", dump_value(rest))


def read_part_call(part: dict[str, JsonValue], unit: Place) -> Iterator[RecordCall]:
    """Yield the call in the part at ``unit``, if it is one."""
    for key in ("functionCall", "function_call"):
        if call := get_object(part, key):
            yield RecordCall(
                get_text(call, "id"),
                get_text(call, "name"),
                parse_arguments(call.get("args")),
                (*unit, key, "args"),
                unit,
            )


def read_part_result(part: dict[str, JsonValue], unit: Place) -> Iterator[RecordResult]:
    """Yield the result in the part at ``unit``: its only text, or the whole response as JSON."""
    for key in ("functionResponse", "function_response"):
        if not (answer := get_object(part, key)):
            continue
        response, place = answer.get("response"), (*unit, key, "response")
        words = dump_value(response)
        if isinstance(response, dict) and len(response) == 1:
            [(inner, value)] = response.items()
            words, place = (value, (*place, inner)) if isinstance(value, str) else (words, place)
        failed = isinstance(response, dict) and "error" in response
        yield RecordResult(
            get_text(answer, "id"),
            words,
            place,
            get_text(answer, "name"),
            failed,
            not get_objects(answer, "parts"),
            unit=unit,
        )
