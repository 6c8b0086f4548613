"""The answer of a provider: what it says, which tools it calls, and the messages that it adds to the history."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ctxkit.core.chat.model.json_fields import get_object, get_objects, get_text
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.errors import MalformedInputError
from ctxkit.core.text.json_value import JsonValue

HINT = "turn --response reads one answer of a provider, whole or as the stream of its pieces"


class AnswerContent(NamedTuple):
    """What an answer says: the format of its messages, the messages, its text, and its calls."""

    format: str
    messages: tuple[JsonValue, ...]
    reply: str
    tool_calls: tuple[dict[str, JsonValue], ...]


def read_answer_content(values: list[JsonValue], name: str) -> AnswerContent | None:
    """Return what an answer says, None if it is an error; raise MalformedInputError for anything else."""
    if len(values) != 1 or not isinstance(values[0], dict):
        raise MalformedInputError(f"{name}: it is not one answer", hint=HINT)
    value = values[0]
    readers: tuple[tuple[str, Callable[[dict[str, JsonValue]], list[JsonValue] | None]], ...] = (
        ("openai", _read_openai),
        ("responses", _read_responses),
        ("gemini", _read_gemini),
        ("anthropic", _read_anthropic),
    )
    for format_name, read in readers:
        messages = read(value)
        if messages is not None:
            return _make_content(format_name, messages)
    if value.get("error") or get_text(value, "type") == "error":
        return None
    raise MalformedInputError(f"{name}: no answer of a provider is recognized", hint=HINT)


def _read_openai(value: dict[str, JsonValue]) -> list[JsonValue] | None:
    """Return the message of a completion, without empty members, which the API does not take back."""
    choices = get_objects(value, "choices")
    if not choices:
        return None
    message = get_object(choices[0], "message")
    if not message:
        return None
    kept = {key: member for key, member in message.items() if key == "content" or member not in (None, [], {}, "")}
    calls = "tool_calls" in kept or "function_call" in kept
    if not calls and not kept.get("content"):
        kept["content"] = get_text(message, "refusal")
    return [{"role": "assistant", **kept}] if calls or kept["content"] else []


def _read_responses(value: dict[str, JsonValue]) -> list[JsonValue] | None:
    """Return the items of a response."""
    if not isinstance(value.get("output"), list):
        return None
    return list(get_objects(value, "output"))


def _read_gemini(value: dict[str, JsonValue]) -> list[JsonValue] | None:
    """Return the content of the first candidate."""
    if "candidates" not in value and "promptFeedback" not in value:
        return None
    content = get_object(next(iter(get_objects(value, "candidates")), {}), "content")
    return [{**content, "role": get_text(content, "role") or "model"}] if get_objects(content, "parts") else []


def _read_anthropic(value: dict[str, JsonValue]) -> list[JsonValue] | None:
    """Return the message of an answer."""
    if get_text(value, "role") != "assistant" or not isinstance(value.get("content"), list):
        return None
    return [{"role": "assistant", "content": value["content"]}] if value["content"] else []


def _make_content(format_name: str, messages: list[JsonValue]) -> AnswerContent:
    format_ = get_format(format_name)
    contents = [format_.read_content(message) for message in messages if isinstance(message, dict)]
    reply = "\n".join(filter(None, (text for message in messages for text in _read_texts(format_name, message))))
    calls = [
        {"id": call.id or None, "name": call.name, "arguments": call.arguments}
        for content in contents
        for call in content.calls
        if not call.needs_no_result
    ]
    return AnswerContent(format_name, tuple(messages), reply, tuple(calls))


def _read_texts(format_name: str, message: JsonValue) -> Iterator[str]:
    """Yield the texts that an answer addresses to the user, without reasoning."""
    if not isinstance(message, Mapping):
        return
    content = message.get("parts") if format_name == "gemini" else message.get("content")
    if isinstance(content, str):
        yield content
    elif get_text(message, "type") in ("", "message"):
        for block in get_objects({"blocks": content}, "blocks"):
            if not block.get("thought") and get_text(block, "type") in ("", "text", "output_text", "refusal"):
                yield get_text(block, "text") or get_text(block, "refusal")
