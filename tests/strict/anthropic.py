"""What Anthropic's Messages refuse, in their words: public reports of 400s quote them.

Messages of one role in a row are joined, as the API does today; it refused them until 2024, and so do some who offer
its models: ``alternates`` asks for that. Whoever signs the reasoning that it sends knows which was altered.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from tests.strict.refusal import Refused

BLOCKS: dict[str, tuple[set[str], set[str]]] = {
    "text": ({"text"}, {"citations", "cache_control"}),
    "image": ({"source"}, {"cache_control"}),
    "document": ({"source"}, {"title", "context", "citations", "cache_control"}),
    "tool_use": ({"id", "name", "input"}, {"cache_control", "caller"}),
    "tool_result": ({"tool_use_id"}, {"content", "is_error", "cache_control"}),
    "thinking": ({"thinking", "signature"}, set()),
    "redacted_thinking": ({"data"}, set()),
}
"""Members that a block must have, and those that it may."""
SPEAKER = {"tool_use": "assistant", "thinking": "assistant", "redacted_thinking": "assistant", "tool_result": "user"}
THOUGHTS = ("thinking", "redacted_thinking")
MOST_CACHED = 4
Signed = Callable[[str, str], bool]
"""Tell whether a signature is that of a thought."""
Issued = Callable[[str], "list[Any] | None"]
"""Return the reasoning that was sent with a call of some id, None where none is known."""


def check(request: Any, signed: Signed, issued: Issued, *, alternates: bool = False) -> None:
    """Raise Refused for a request that the API would refuse, whatever its length."""
    if not isinstance(request, dict):
        raise Refused("The request body is not valid JSON")
    for key in ("model", "max_tokens", "messages"):
        if key not in request:
            raise Refused(f"{key}: Field required")
    if not isinstance(request["max_tokens"], int) or request["max_tokens"] < 1:
        raise Refused("max_tokens: Input should be greater than or equal to 1")
    if not isinstance(request["messages"], list):
        raise Refused("messages: Input should be a valid list")
    if not request["messages"]:
        raise Refused("messages: at least one message is required")
    _shapes(request["messages"], signed)
    _roles(request["messages"], alternates=alternates)
    _empty(request["messages"])
    _pairs(request["messages"])
    _thoughts(request, issued)
    _around(request)


def blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the content of a message as blocks."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _shapes(messages: list[Any], signed: Signed) -> None:
    for at, message in enumerate(messages):
        where = f"messages.{at}"
        if not isinstance(message, dict):
            raise Refused(f"{where}: Input should be a valid dictionary or object to extract fields from")
        for key in ("role", "content"):
            if key not in message:
                raise Refused(f"{where}.{key}: Field required")
        _role(message["role"], where)
        if strange := sorted(message.keys() - {"role", "content"}):
            raise Refused(f"{where}.{strange[0]}: Extra inputs are not permitted")
        if not isinstance(message["content"], (str, list)):
            raise Refused(f"{where}.content: Input should be a valid list")
        for number, block in enumerate(blocks(message)):
            _block(block, message["role"], f"{where}.content.{number}", signed)


def _role(role: Any, where: str) -> None:
    if role == "system":
        advice = 'The Messages API accepts a top-level `system` parameter, not "system" as an input message role.'
        raise Refused(f'messages: Unexpected role "system". {advice}')
    if role not in ("user", "assistant"):
        raise Refused(f"{where}.role: Input should be 'user' or 'assistant'")


def _block(block: Any, role: str, where: str, signed: Signed) -> None:
    if not isinstance(block, dict) or "type" not in block:
        raise Refused(f"{where}.type: Field required")
    kind = block["type"]
    if kind not in BLOCKS:
        tags = ", ".join(f"'{name}'" for name in BLOCKS)
        raise Refused(f"{where}: Input tag '{kind}' found using 'type' does not match any of the expected tags: {tags}")
    must, may = BLOCKS[kind]
    if missing := sorted(must - block.keys()):
        raise Refused(f"{where}.{kind}.{missing[0]}: Field required")
    if strange := sorted(block.keys() - must - may - {"type"}):
        raise Refused(f"{where}.{kind}.{strange[0]}: Extra inputs are not permitted")
    if SPEAKER.get(kind, role) != role:
        raise Refused(f"{where}: `{kind}` blocks can only be in `{SPEAKER[kind]}` messages")
    if kind == "tool_use":
        _call(block, f"{where}.tool_use")
    if kind == "tool_result":
        _result(block.get("content", ""), f"{where}.tool_result.content")
    if kind == "thinking" and not signed(block["thinking"], block["signature"]):
        raise Refused(f"{where}: Invalid `signature` in `thinking` block")


def _call(block: dict[str, Any], where: str) -> None:
    if not re.fullmatch("[a-zA-Z0-9_-]+", str(block["id"])):
        raise Refused(f"{where}.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
    if not isinstance(block["input"], dict):
        raise Refused(f"{where}.input: Input should be a valid dictionary")
    if not re.fullmatch("[a-zA-Z0-9_-]{1,200}", str(block["name"])):
        raise Refused(f"{where}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,200}}$'")


def _result(content: Any, where: str) -> None:
    if not isinstance(content, (str, list)):
        raise Refused(f"{where}: Input should be a valid list")
    for number, block in enumerate(content if isinstance(content, list) else ()):
        if not isinstance(block, dict) or block.get("type") not in ("text", "image", "document", "search_result"):
            raise Refused(f"{where}.{number}: Input tag found using 'type' does not match any of the expected tags")


def _roles(messages: list[dict[str, Any]], *, alternates: bool) -> None:
    if messages[0]["role"] != "user":
        raise Refused('messages: first message must use the "user" role')
    for one, other in pairwise(messages):
        if alternates and one["role"] == other["role"]:
            found = f'found multiple "{one["role"]}" roles in a row'
            raise Refused(f'messages: roles must alternate between "user" and "assistant", but {found}')


def _empty(messages: list[dict[str, Any]]) -> None:
    for at, message in enumerate(messages):
        last = at == len(messages) - 1 and message["role"] == "assistant"
        if not message["content"]:
            if not last:
                raise Refused(f"messages.{at}: all messages must have non-empty content except for the optional final assistant message")
            continue
        for block in blocks(message):
            if block["type"] == "text" and not block["text"]:
                raise Refused("messages: text content blocks must be non-empty")
            if block["type"] == "text" and not block["text"].strip():
                raise Refused("messages: text content blocks must contain non-whitespace text")
        ending = blocks(message)[-1]
        if last and ending["type"] == "text" and ending["text"] != ending["text"].rstrip():
            raise Refused("messages: final assistant content cannot end with trailing whitespace")


def _turns(messages: list[dict[str, Any]]) -> Iterator[tuple[str, list[tuple[str, dict[str, Any]]]]]:
    """Yield whose turn it is, and the blocks of it with the places that errors name."""
    held: list[tuple[str, dict[str, Any]]] = []
    for at, message in enumerate(messages):
        held += [(f"messages.{at}.content.{number}", block) for number, block in enumerate(blocks(message))]
        if at + 1 == len(messages) or messages[at + 1]["role"] != message["role"]:
            yield message["role"], held
            held = []


def _pairs(messages: list[dict[str, Any]]) -> None:
    """Refuse calls that no results follow at once, results that follow none, and ids that are taken."""
    seen: set[str] = set()
    asked: dict[str, str] = {}
    for role, held in [*_turns(messages), ("user", [])]:
        if role == "assistant":
            asked = {block["id"]: where for where, block in held if block["type"] == "tool_use"}
            for where, block in held:
                if block["type"] == "tool_use" and (block["id"] in seen or asked[block["id"]] != where):
                    raise Refused(f"{where}: `tool_use` ids must be unique")
            seen |= asked.keys()
            continue
        _told(held, asked)
        asked = {}


def _told(held: list[tuple[str, dict[str, Any]]], asked: dict[str, str]) -> None:
    told: set[str] = set()
    first = next((number for number, (_, block) in enumerate(held) if block["type"] != "tool_result"), len(held))
    for number, (where, block) in enumerate(held):
        if block["type"] != "tool_result":
            continue
        id_ = block["tool_use_id"]
        if id_ not in asked:
            what = "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
            raise Refused(f"{where}: unexpected `tool_use_id` found in `tool_result` blocks: {id_}. {what}")
        if id_ in told:
            text = "each tool_use must have a single result. Found multiple `tool_result` blocks with id:"
            raise Refused(f"{where}: {text} {id_}")
        told |= {id_} if number < first else set()
    if missing := [id_ for id_ in asked if id_ not in told]:
        message = asked[missing[0]].rpartition(".content")[0]
        what = "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
        text = f"{message}: `tool_use` ids were found without `tool_result` blocks immediately after: {', '.join(missing)}."
        raise Refused(f"{text} {what}")


def _thoughts(request: dict[str, Any], issued: Issued) -> None:
    """Refuse a last turn of the model whose reasoning is not what was sent, or is missing where it is on."""
    messages = request["messages"]
    for at in range(len(messages) - 1, -1, -1):
        if messages[at]["role"] == "assistant":
            _unaltered(messages[at], at, issued)
            break
    if (request.get("thinking") or {}).get("type") not in ("enabled", "adaptive"):
        return
    start = len(messages)
    while start and not _speaks(messages[start - 1]):
        start -= 1
    first = next((at for at in range(start, len(messages)) if messages[at]["role"] == "assistant"), None)
    if first is not None and (found := blocks(messages[first])[0]["type"]) not in THOUGHTS:
        text = f"messages.{first}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{found}`."
        rule = "When `thinking` is enabled, a final `assistant` message must start with a thinking block"
        raise Refused(f"{text} {rule} (preceeding the lastmost set of `tool_use` and `tool_result` blocks).")


def _speaks(message: dict[str, Any]) -> bool:
    return message["role"] == "user" and any(block["type"] != "tool_result" for block in blocks(message))


def _unaltered(message: dict[str, Any], at: int, issued: Issued) -> None:
    held = blocks(message)
    sent = next((known for block in held if block["type"] == "tool_use" and (known := issued(block["id"])) is not None), None)
    kept = [block for block in held if block["type"] in THOUGHTS]
    if sent is not None and kept and kept != sent:
        text = "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified."
        raise Refused(f"messages.{at}.content.0: {text} These blocks must remain as they were in the original response.")


def _around(request: dict[str, Any]) -> None:
    """Refuse what stands beside the messages."""
    system, tools = request.get("system", ""), request.get("tools", [])
    if not isinstance(system, (str, list)):
        raise Refused("system: Input should be a valid list")
    for at, block in enumerate(system if isinstance(system, list) else ()):
        if block.get("type") != "text":
            raise Refused(f"system.{at}.type: Input should be 'text'")
        if not block.get("text"):
            raise Refused("system: text content blocks must be non-empty")
    held = [block for message in request["messages"] for block in blocks(message)]
    if not tools and any(block["type"] in ("tool_use", "tool_result") for block in held):
        raise Refused("Requests which include `tool_use` or `tool_result` blocks must define tools")
    names = [tool.get("name") for tool in tools]
    if len({*names}) < len(names):
        raise Refused("tools: Tool names must be unique.")
    cached = [one for one in [*held, *tools, *(system if isinstance(system, list) else [])] if "cache_control" in one]
    if len(cached) > MOST_CACHED:
        raise Refused(f"A maximum of {MOST_CACHED} blocks with cache_control may be provided. Found {len(cached)}.")


def check_length(tokens: int, answer: int, window: int) -> None:
    """Raise Refused when a request of so many tokens, and the answer that it asks for, exceed the window."""
    if tokens > window:
        raise Refused(f"prompt is too long: {tokens} tokens > {window} maximum")
    if tokens + answer > window:
        limit = f"input length and `max_tokens` exceed context limit: {tokens} + {answer} > {window}"
        raise Refused(f"{limit}, decrease input length or `max_tokens` and try again")


def body(refused: Refused) -> dict[str, Any]:
    """Return a refusal as the API writes it."""
    return {"type": "error", "error": {"type": "invalid_request_error", "message": refused.message}}
