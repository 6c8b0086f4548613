"""Parts of Gemini's contents: words, thoughts, calls, their results, pictures and files."""

from collections.abc import Iterator
from typing import Any

from ctxkit.core.chat.images import size_of_base64
from ctxkit.core.chat.message import Part
from ctxkit.core.chat.record import Call, Place, Result
from ctxkit.core.chat.shape import dumped, mapping, objects, text
from ctxkit.core.chat.units import given


def parts(value: dict[str, Any]) -> Iterator[Part]:
    """Yield what a content says."""
    for part in objects(value, "parts"):
        call = mapping(part, "functionCall") or mapping(part, "function_call")
        answer = mapping(part, "functionResponse") or mapping(part, "function_response")
        inline = mapping(part, "inlineData") or mapping(part, "inline_data")
        if words := text(part, "text"):
            yield Part("thinking" if part.get("thought") is True else "text", words)
        elif call:
            yield Part("call", dumped(call.get("args")), text(call, "name"))
        elif answer:
            yield Part("result", dumped(answer.get("response")), text(answer, "name"))
        elif inline or "fileData" in part or "file_data" in part:
            yield _media(inline or mapping(part, "fileData") or mapping(part, "file_data"))
        elif rest := {key: held for key, held in part.items() if not key.startswith("thought")}:
            yield Part("other", dumped(rest))


def _media(held: dict[str, Any]) -> Part:
    kind = text(held, "mimeType") or text(held, "mime_type")
    data = text(held, "data")
    if kind.startswith("image/"):
        return Part("image", size=size_of_base64(data) if data else None)
    return Part("other", sealed=len(data))


def calls(part: dict[str, Any], unit: Place) -> Iterator[Call]:
    """Yield the call that the part at ``unit`` is."""
    for key in ("functionCall", "function_call"):
        if call := mapping(part, key):
            yield Call(text(call, "id"), text(call, "name"), given(call.get("args")), (*unit, key, "args"), unit)


def results(part: dict[str, Any], unit: Place) -> Iterator[Result]:
    """Yield the result that the part at ``unit`` is: its words where it holds nothing else, else all of it as JSON."""
    for key in ("functionResponse", "function_response"):
        if not (held := mapping(part, key)):
            continue
        response, place = held.get("response"), (*unit, key, "response")
        words = dumped(response)
        if isinstance(response, dict) and len(response) == 1:
            [(inner, value)] = response.items()
            words, place = (value, (*place, inner)) if isinstance(value, str) else (words, place)
        failed = isinstance(response, dict) and "error" in response
        yield Result(text(held, "id"), words, place, text(held, "name"), failed, not objects(held, "parts"), unit=unit)
