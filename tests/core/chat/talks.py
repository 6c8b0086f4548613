"""One conversation in every format, from a plan of who says, calls and answers what."""

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

from hypothesis import strategies as st


class Said(NamedTuple):
    """What one side says in a turn: words, calls as (id, name), or the results of the calls before."""

    role: str
    words: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    results: tuple[tuple[str, str], ...] = ()


Plan = Sequence[Said]
TIME = "2026-01-01T00:00:00.000Z"


def openai(plan: Plan) -> list[Any]:
    made = []
    for said in plan:
        if said.role == "tool":
            made += [{"role": "tool", "tool_call_id": id_, "content": f"out of {id_}"} for id_, _ in said.results]
        elif said.calls:
            calls = [{"id": i, "type": "function", "function": {"name": n, "arguments": '{"a": 1.10}'}} for i, n in said.calls]
            made.append({"role": "assistant", "content": said.words or None, "tool_calls": calls})
        else:
            made.append({"role": said.role, "content": said.words})
    return made


def nanobot(plan: Plan) -> list[Any]:
    head = {"_type": "metadata", "key": "cli:s", "created_at": TIME, "updated_at": TIME, "metadata": {}, "last_consolidated": 0}
    return [head, *({**message, "timestamp": TIME} for message in openai(plan))]


def anthropic(plan: Plan) -> list[Any]:
    return [{"role": "user" if said.role == "tool" else said.role, "content": _blocks(said)} for said in plan]


def _blocks(said: Said) -> Any:
    if said.role == "user" and len(said.words) % 2:
        return said.words
    results = [{"type": "tool_result", "tool_use_id": i, "content": f"out of {i}"} for i, _ in said.results]
    words = [{"type": "text", "text": said.words}] if said.words else []
    return [*results, *words, *({"type": "tool_use", "id": i, "name": n, "input": {"a": 1.10}} for i, n in said.calls)]


def claude_code(plan: Plan) -> list[Any]:
    """Each block is a line of its own, as the program writes them."""
    made: list[Any] = []
    for number, said in enumerate(plan):
        message = anthropic([said])[0]
        content = message["content"]
        blocks = [[block] for block in content] if isinstance(content, list) else [content]
        group = {"id": f"msg_{number}"} if said.role == "assistant" else {}
        for block in blocks:
            parent = made[-1]["uuid"] if made else None
            line = {"parentUuid": parent, "type": message["role"], "uuid": f"u{len(made)}", "sessionId": "s", "timestamp": TIME}
            made.append({**line, "message": {**group, "role": message["role"], "content": block}})
    return made


def pi(plan: Plan) -> list[Any]:
    made: list[Any] = [{"type": "session", "version": 3, "id": "s", "timestamp": TIME, "cwd": "/"}]
    for said in plan:
        calls = [{"type": "toolCall", "id": i, "name": n, "arguments": {"a": 1.10}} for i, n in said.calls]
        words = [{"type": "text", "text": said.words}] if said.words else []
        messages = [{"role": said.role, "content": [*words, *calls]}]
        if said.role == "tool":
            messages = [
                {"role": "toolResult", "toolCallId": i, "toolName": n, "content": [{"type": "text", "text": f"out of {i}"}]}
                for i, n in said.results
            ]
        for message in messages:
            parent = made[-1]["id"] if len(made) > 1 else None
            made.append({"type": "message", "id": f"e{len(made)}", "parentId": parent, "timestamp": TIME, "message": message})
    return made


def copilot(plan: Plan) -> list[Any]:
    made: list[Any] = []

    def add(kind: str, data: dict[str, Any]) -> None:
        parent = made[-1]["id"] if made else None
        made.append({"type": kind, "data": data, "id": f"e{len(made)}", "timestamp": TIME, "parentId": parent})

    add("session.start", {"sessionId": "s", "copilotVersion": "1"})
    for said in plan:
        if said.role == "tool":
            for id_, _ in said.results:
                add("tool.execution_complete", {"toolCallId": id_, "success": True, "result": {"content": f"out of {id_}"}})
        else:
            calls = [{"toolCallId": i, "name": n, "arguments": {"a": 1.10}} for i, n in said.calls]
            add(f"{said.role}.message", {"content": said.words, **({"toolRequests": calls} if calls else {})})
    return made


