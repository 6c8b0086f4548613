"""Conversations of agents as each API takes them, made from a plan."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

PATHS = {
    "openai": "/v1/chat/completions",
    "responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/m:generateContent",
    "ollama": "/api/chat",
}


class Step(NamedTuple):
    """What happens: the user speaks, and then tools return results of so many lines."""

    words: str = ""
    results: tuple[int, ...] = ()


def make_text(number: int, lines: int) -> str:
    """Return the output of a tool."""
    return "".join(f"line {line} of step {number}: value {line * 7919 % 1009}\n" for line in range(lines))


def make_request(api: str, plan: Sequence[Step]) -> dict[str, Any]:
    """Return the request that an agent sends after the steps of a plan."""
    calls = [[(f"call_{at}_{n}", make_text(at, lines)) for n, lines in enumerate(step.results)] for at, step in enumerate(plan)]
    steps = list(zip(plan, calls, strict=True))
    if api in ("openai", "ollama"):
        messages = [{"role": "system", "content": "You are an agent."}]
        for step, results in steps:
            messages += _openai(step, results, has_ids=api == "openai")
        return {"model": "m", "messages": messages}
    if api == "responses":
        return {"model": "m", "instructions": "You are an agent.", "store": False, "input": [item for step, results in steps for item in _responses(step, results)]}
    if api == "anthropic":
        return {"model": "m", "max_tokens": 500, "system": "You are an agent.", "messages": _join([message for step, results in steps for message in _anthropic(step, results)])}
    return {"contents": _join([content for step, results in steps for content in _gemini(step, results)])}


def _openai(step: Step, results: Sequence[tuple[str, str]], *, has_ids: bool) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": step.words}] if step.words else []
    if not results:
        return [*messages, {"role": "assistant", "content": "It is done."}] if step.words else []
    arguments: Any = {"path": f"src/{results[0][0]}.py"}
    calls = [{"id": name, "type": "function", "function": {"name": "read", "arguments": json.dumps(arguments)}} for name, _ in results]
    if not has_ids:
        calls = [{"function": {"name": "read", "arguments": arguments}} for _ in results]
    messages.append({"role": "assistant", "content": "", "tool_calls": calls})
    keys = [{"tool_call_id": name} if has_ids else {"tool_name": "read"} for name, _ in results]
    return messages + [{"role": "tool", **key, "content": text} for key, (_, text) in zip(keys, results, strict=True)]


def _responses(step: Step, results: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if step.words:
        items.append({"type": "message", "role": "user", "content": [{"type": "input_text", "text": step.words}]})
    for name, _ in results:
        items.append({"type": "function_call", "call_id": name, "name": "read", "arguments": json.dumps({"path": f"src/{name}.py"})})
    return items + [{"type": "function_call_output", "call_id": name, "output": text} for name, text in results]


def _anthropic(step: Step, results: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": [{"type": "text", "text": step.words}]}] if step.words else []
    if results:
        calls = [{"type": "tool_use", "id": name, "name": "read", "input": {"path": f"src/{name}.py"}} for name, _ in results]
        messages.append({"role": "assistant", "content": calls})
        messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": text} for name, text in results]})
    return messages


def _gemini(step: Step, results: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    contents: list[dict[str, Any]] = [{"role": "user", "parts": [{"text": step.words}]}] if step.words else []
    if results:
        contents.append({"role": "model", "parts": [{"functionCall": {"name": "read", "args": {"path": f"src/{name}.py"}}} for name, _ in results]})
        contents.append({"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"output": text}}} for _, text in results]})
    return contents


def _join(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return messages whose roles alternate: the model says a word between two of the user."""
    joined: list[dict[str, Any]] = []
    for message in messages:
        if joined and joined[-1]["role"] == message["role"] == "user":
            key = "content" if "content" in message else "parts"
            word = {"type": "text", "text": "Yes."} if key == "content" else {"text": "Yes."}
            joined.append({"role": "assistant" if key == "content" else "model", key: [word]})
        joined.append(message)
    return joined
