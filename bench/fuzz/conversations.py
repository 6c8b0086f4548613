"""Making whole, valid conversations of random turns, in the formats of four providers.

Bytes that are mutated are seldom a conversation anymore, so that compaction and what restores it were hardly reached.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from bench.fuzz.corpus import seeds

TOOLS = ("bash", "read_file", "edit_file", "search", "todo_write")
PATHS = ("src/parser.py", "docs/a b.md", "tests/test_é.py", "/tmp/x", "C:\\x\\y.txt", "漢字.rs")
ODD = ("", " ", "\n", "\0", "\ud83d\ude00", "‮abc", "<|im_start|>", "[ctxkit summary] x", "```", '{"a": 1}', "x" * 5000)
SPEECH = ("go on", "Never edit generated files.", "no, use src/lib.rs instead", "thanks", "Which tests fail?", "継続")


class Call(NamedTuple):
    """A call of a tool with its result."""

    id: str
    name: str
    arguments: dict[str, Any]
    result: str
    is_error: bool


class Turn(NamedTuple):
    """What a user said, and the steps of the answer: a text with calls, the last one without."""

    user: str
    steps: list[tuple[str, list[Call]]]


def make_conversation(random: Random) -> bytes:
    """Return a valid conversation of a random format, length and layout."""
    turns = [_make_turn(random, number) for number in range(random.choice((1, 2, 3, 5, 8)))]
    if random.random() < 0.3:  # it ends where a request is made
        turns[-1] = turns[-1]._replace(steps=turns[-1].steps[:-1])
    make, member = random.choice(FORMATS)
    entries = list(make(random, turns))
    if random.random() < 0.15 and member == "messages" and make is make_openai:
        return b"".join(json.dumps(entry).encode() + b"\n" for entry in entries)
    document = {"model": "m", member: entries} if random.random() < 0.7 else {member: entries, "stream": False}
    indent = random.choice((None, None, 1, 4))
    separators = (",", ":") if indent is None and random.random() < 0.5 else None
    text = json.dumps(document, ensure_ascii=random.random() < 0.7, indent=indent, separators=separators)
    return text.encode("utf-8", "replace")


def _make_turn(random: Random, number: int) -> Turn:
    steps = []
    for step in range(random.choice((0, 1, 1, 2, 4))):
        calls = [_make_call(random, f"call_{number}_{step}_{at}") for at in range(random.choice((1, 1, 1, 2, 3)))]
        steps.append((random.choice(("", "Let me look.", _make_text(random))), calls))
    user = random.choice(SPEECH) if random.random() < 0.5 else _make_text(random)
    last = _make_text(random)
    return Turn(user if user.strip() else "x", [*steps, (last if last.strip() else "done", [])])


def _make_call(random: Random, call: str) -> Call:
    arguments = random.choice(
        (
            {"command": random.choice(("cargo test", "cat src/parser.py", "git diff", "false; echo $?"))},
            {"path": random.choice(PATHS)},
            {"path": random.choice(PATHS), "old": _make_text(random)[:200], "new": "x"},
            {"todos": [{"content": "fix it", "status": random.choice(("pending", "completed"))}]},
            {},
        )
    )
    return Call(call, random.choice(TOOLS), arguments, _make_text(random), random.random() < 0.2)


def _make_text(random: Random) -> str:
    """Return text of a seed, of any size up to some thousand characters, or odd text."""
    if random.random() < 0.2:
        return random.choice(ODD)
    text = random.choice(seeds("")).decode("utf-8", "replace")
    start = random.randrange(len(text) + 1)
    return text[start : start + random.choice((20, 200, 2000, 6000))]


Format = tuple[Callable[[Random, Sequence[Turn]], Iterator[dict[str, Any]]], str]
"""What makes the entries of a format, and the member that holds them."""


def make_openai(random: Random, turns: Sequence[Turn]) -> Iterator[dict[str, Any]]:
    """Yield messages of the Chat Completions API."""
    if random.random() < 0.6:
        yield {"role": random.choice(("system", "developer")), "content": "You are an agent."}
    for turn in turns:
        parts = [{"type": "text", "text": turn.user}]
        yield {"role": "user", "content": turn.user if random.random() < 0.7 else parts}
        for text, calls in turn.steps:
            message: dict[str, Any] = {"role": "assistant", "content": text or (None if calls else "")}
            if calls:
                functions = [{"name": call.name, "arguments": json.dumps(call.arguments)} for call in calls]
                message["tool_calls"] = [
                    {"id": call.id, "type": "function", "function": function}
                    for call, function in zip(calls, functions, strict=True)
                ]
            yield message
            for call in random.sample(calls, len(calls)):
                yield {"role": "tool", "tool_call_id": call.id, "content": call.result}


def make_anthropic(random: Random, turns: Sequence[Turn]) -> Iterator[dict[str, Any]]:
    """Yield messages of the Messages API."""
    results: list[dict[str, Any]] = []
    for turn in turns:
        content: Any = [*results, {"type": "text", "text": turn.user}]
        yield {"role": "user", "content": turn.user if len(content) == 1 and random.random() < 0.5 else content}
        for at, (text, calls) in enumerate(turn.steps):
            if at:
                yield {"role": "user", "content": results}
            blocks: list[dict[str, Any]] = []
            if random.random() < 0.2:
                blocks.append({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"})
            if text.strip():
                blocks.append({"type": "text", "text": text})
            for call in calls:
                blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments})
            yield {"role": "assistant", "content": blocks or "done"}
            results = [_make_result(random, call) for call in calls]
    if results:
        yield {"role": "user", "content": results}


def _make_result(random: Random, call: Call) -> dict[str, Any]:
    content = call.result if random.random() < 0.6 else [{"type": "text", "text": call.result or "-"}]
    error = {"is_error": True} if call.is_error else {}
    return {"type": "tool_result", "tool_use_id": call.id, "content": content, **error}


def make_gemini(random: Random, turns: Sequence[Turn]) -> Iterator[dict[str, Any]]:
    """Yield contents of the generateContent API."""
    for turn in turns:
        yield {"role": "user", "parts": [{"text": turn.user}]}
        for text, calls in turn.steps:
            parts: list[dict[str, Any]] = [{"text": text}] if text or not calls else []
            parts += [{"functionCall": {"name": call.name, "args": call.arguments}} for call in calls]
            yield {"role": "model", "parts": parts}
            if calls:
                key = random.choice(("output", "result"))
                answers = [{"functionResponse": {"name": call.name, "response": {key: call.result}}} for call in calls]
                yield {"role": "user", "parts": answers}


def make_responses(random: Random, turns: Sequence[Turn]) -> Iterator[dict[str, Any]]:
    """Yield items of the Responses API."""
    for turn in turns:
        yield {"type": "message", "role": "user", "content": [{"type": "input_text", "text": turn.user}]}
        for text, calls in turn.steps:
            if text:
                yield {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
            for call in calls:
                arguments = json.dumps(call.arguments)
                yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}
            for call in random.sample(calls, len(calls)):
                yield {"type": "function_call_output", "call_id": call.id, "output": call.result}


FORMATS: tuple[Format, ...] = (
    (make_openai, "messages"), (make_anthropic, "messages"), (make_gemini, "contents"), (make_responses, "input"),
)  # fmt: skip
"""Every format that is made."""
