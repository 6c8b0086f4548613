"""Reading sessions of every tool into plain messages, by the formats' own documents and apart from ctxkit."""

import json
import re
from collections.abc import Iterator
from typing import Any

from bench.compact.said import Did, Said, words

_TAGS = re.compile(
    r"^\s*(?:<(?:system-reminder|command-|local-command|environment_context|user_instructions|bash-)"
    r"|Base directory for this skill: )"
)
_CODE_RAN = re.compile(r"\s*(?:exitcode: -?\d+|There is no code from the last \d+ message)")
"""What AutoGen's terminal answers in the role of a user."""
_CODE = re.compile(r"```(?:bash|sh)?\n(.*?)```", re.DOTALL)
_RETURN = re.compile(r"<returncode>(-?\d+)|exit(?:ed with)? code:? (-?\d+)|Exit code (-?\d+)", re.IGNORECASE)


def read(data: str) -> list[Said]:
    """Return the messages of a session that its agent would go on from, none where the format is not known."""
    try:
        value = json.loads(data)
    except ValueError:
        return _lines([json.loads(line) for line in data.splitlines() if line.strip()])
    if isinstance(value, list):
        return _list(value)
    for key in ("loglines",):
        if key in value:
            return _lines(value[key])
    for key in ("history", "messages"):
        if isinstance(value.get(key), list):
            return _list(value[key], system=words(value.get("system")))
    if isinstance(value.get("input"), list):
        return list(_items(value["input"], words(value.get("instructions"))))
    return list(_contents(value["contents"], value)) if "contents" in value else []


def _lines(rows: list[dict[str, Any]]) -> list[Said]:
    kinds = {row.get("type") for row in rows if isinstance(row, dict)}
    if "response_item" in kinds:
        return list(_rollout(rows))
    if "session" in kinds and "message" in kinds:
        return list(_pi(rows))
    if any("parentUuid" in row or "sessionId" in row or "message" in row for row in rows):
        return list(_claude(rows))
    if any("source" in row for row in rows):
        return list(_events(rows))
    if any(row.get("type") in ("function_call", "message") for row in rows):
        return list(_items(rows))
    return _list(rows)


def _list(rows: list[Any], system: str = "") -> list[Said]:
    rows = [row for row in rows if isinstance(row, dict)]
    if any("source" in row and ("action" in row or "observation" in row) for row in rows):
        return list(_events(rows))
    if any("parts" in row for row in rows):
        return list(_contents(rows, {}))
    if any(row.get("type") in ("function_call", "function_call_output") for row in rows):
        return list(_items(rows))
    start = [Said("system", system)] if system else []
    return start + [turn for row in rows for turn in _turn(row)]


def _arguments(given: Any) -> dict[str, Any]:
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return {"input": given}
    return given if isinstance(given, dict) else {"input": given}


def _turn(row: dict[str, Any]) -> Iterator[Said]:
    """Yield a message with role and content, as OpenAI, Anthropic, SWE-agent and pi write it."""
    role, content = str(row.get("role", "")), row.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    for block in blocks:
        if block.get("type") == "tool_result":
            text = words(block.get("content"))
            yield Said(
                "tool", text, answers=str(block.get("tool_use_id")), failed=is_failed(text, block.get("is_error"))
            )
    if role in ("tool", "toolResult", "function"):
        value = row.get("tool_call_id") or row.get("toolCallId") or (row.get("tool_call_ids") or ["?"])[0]
        yield Said("tool", words(content), answers=str(value), failed=is_failed(words(content), row.get("isError")))
        return
    text = content if isinstance(content, str) else words([b for b in blocks if b.get("type") in (None, "text")])
    did = [_call(call) for call in row.get("tool_calls") or []]
    did += [_call(b) for b in blocks if b.get("type") in ("tool_use", "toolCall")]
    if not did and isinstance(row.get("action"), str) and row["action"]:
        did = [Did("", "bash", {"command": row["action"]})]
    elif role == "assistant" and not did and (match := _CODE.search(text)):
        did = [Did("", "bash", {"command": match[1]})]
    role = {"human": "user", "developer": "system", "model": "assistant"}.get(role, role)
    if role not in ("system", "user", "assistant"):
        role = "assistant"
    if text.strip() or did:
        yield Said(role, text, did, spoken=not (_TAGS.match(text) or _CODE_RAN.match(text) or row.get("is_demo")))


def _call(table: dict[str, Any]) -> Did:
    function = table.get("function") or table
    given = function.get("arguments", function.get("input"))
    return Did(str(table.get("id", "")), str(function.get("name", "")), _arguments(given))


def is_failed(text: str, value: Any = None) -> bool:
    """Return whether a result is that of a failed call: it is marked so, or states a status other than 0."""
    if value:
        return True
    match = _RETURN.search(text[:2000] + text[-2000:])
    return match is not None and next(filter(None, match.groups())) != "0"


def plain(rows: list[Said]) -> list[Said]:
    """Return messages in which what follows an unnamed command is what it returned, not a user."""
    value, open_ = [], False
    if any(did.id for row in rows for did in row.did):
        return rows
    for row_value in rows:
        if row_value.role == "user" and open_:
            row_value = Said("tool", row_value.text, answers="?", failed=is_failed(row_value.text, False))
        open_ = row_value.role == "assistant" and any(not did.id for did in row_value.did)
        value.append(row_value)
    return value


