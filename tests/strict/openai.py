"""What OpenAI's Chat Completions refuse, in their words: public reports of 400s quote them.

Arguments that are no JSON are refused too: OpenAI lets them pass, but llama.cpp and vLLM, which parse them, do not.
"""

import json
import re
from typing import Any

from tests.strict.refusal import Refused, kind, listed

ROLES = ("system", "assistant", "user", "function", "tool", "developer")
PARTS = {
    **dict.fromkeys(("system", "developer", "tool", "function"), ("text",)),
    "user": ("text", "image_url", "input_audio", "file"),
    "assistant": ("text", "refusal"),
}
KNOWN = {"role", "content", "name", "tool_calls", "tool_call_id", "function_call", "refusal", "audio", "annotations"}
LONGEST_ID, LONGEST_NAME = 40, 64


def check(request: Any) -> None:
    """Raise Refused for a request that the API would refuse, whatever its length."""
    if not isinstance(request, dict):
        raise Refused("We could not parse the JSON body of your request.")
    if not isinstance(request.get("model"), str):
        raise Refused("you must provide a model parameter")
    _nonempty(request, "messages", "messages")
    for at, message in enumerate(request["messages"]):
        _message(message, f"messages[{at}]", at)
    _order(request["messages"])
    _tools(request)


def _fail(text: str, param: str, code: str) -> Refused:
    return Refused(text, param=param, code=code)


def _nonempty(held: dict[str, Any], key: str, path: str) -> list[Any]:
    if key not in held:
        raise _fail(f"Missing required parameter: '{path}'.", path, "missing_required_parameter")
    value = held[key]
    if not isinstance(value, list):
        raise _type(path, "an array of objects", value)
    if not value:
        wanted = "Expected an array with minimum length 1, but got an empty array instead."
        raise _fail(f"Invalid '{path}': empty array. {wanted}", path, "empty_array")
    return value


def _type(path: str, wanted: str, value: Any) -> Refused:
    text = f"Invalid type for '{path}': expected {wanted}, but got {kind(value)} instead."
    return _fail(text, path, "invalid_type")


def _string(held: Any, key: str, path: str) -> str:
    if not isinstance(held, dict):
        raise _type(path, "an object", held)
    if key not in held:
        raise _fail(f"Missing required parameter: '{path}.{key}'.", f"{path}.{key}", "missing_required_parameter")
    if not isinstance(held[key], str):
        raise _type(f"{path}.{key}", "a string", held[key])
    return held[key]


def _one_of(value: str, names: tuple[str, ...], path: str) -> None:
    if value not in names:
        raise _fail(f"Invalid value: '{value}'. Supported values are: {listed(names)}.", path, "invalid_value")


def _message(message: Any, path: str, at: int) -> None:
    role = _string(message, "role", path)
    _one_of(role, ROLES, f"{path}.role")
    if strange := sorted(message.keys() - KNOWN):
        raise _fail(f"Unknown parameter: '{path}.{strange[0]}'.", f"{path}.{strange[0]}", "unknown_parameter")
    if "name" in message and not re.fullmatch(r"[^\s<|\\/>]+", str(message["name"])):
        text = f"Invalid '{path}.name': string does not match pattern. Expected a string that matches the pattern"
        raise _fail(rf"{text} '^[^\s<|\\/>]+$'.", f"{path}.name", "invalid_value")
    calls = role == "assistant" and any(message.get(key) for key in ("tool_calls", "function_call", "refusal", "audio"))
    _content(message, role, path, at, optional=calls)
    if "tool_calls" in message:
        for number, call in enumerate(_nonempty(message, "tool_calls", f"{path}.tool_calls")):
            _call(call, f"{path}.tool_calls[{number}]")
    if role == "tool" and not isinstance(message.get("tool_call_id"), str):
        text = "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'."
        raise Refused(f"Invalid parameter: {text}", param=f"messages.[{at}].tool_call_id")


def _content(message: dict[str, Any], role: str, path: str, at: int, *, optional: bool) -> None:
    content = message.get("content")
    if content is None:
        if optional:
            return
        raise Refused("Invalid value for 'content': expected a string, got null.", param=f"messages.[{at}].content")
    if isinstance(content, str):
        return
    if not isinstance(content, list):
        raise _type(f"{path}.content", "one of a string or array of objects", content)
    for number, part in enumerate(_nonempty(message, "content", f"{path}.content")):
        _one_of(_string(part, "type", f"{path}.content[{number}]"), PARTS[role], f"{path}.content[{number}]")
        if part["type"] == "text":
            _string(part, "text", f"{path}.content[{number}]")


