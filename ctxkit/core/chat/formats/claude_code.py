"""The sessions that Claude Code keeps: Anthropic's messages, one a line, linked to a tree."""

from collections.abc import Iterator
from typing import Any

from ctxkit.core.chat.message import Entry, Link
from ctxkit.core.chat.shape import mapping, objects, text
from ctxkit.core.chat.turn import is_turn, turn

NAME, PROVIDER, LINEAR = "claude-code", "anthropic", False


def claims(value: Any) -> bool:
    """Tell whether a value is a line of a session, or an export of its lines."""
    if objects(value, "loglines"):
        return any(map(claims, value["loglines"]))
    typed = text(value, "type") in ("user", "assistant") and is_turn(value.get("message"))
    return typed and ("sessionId" in value or "uuid" in value or "timestamp" in value)


def entries(value: Any) -> Iterator[Entry]:
    """Yield the message of a line, else its place in the tree; raises ValueError when it is no object."""
    if not isinstance(value, dict):
        raise ValueError("no entry of a session")
    for line in objects(value, "loglines") or [value]:
        yield from _line(line)


def _line(value: dict[str, Any]) -> Iterator[Entry]:
    message = mapping(value, "message")
    link = _link(value, text(message, "id"))
    if text(value, "type") in ("user", "assistant") and is_turn(message):
        yield turn(message, link)
    elif link.id:
        yield link


def _link(value: dict[str, Any], group: str) -> Link:
    parent = (text(value, "parentUuid") or "") if "parentUuid" in value else None
    return Link(text(value, "uuid"), parent, group, value.get("isSidechain") is True)
