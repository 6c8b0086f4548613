"""The same conversation as each API takes it, made from plain messages: whole pairs of calls and results only."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bench.compact.said import Did, Said


@dataclass(frozen=True)
class Turn:
    """Hold a message whose calls all have their results."""

    role: str
    text: str
    pairs: tuple[tuple[Did, str], ...] = ()


def turns(rows: Sequence[Said]) -> list[Turn]:
    """Return messages with each call beside its result; a call without one is left out."""
    all_turns: list[Turn] = []
    for at, item in enumerate(rows):
        if item.role == "tool":
            continue
        pairs = tuple(_pair(rows, at, item))
        if item.text.strip() or pairs:
            all_turns.append(Turn(item.role, item.text, pairs))
    return all_turns


def _pair(rows: Sequence[Said], at: int, item: Said) -> Iterator[tuple[Did, str]]:
    for number, did in enumerate(item.did):
        answer = next((row for row in _following(rows, at) if did.id and row.answers == did.id), None)
        if answer is None and not did.id:
            answer = next(iter(_following(rows, at)), None)
        if answer is not None:
            yield replace(did, id=f"call_{at:05d}_{number}"), answer.text or "(empty)"


def _following(rows: Sequence[Said], at: int) -> Iterator[Said]:
    """Yield the results after a message, up to the next person's word."""
    for row in rows[at + 1 :]:
        if row.role == "user":
            return
        if row.role == "tool":
            yield row


def openai(all_turns: Sequence[Turn]) -> Any:
    """Return messages of Chat Completions."""
    messages: list[dict[str, Any]] = []
    for turn in all_turns:
        message: dict[str, Any] = {"role": turn.role, "content": turn.text}
        if turn.pairs:
            message["tool_calls"] = [
                {"id": did.id, "type": "function", "function": _function(did)} for did, _ in turn.pairs
            ]
        messages.append(message)
        messages += [{"role": "tool", "tool_call_id": did.id, "content": text} for did, text in turn.pairs]
    return messages


def anthropic(all_turns: Sequence[Turn]) -> Any:
    """Return a request of the Messages API: the first message is the user's, and roles take turns."""
    system = "\n\n".join(turn.text for turn in all_turns if turn.role == "system")
    messages: list[dict[str, Any]] = []
    for turn in all_turns:
        if turn.role == "system":
            continue
        blocks: list[Any] = [{"type": "text", "text": turn.text}] if turn.text.strip() else []
        blocks += [{"type": "tool_use", "id": d.id, "name": _name(d), "input": d.arguments} for d, _ in turn.pairs]
        _add(messages, turn.role, blocks)
        if turn.pairs:
            results = [{"type": "tool_result", "tool_use_id": d.id, "content": text} for d, text in turn.pairs]
            _add(messages, "user", results)
    if messages and messages[0]["role"] != "user":
        messages.insert(0, {"role": "user", "content": "Go on."})
    request: dict[str, Any] = {"model": "claude-sonnet-4-5", "max_tokens": 1024, "messages": messages}
    return request | ({"system": system} if system else {})


def _add(messages: list[dict[str, Any]], role: str, blocks: list[Any]) -> None:
    """Add blocks to the last message where it is of the same role, unless calls there wait for their results."""
    if messages and messages[-1]["role"] == role and not any(b["type"] == "tool_use" for b in messages[-1]["content"]):
        messages[-1]["content"] += blocks
    elif blocks:
        messages.append({"role": role, "content": blocks})


def responses(all_turns: Sequence[Turn]) -> Any:
    """Return the input items of the Responses API."""
    items: list[dict[str, Any]] = []
    for turn in all_turns:
        if turn.text.strip():
            content = turn.text if turn.role == "assistant" else [{"type": "input_text", "text": turn.text}]
            items.append({"type": "message", "role": turn.role, "content": content})
        for did, text in turn.pairs:
            call = {"call_id": did.id, "name": _name(did), "arguments": json.dumps(did.arguments)}
            items.append({"type": "function_call", **call})
            items.append({"type": "function_call_output", "call_id": did.id, "output": text})
    return items


def gemini(all_turns: Sequence[Turn]) -> Any:
    """Return a request of Gemini: calls have no ids."""
    contents: list[dict[str, Any]] = []
    for turn in all_turns:
        if turn.role == "system":
            continue
        parts: list[Any] = [{"text": turn.text}] if turn.text.strip() else []
        parts += [{"functionCall": {"name": _name(did), "args": did.arguments}} for did, _ in turn.pairs]
        if not contents and turn.role == "assistant":
            contents.append({"role": "user", "parts": [{"text": "Go on."}]})
        contents.append({"role": "model" if turn.role == "assistant" else "user", "parts": parts})
        if turn.pairs:
            answers = [{"functionResponse": {"name": _name(d), "response": {"output": t}}} for d, t in turn.pairs]
            contents.append({"role": "user", "parts": answers})
    system = "\n\n".join(turn.text for turn in all_turns if turn.role == "system")
    return {"contents": contents} | ({"systemInstruction": {"parts": [{"text": system}]}} if system else {})


def _function(did: Did) -> dict[str, str]:
    return {"name": _name(did), "arguments": json.dumps(did.arguments)}


def _name(did: Did) -> str:
    return did.name.replace(".", "_")[:64] or "tool"


SHAPES: dict[str, Callable[[Sequence[Turn]], Any]] = {
    "openai": openai,
    "anthropic": anthropic,
    "responses": responses,
    "gemini": gemini,
}
