"""Whether an API would take a conversation, told by rules written here and by the types of the official SDKs."""

import json
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from bench.compact.packages import importing


def breaches(shape: str, value: Any) -> list[str]:
    """Return what is wrong with a conversation of a shape, nothing when it is sound."""
    return _RULES[shape](value)


def _openai(messages: Sequence[dict[str, Any]]) -> list[str]:
    wrong: list[str] = []
    open_: list[str] = []
    for at, message in enumerate(messages):
        role = message.get("role")
        if role == "tool":
            if message.get("tool_call_id") not in open_:
                wrong.append(f"message {at}: a result of no open call")
            else:
                open_.remove(message["tool_call_id"])
            continue
        if open_:
            wrong.append(f"message {at}: calls {open_} have no result")
        open_ = [call["id"] for call in message.get("tool_calls") or []]
        if role == "assistant" and not message.get("content") and not open_:
            wrong.append(f"message {at}: empty")
    return wrong


def _anthropic(request: dict[str, Any]) -> list[str]:
    wrong: list[str] = []
    messages = request["messages"]
    if messages and messages[0]["role"] != "user":
        wrong.append("the first message is not the user's")
    due: list[str] = []
    for at, message in enumerate(messages):
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if sorted(results) != sorted(due):
            wrong.append(f"message {at}: results {results} where {due} are due")
        kinds = [block["type"] == "tool_result" for block in blocks]
        if kinds != sorted(kinds, reverse=True):
            wrong.append(f"message {at}: results do not come first")
        if not blocks or any(block["type"] == "text" and not block["text"].strip() for block in blocks):
            wrong.append(f"message {at}: empty")
        due = [block["id"] for block in blocks if block["type"] == "tool_use"]
    return wrong


def _responses(items: Sequence[dict[str, Any]]) -> list[str]:
    wrong: list[str] = []
    calls: list[str] = []
    answered: list[str] = []
    for at, item in enumerate(items):
        if item.get("type") == "function_call":
            calls.append(item["call_id"])
        elif item.get("type") == "function_call_output":
            if item["call_id"] not in calls or item["call_id"] in answered:
                wrong.append(f"item {at}: a result of no open call")
            answered.append(item["call_id"])
    return wrong + [f"call {call} has no result" for call in calls if call not in answered]


def _gemini(request: dict[str, Any]) -> list[str]:
    wrong: list[str] = []
    due: list[str] = []
    for at, content in enumerate(request["contents"]):
        answers = [part["functionResponse"]["name"] for part in content["parts"] if "functionResponse" in part]
        if answers != due:
            wrong.append(f"content {at}: results {answers} where {due} are due")
        due = [part["functionCall"]["name"] for part in content["parts"] if "functionCall" in part]
        if not content["parts"]:
            wrong.append(f"content {at}: empty")
    return wrong


_RULES: dict[str, Callable[[Any], list[str]]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "responses": _responses,
    "gemini": _gemini,
}


def list_refusals(shape: str, value: Any) -> str:
    """Return what the official SDK's types say against a conversation, empty when they take it."""
    adapter = _adapter(shape)
    if adapter is None:
        return ""
    from pydantic import ValidationError

    given = value["messages"] if shape == "anthropic" else value
    try:
        adapter.validate_python(json.loads(json.dumps(given)))
    except ValidationError as error:
        return str(error).splitlines()[0]
    return ""


@cache
def _adapter(shape: str) -> Any:
    with importing("openai", "anthropic"):
        from pydantic import ConfigDict, TypeAdapter

        config = ConfigDict(arbitrary_types_allowed=True)
        if shape == "openai":
            from openai.types.chat import ChatCompletionMessageParam

            return TypeAdapter(list[ChatCompletionMessageParam], config=config)
        if shape == "responses":
            from openai.types.responses import ResponseInputItemParam

            return TypeAdapter(list[ResponseInputItemParam], config=config)
        if shape == "anthropic":
            from anthropic.types import MessageParam

            return TypeAdapter(list[MessageParam], config=config)
    return None