def _pi(rows: list[dict[str, Any]]) -> Iterator[Said]:
    last = next((at for at in range(len(rows) - 1, -1, -1) if rows[at].get("type") == "compaction"), -1)
    start = 0
    if last >= 0:
        kept = rows[last].get("firstKeptEntryIndex")
        named = next((at for at, row in enumerate(rows) if row.get("id") == rows[last].get("firstKeptEntryId")), last)
        start = kept if isinstance(kept, int) else named
        yield Said("user", rows[last]["summary"], spoken=False)
    for at, row in enumerate(rows):
        message = row.get("message") or {}
        if at < start or row.get("type") != "message":
            continue
        if message.get("role") == "bashExecution":
            continue
        yield from _turn(message)


def _claude(rows: list[dict[str, Any]]) -> Iterator[Said]:
    """Yield the main conversation: up the parents from the last entry, with its siblings of one response."""
    mine = [row for row in rows if row.get("type") in ("user", "assistant") and not row.get("isSidechain")]
    by_id = {row.get("uuid"): row for row in rows if row.get("uuid")}
    path, at = set(), mine[-1] if mine else None
    while at is not None and at.get("uuid") not in path:
        path.add(at.get("uuid"))
        at = by_id.get(at.get("parentUuid"))
    tree = sum(1 for row in mine if row.get("parentUuid")) * 2 > len(mine)
    groups = {row["message"].get("id") for row in mine if row.get("uuid") in path} - {None}
    calls = {
        block.get("id")
        for row in mine
        if row["message"].get("id") in groups and isinstance(row["message"].get("content"), list)
        for block in row["message"]["content"]
        if isinstance(block, dict)
    }
    for row in mine:
        message, content = row["message"], row["message"].get("content")
        blocks = content if isinstance(content, list) else []
        answers = any(isinstance(b, dict) and b.get("tool_use_id") in calls for b in blocks)
        if tree and row.get("uuid") not in path and message.get("id") not in groups and not answers:
            continue
        for item in _turn(message):
            item.spoken = item.spoken and not row.get("isMeta") and not row.get("isCompactSummary")
            yield item


def _items(rows: list[dict[str, Any]], system: str = "") -> Iterator[Said]:
    if system:
        yield Said("system", system)
    for row in rows:
        kind = row.get("type", "message")
        if kind in ("function_call", "custom_tool_call"):
            given = _arguments(row.get("arguments", row.get("input")))
            yield Said("assistant", "", [Did(str(row.get("call_id")), str(row.get("name")), given)])
        elif kind in ("function_call_output", "custom_tool_call_output"):
            text = words(row.get("output"))
            yield Said("tool", text, answers=str(row.get("call_id")), failed=is_failed(text, False))
        elif kind == "message":
            yield from _turn({"role": row.get("role"), "content": words(row.get("content"))})


def _rollout(rows: list[dict[str, Any]]) -> Iterator[Said]:
    start = max((at for at, row in enumerate(rows) if row.get("type") == "compacted"), default=-1)
    if start >= 0:
        payload = rows[start].get("payload") or {}
        yield from _items([r for r in payload.get("replacement_history") or [] if isinstance(r, dict)])
    yield from _items([row["payload"] for row in rows[start + 1 :] if row.get("type") == "response_item"])


def _contents(rows: list[dict[str, Any]], request: dict[str, Any]) -> Iterator[Said]:
    system = request.get("systemInstruction") or request.get("system_instruction")
    if system:
        yield Said("system", words(system.get("parts") if isinstance(system, dict) else system))
    for row in rows:
        parts = [part for part in row.get("parts", []) if isinstance(part, dict)]
        for part in parts:
            if "functionResponse" in part:
                text = "\n".join(words(value) for value in (part["functionResponse"].get("response") or {}).values())
                yield Said("tool", text, answers=str(part["functionResponse"].get("name")))
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        did = [Did(str(call.get("name")), str(call.get("name")), _arguments(call.get("args") or {})) for call in calls]
        text = "\n".join(part["text"] for part in parts if "text" in part)
        if text or did:
            yield Said("assistant" if row.get("role") == "model" else "user", text, did)


def _events(rows: list[dict[str, Any]]) -> Iterator[Said]:
    """Yield OpenHands' events; an observation names its action as its cause."""
    for row in rows:
        action, seen, given = row.get("action"), row.get("observation"), row.get("args") or {}
        if action in ("system", "message"):
            role = "system" if action == "system" else "assistant" if row.get("source") == "agent" else "user"
            yield Said(role, words(given.get("content") or row.get("message")))
        elif action in ("finish", "reject", "think"):
            yield Said("assistant", words(row.get("message")) or words(given.get("thought")))
        elif action and row.get("source") == "agent":
            result = _record(row)
            yield Said("assistant", "", [result or Did(str(row.get("id")), str(action), given)])
        elif seen and row.get("content") and "cause" in row:
            status = ((row.get("extras") or {}).get("metadata") or {}).get("exit_code")
            text = words(row["content"])
            bad = isinstance(status, int) and status > 0
            yield Said("tool", text, answers=str(row.get("cause")), failed=bad or seen == "error")


def _record(row: dict[str, Any]) -> Did | None:
    """Return the call that the model made, as its response was recorded."""
    metadata = row.get("tool_call_metadata") or {}
    for choice in (metadata.get("model_response") or {}).get("choices") or []:
        for call in (choice.get("message") or {}).get("tool_calls") or []:
            if call.get("id") == metadata.get("tool_call_id"):
                result = _call(call)
                return Did(str(row.get("id")), result.name, result.arguments)
    return None