def responses(plan: Plan) -> list[Any]:
    made: list[Any] = []
    for said in plan:
        if said.words:
            kind = "output_text" if said.role == "assistant" else "input_text"
            made.append({"type": "message", "role": said.role, "content": [{"type": kind, "text": said.words}]})
        made += [{"type": "function_call", "call_id": i, "name": n, "arguments": '{"a": 1.10}'} for i, n in said.calls]
        made += [{"type": "function_call_output", "call_id": i, "output": f"out of {i}"} for i, _ in said.results]
    return made


def codex(plan: Plan) -> list[Any]:
    head = {"timestamp": TIME, "type": "session_meta", "payload": {"id": "s", "cwd": "/", "instructions": None}}
    return [head, *({"timestamp": TIME, "type": "response_item", "payload": item} for item in responses(plan))]


def gemini(plan: Plan) -> list[Any]:
    made = []
    for said in plan:
        parts: list[Any] = [{"text": said.words}] if said.words else []
        parts += [{"functionCall": {"name": n, "args": {"a": 1.10}}} for _, n in said.calls]
        parts += [{"functionResponse": {"name": n, "response": {"output": f"out of {i}"}}} for i, n in said.results]
        made.append({"role": "model" if said.role == "assistant" else "user", "parts": parts})
    return made


def trajectory(plan: Plan) -> list[Any]:
    made = [{**entry, "agent": "main"} for entry in openai(plan)]
    for entry in made:
        if "tool_call_id" in entry:
            entry["tool_call_ids"] = [entry.pop("tool_call_id")]
    return made


def sharegpt(plan: Plan) -> list[Any]:
    made = []
    for said in plan:
        if said.role == "tool":
            made += [{"from": "tool", "value": _response(i, n)} for i, n in said.results]
        elif said.role == "assistant":
            made.append({"from": "gpt", "value": _tagged(said)})
        else:
            made.append({"from": "human", "value": said.words})
    return made


def chatml(plan: Plan) -> list[Any]:
    """Results are one message of the user, between tags."""
    made = []
    for said in plan:
        if said.role == "tool":
            made.append({"role": "user", "content": "\n".join(_response(i, n) for i, n in said.results)})
        else:
            made.append({"role": said.role, "content": _tagged(said)})
    return made


def _tagged(said: Said) -> str:
    calls = [f'<tool_call>\n{{"name": "{n}", "arguments": {{"a": 1.10}}}}\n</tool_call>' for _, n in said.calls]
    return "\n".join(filter(None, (said.words, *calls)))


def _response(id_: str, name: str) -> str:
    return f'<tool_response>\n{{"name": "{name}", "content": "out of {id_}"}}\n</tool_response>'


def openhands(plan: Plan) -> list[Any]:
    made: list[Any] = []
    for said in plan:
        agent = said.role == "assistant"
        if said.words:
            source = "agent" if agent else "user"
            made.append({"id": len(made), "source": source, "action": "message", "args": {"content": said.words}})
        for id_, name in said.calls:
            metadata = {"function_name": name, "tool_call_id": id_}
            made.append({"id": len(made), "source": "agent", "action": name, "args": {"a": 1.10}, "tool_call_metadata": metadata})
        for id_, name in said.results:
            metadata = {"function_name": name, "tool_call_id": id_}
            seen = {"id": len(made), "source": "agent", "observation": name, "content": f"out of {id_}"}
            made.append({**seen, "cause": 0, "tool_call_metadata": metadata})
    return made