def _call(call: Any, path: str) -> None:
    id_ = _string(call, "id", path)
    if len(id_) > LONGEST_ID:
        wanted = f"Expected a string with maximum length {LONGEST_ID}, but got a string with length {len(id_)} instead."
        raise _fail(f"Invalid '{path}.id': string too long. {wanted}", f"{path}.id", "string_above_max_length")
    _one_of(_string(call, "type", path), ("function", "custom"), f"{path}.type")
    if call["type"] == "custom":
        _string(call.get("custom"), "input", f"{path}.custom")
        return
    name = _string(call.get("function"), "name", f"{path}.function")
    if not re.fullmatch(r"[a-zA-Z0-9_-]+", name) or len(name) > LONGEST_NAME:
        text = f"Invalid '{path}.function.name': string does not match pattern. Expected a string that matches the pattern"
        raise _fail(f"{text} '^[a-zA-Z0-9_-]+$'.", f"{path}.function.name", "invalid_value")
    try:
        json.loads(_string(call["function"], "arguments", f"{path}.function"))
    except ValueError:
        text = f"Invalid '{path}.function.arguments': it is not valid JSON."
        raise _fail(text, f"{path}.function.arguments", "invalid_value") from None


def _order(messages: list[dict[str, Any]]) -> None:
    """Refuse results that follow no call, and calls that not all results follow."""
    asked: dict[str, None] = {}
    told: dict[str, int] = {}
    for at, message in enumerate([*messages, {"role": ""}]):
        if message["role"] == "tool":
            _told(message["tool_call_id"], at, asked, told)
            continue
        if missing := [id_ for id_ in asked if id_ not in told]:
            text = "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
            what = f"The following tool_call_ids did not have response messages: {', '.join(missing)}"
            raise Refused(f"{text} 'tool_call_id'. {what}", param=f"messages.[{at}].role")
        ids = [call["id"] for call in message.get("tool_calls", ())]
        if len(set(ids)) < len(ids):
            twice = next(id_ for id_ in ids if ids.count(id_) > 1)
            raise Refused(f"Invalid parameter: Duplicate value for 'tool_calls' id '{twice}' in messages[{at}].")
        asked, told = dict.fromkeys(ids), {}


def _told(id_: str, at: int, asked: dict[str, None], told: dict[str, int]) -> None:
    if not asked:
        text = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
        raise Refused(text, param=f"messages.[{at}].role")
    if id_ in told:
        text = f"Invalid parameter: Duplicate value for 'tool_call_id' of '{id_}', in messages[{told[id_]}] and messages[{at}]."
        raise Refused(text, param=f"messages.[{at}].tool_call_id")
    if id_ not in asked:
        text = f"Invalid parameter: 'tool_call_id' of '{id_}' not found in 'tool_calls' of previous message."
        raise Refused(text, param=f"messages.[{at}].tool_call_id")
    told[id_] = at


def _tools(request: dict[str, Any]) -> None:
    if "tools" in request:
        for at, tool in enumerate(_nonempty(request, "tools", "tools")):
            _one_of(_string(tool, "type", f"tools[{at}]"), ("function", "custom"), f"tools[{at}].type")
            if tool["type"] == "function":
                _string(tool.get("function"), "name", f"tools[{at}].function")
    elif "tool_choice" in request:
        text = "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."
        raise Refused(text, param="tool_choice")


def check_length(tokens: int, answer: int, window: int) -> None:
    """Raise Refused when a request of so many tokens, and the answer that it asks for, exceed the window."""
    limit = f"This model's maximum context length is {window} tokens."
    code, param = "context_length_exceeded", "messages"
    if tokens > window:
        text = f"{limit} However, your messages resulted in {tokens} tokens. Please reduce the length of the messages."
        raise _fail(text, param, code)
    if tokens + answer > window:
        parts = f"{tokens + answer} tokens ({tokens} in the messages, {answer} in the completion)"
        text = f"{limit} However, you requested {parts}. Please reduce the length of the messages or completion."
        raise _fail(text, param, code)


def body(refused: Refused) -> dict[str, Any]:
    """Return a refusal as the API writes it."""
    error = {"message": refused.message, "type": "invalid_request_error", "param": refused.param, "code": refused.code}
    return {"error": error}
