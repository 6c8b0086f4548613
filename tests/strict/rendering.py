"""What a server reads of a request: ChatML as Qwen's template writes it, so that a window can be held to it."""

import json
from collections.abc import Iterator
from typing import Any

from tests.strict.anthropic import blocks


def rendered(request: dict[str, Any]) -> str:
    """Return the prompt that a request of either API becomes, up to where the model goes on."""
    parts = [*_system(request)]
    for message in request["messages"]:
        parts += _anthropic(message) if "max_tokens" in request and "system" in request else _message(message)
    return "".join(f"<|im_start|>{role}\n{text}<|im_end|>\n" for role, text in parts) + "<|im_start|>assistant\n"


def _system(request: dict[str, Any]) -> Iterator[tuple[str, str]]:
    tools = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in request.get("tools", ()))
    if tools:
        yield "system", f"# Tools\n\nYou may call one or more functions.\n\n<tools>\n{tools}\n</tools>"
    if system := request.get("system"):
        yield "system", system if isinstance(system, str) else "\n".join(block["text"] for block in system)


def _message(message: dict[str, Any]) -> Iterator[tuple[str, str]]:
    content = message.get("content") or ""
    text = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
    calls = [call["function"] for call in message.get("tool_calls", ()) if "function" in call]
    yield message["role"], "\n".join(filter(None, (text, *(_call(one["name"], one["arguments"]) for one in calls))))


def _anthropic(message: dict[str, Any]) -> Iterator[tuple[str, str]]:
    said = []
    for block in blocks(message):
        if block["type"] == "tool_use":
            said.append(_call(block["name"], json.dumps(block["input"])))
        elif block["type"] == "tool_result":
            content = block.get("content", "")
            inner = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
            said.append(f"<tool_response>\n{inner}\n</tool_response>")
        else:
            said.append(block.get("text") or block.get("thinking") or "")
    yield message["role"], "\n".join(said)


def _call(name: str, arguments: str) -> str:
    return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'