def chained(entries: list[Any]) -> list[Any]:
    """Return entries of a tree each of which follows the one before."""
    before = None
    for number, entry in enumerate(entries):
        for own, parent in (("uuid", "parentUuid"), ("id", "parentId")):
            if parent in entry:
                entry[own], entry[parent] = f"e{number}", before
                before = entry[own]
    return entries


def lines(entries: Sequence[Any]) -> bytes:
    return b"".join(json.dumps(entry).encode() + b"\n" for entry in entries)


def atif(plan: Plan) -> list[Any]:
    """Results are steps of their own, as converters write them."""
    made: list[Any] = []
    for said in plan:
        step = {"source": {"user": "user", "system": "system"}.get(said.role, "agent"), "message": said.words}
        calls = [{"tool_call_id": i, "function_name": n, "arguments": {"a": 1.10}} for i, n in said.calls]
        results = [{"source_call_id": i, "content": f"out of {i}"} for i, _ in said.results]
        for more in [{"observation": {"results": [one]}} for one in results] or [{"tool_calls": calls} if calls else {}]:
            made.append({"step_id": len(made) + 1, **step, **more})
    return made


def within(key: str) -> Callable[[Sequence[Any]], bytes]:
    return lambda entries: json.dumps({"model": "m", key: entries}, indent=1).encode()


def marked(entries: Sequence[Any]) -> bytes:
    return "".join(f"<|im_start|>{one['role']}\n{one['content']}<|im_end|>\n" for one in entries).encode()


FORMATS: dict[str, tuple[Callable[[Plan], list[Any]], Callable[[Sequence[Any]], bytes]]] = {
    "openai": (openai, within("messages")),
    "nanobot": (nanobot, lines),
    "anthropic": (anthropic, within("messages")),
    "claude-code": (claude_code, lines),
    "pi": (pi, lines),
    "copilot": (copilot, lines),
    "responses": (responses, within("input")),
    "codex": (codex, lines),
    "gemini": (gemini, within("contents")),
    "swe-agent": (trajectory, within("history")),
    "openhands": (openhands, within("history")),
    "atif": (atif, lambda entries: json.dumps({"schema_version": "ATIF-v1.6", "steps": entries}, indent=1).encode()),
    "sharegpt": (sharegpt, within("conversations")),
    "chatml": (chatml, marked),
}


def fluent(turns: Sequence[tuple[int, bool]]) -> list[Said]:
    """Return a conversation that every API takes: so many calls a turn, and whether the model says something beside."""
    made, count = [Said("user", "Do it.")], 0
    for calls, talks in turns:
        names = tuple((f"call_{count + one}", ("run", "read")[one % 2]) for one in range(calls))
        count += calls
        made.append(Said("assistant", "Doing." if talks or not calls else "", names))
        made.append(Said("tool", results=names) if calls else Said("user", "Go on." if talks else "And?"))
    return [*made, Said("assistant", "Done.")]


plans = st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=6).map(fluent)
"""Conversations in which nothing is wrong."""


def lists(value):
    """Yield the lists inside an entry whose elements are calls, results or words."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from lists(inner)
    elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        yield value


@st.composite
def mutilated(draw, name):
    """Entries of a conversation of which some were lost, doubled or displaced, or parts of them."""
    entries = FORMATS[name][0](draw(plans))
    head = 1 if name in ("pi", "codex", "copilot", "nanobot") else 0
    for _ in range(draw(st.integers(0, 5))):
        if len(entries) - head < 2:
            break
        at, to = (draw(st.integers(head, len(entries) - 1)) for _ in range(2))
        way = draw(st.sampled_from(["lose", "double", "move", "trim", "twice"]))
        if way == "lose":
            del entries[at]
        elif way == "double":
            entries.insert(to, deepcopy(entries[at]))
        elif way == "move":
            entries.insert(to, entries.pop(at))
        elif inside := list(lists(entries[at])):
            parts = draw(st.sampled_from(inside))
            part = draw(st.integers(0, len(parts) - 1))
            parts.append(deepcopy(parts[part])) if way == "twice" else len(parts) > 1 and parts.pop(part)
    return chained(entries)
