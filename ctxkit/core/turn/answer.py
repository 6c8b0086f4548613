"""The answer of a provider: what it says, which tools it calls, and the messages that it adds to the history.

Sources: OpenAI "Streaming" of Chat Completions and of Responses, Anthropic "Streaming messages", and Gemini API
"streamGenerateContent".
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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


Parse = Callable[[bytes], JsonValue]
Piece = dict[str, JsonValue]
_STREAM_HINT = "the stream ends before the answer does: send the request again"
_ENDS = ("response.completed", "response.incomplete", "response.failed")
_DELTAS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


def join_stream(values: Sequence[JsonValue], parse: Parse, name: str) -> list[JsonValue]:
    """Return the whole answer that the pieces of a stream make; return other values as they are.

    Raise MalformedInputError if the stream ends before the answer does.
    """
    pieces = _list_pieces(values)
    error = next((piece for piece in pieces if get_object(piece, "error") or get_text(piece, "type") == "error"), None)
    if error is not None:
        return [error]
    for fits, join in (
        (_is_openai, _join_openai),
        (_is_responses, _join_responses),
        (_is_anthropic, lambda pieces: _join_anthropic(pieces, parse)),
        (_is_gemini, _join_gemini),
    ):
        if pieces and any(map(fits, pieces)):
            answer = join(pieces)
            if answer is None:
                raise MalformedInputError(f"{name}: the answer is not complete", hint=_STREAM_HINT)
            return [answer]
    return list(values)


def _list_pieces(values: Sequence[JsonValue]) -> list[Piece]:
    """Return the objects of a stream; Gemini streams a list unless the request asks for events."""
    listed = values[0] if len(values) == 1 and isinstance(values[0], list) else values
    return [value for value in listed if isinstance(value, dict)]


def _is_openai(piece: Piece) -> bool:
    return any("delta" in choice for choice in get_objects(piece, "choices"))


def _join_openai(pieces: Iterable[Piece]) -> Piece | None:
    """Return a completion with the first choice; None without its reason to stop."""
    message: Piece = {}
    calls: dict[int, Piece] = {}
    finish = ""
    for choice in (choice for piece in pieces for choice in get_objects(piece, "choices")):
        if choice.get("index"):
            continue
        delta = get_object(choice, "delta")
        for call in get_objects(delta, "tool_calls"):
            index = call.get("index")
            _add_call(calls.setdefault(index if isinstance(index, int) else len(calls), {}), call)
        _add_members(message, {key: value for key, value in delta.items() if key != "tool_calls"})
        finish = get_text(choice, "finish_reason") or finish
    if calls:
        message["tool_calls"] = [_settle(calls[index]) for index in sorted(calls)]
    message.setdefault("content", None)
    return {"choices": [{"index": 0, "message": _settle(message), "finish_reason": finish}]} if finish else None


def _add_call(call: Piece, delta: Piece) -> None:
    """Add a piece to a call: its arguments grow, all else comes once, though some servers repeat it."""
    for key, value in delta.items():
        if isinstance(value, dict):
            inner = call.setdefault(key, {})
            for name, text in value.items():
                if name in ("arguments", "input") and isinstance(text, str):
                    _grow(inner, name, text)
                else:
                    inner[name] = inner.get(name) or text
        elif key != "index":
            call[key] = call.get(key) or value


def _add_members(message: Piece, delta: Piece) -> None:
    """Add a piece to a message: texts and lists grow, all else comes once."""
    for key, value in delta.items():
        if key == "function_call" and isinstance(value, dict):
            _add_call(message, {key: value})
        elif key != "role" and isinstance(value, str):
            _grow(message, key, value)
        elif isinstance(value, list):
            message.setdefault(key, []).extend(value)
        else:
            message[key] = message.get(key) or value


class _Text(list[str]):
    """The pieces of a text, which are joined once."""


def _grow(value: Piece, key: str, text: str) -> None:
    if not isinstance(value.get(key), _Text):
        value[key] = _Text()
    value[key].append(text)


def _settle(value: JsonValue) -> JsonValue:
    """Return a value with its texts joined."""
    if isinstance(value, _Text):
        return "".join(value)
    if isinstance(value, dict):
        return {key: _settle(member) for key, member in value.items()}
    return value


def _is_responses(piece: Piece) -> bool:
    return get_text(piece, "type").startswith("response.")


def _join_responses(pieces: Iterable[Piece]) -> Piece | None:
    """Return the response of the last event."""
    ends = [get_object(piece, "response") for piece in pieces if get_text(piece, "type") in _ENDS]
    return ends[-1] if ends else None


def _is_anthropic(piece: Piece) -> bool:
    return get_text(piece, "type") == "message_start"


def _join_anthropic(pieces: Iterable[Piece], parse: Parse) -> Piece | None:
    """Return the message with its blocks; None without its end."""
    message: Piece = {}
    blocks: dict[int, Piece] = {}
    complete = False
    for piece in pieces:
        kind, index = get_text(piece, "type"), piece.get("index")
        if kind == "message_start":
            message = dict(get_object(piece, "message"))
        elif kind == "content_block_start" and isinstance(index, int):
            blocks[index] = _open_block(get_object(piece, "content_block"))
        elif kind == "content_block_delta" and isinstance(index, int):
            _add_delta(blocks.setdefault(index, {"type": "text"}), get_object(piece, "delta"))
        elif kind == "message_delta":
            message.update(get_object(piece, "delta"))
        complete = complete or kind == "message_stop"
    try:
        content = [_close_block(blocks[index], parse) for index in sorted(blocks)]
    except ValueError:
        return None
    return {**message, "content": content} if complete else None


def _open_block(block: Piece) -> Piece:
    """Return a block whose texts can grow."""
    return {key: _Text((value,)) if key in _DELTAS.values() else value for key, value in block.items()}


def _add_delta(block: Piece, delta: Piece) -> None:
    kind = get_text(delta, "type")
    if kind in _DELTAS:
        _grow(block, _DELTAS[kind], get_text(delta, _DELTAS[kind]))
    elif kind == "input_json_delta":
        _grow(block, "", get_text(delta, "partial_json"))
    elif kind == "citations_delta":
        block["citations"] = [*(block.get("citations") or ()), delta.get("citation")]


def _close_block(block: Piece, parse: Parse) -> JsonValue:
    """Return a block with its texts, and its input parsed; raise ValueError where that is no JSON."""
    text = "".join(block.pop("", ()))
    return _settle({**block, "input": parse(text.encode("utf-8", "replace"))} if text else block)


def _is_gemini(piece: Piece) -> bool:
    return "candidates" in piece or "promptFeedback" in piece


def _join_parts(candidates: Iterable[Piece]) -> list[JsonValue]:
    """Return the parts of all pieces of a candidate, those that go on as one."""
    parts: list[Piece] = []
    for part in (part for candidate in candidates for part in get_objects(get_object(candidate, "content"), "parts")):
        if parts and _continues(parts[-1], part):
            _grow(parts[-1], "text", get_text(part, "text"))
        else:
            parts.append(_open_block(part))
    return [_settle(part) for part in parts]


def _join_gemini(pieces: Sequence[Piece]) -> Piece | None:
    """Return an answer with the first candidate; None without its reason to stop."""
    if len(pieces) == 1:
        return pieces[0]
    candidates = [get_objects(piece, "candidates")[0] for piece in pieces if get_objects(piece, "candidates")]
    blocked = any("promptFeedback" in piece for piece in pieces)
    if not blocked and not any(get_text(candidate, "finishReason") for candidate in candidates):
        return None
    last_candidate = candidates[-1] if candidates else {}
    joined = {**last_candidate, "content": {"role": "model", "parts": _join_parts(candidates)}}
    return {**pieces[-1], "candidates": [joined] if candidates else []}


def _continues(last: Piece, part: Piece) -> bool:
    """Return whether a part is more of the text of the last one."""
    plain = last.keys() == part.keys() <= {"text", "thought"} and "text" in part
    return plain and last.get("thought") == part.get("thought")
