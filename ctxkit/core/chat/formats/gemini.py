"""Gemini: a request or a list of contents, one content a line, and the sessions that Gemini CLI keeps."""

from collections.abc import Iterator
from typing import Any

from ctxkit.core.chat.blocks import parts_of
from ctxkit.core.chat.images import size_of_base64
from ctxkit.core.chat.message import Entry, Message, Part, Start
from ctxkit.core.chat.shape import dumped, mapping, objects, text
from ctxkit.core.chat.tools import toolset

NAME, PROVIDER, LINEAR = "gemini", "google", True
_SPEAKERS = ("user", "gemini", "model")
"""Types of messages in a session that reach the model; the others are notices of the program."""


def _is_content(value: Any) -> bool:
    return isinstance(value, dict) and bool(objects(value, "parts")) and set(value) <= {"role", "parts"}


def _is_session(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    types = {text(message, "type") for message in objects(value, "messages")}
    return "sessionId" in value and bool(types.intersection(_SPEAKERS))


def claims(value: Any) -> bool:
    """Tell whether a value has contents with parts, or the messages of a session."""
    if isinstance(value, list):
        return bool(value) and all(map(_is_content, value))
    return _is_content(value) or any(map(_is_content, objects(value, "contents"))) or _is_session(value)


def entries(value: Any) -> Iterator[Entry]:
    """Yield the system instruction, the tools and the contents; raises ValueError where there is none."""
    if isinstance(value, list):
        for one in value:
            yield from entries(one)
    elif _is_content(value):
        yield _content(value)
    elif isinstance(value, dict) and _is_session(value):
        for message in objects(value, "messages"):
            yield from _spoken(message)
    elif isinstance(value, dict) and "contents" in value:
        yield from _request(value)
    else:
        raise ValueError("no content: it has no parts")


def _request(value: dict[str, Any]) -> Iterator[Entry]:
    yield Start()
    if found := toolset(value):
        yield found
    system = value.get("systemInstruction", value.get("system_instruction"))
    words = tuple(_parts(system)) if isinstance(system, dict) else tuple(parts_of(system))
    if words:
        yield Message("system", words)
    contents = value["contents"]
    if isinstance(contents, str):
        yield Message("user", tuple(parts_of(contents)))
    yield from map(_content, objects(contents))


def _content(value: dict[str, Any]) -> Message:
    return Message(text(value, "role") or "user", tuple(_parts(value)))


def _parts(value: dict[str, Any]) -> Iterator[Part]:
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


def _spoken(message: dict[str, Any]) -> Iterator[Entry]:
    """Yield what was said and done in a message of a session."""
    kind = text(message, "type")
    if kind not in _SPEAKERS:
        return
    thoughts = [Part("thinking", words) for item in objects(message, "thoughts") if (words := _thought(item))]
    calls = objects(message, "toolCalls")
    parts = [*thoughts, *parts_of(message.get("content"))]
    parts += [Part("call", dumped(call.get("args")), text(call, "name")) for call in calls]
    yield Message("user" if kind == "user" else "model", tuple(parts))
    for call in calls:
        yield Message("user", tuple(_result(call.get("result"))), text(call, "name"))




def _thought(item: dict[str, Any]) -> str:
    return ": ".join(filter(None, (text(item, "subject"), text(item, "description"))))


def _result(result: Any) -> Iterator[Part]:
    if objects(result):
        yield from _parts({"parts": result})
    else:
        yield from parts_of(result, "result")
