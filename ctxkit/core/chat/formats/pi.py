"""The sessions that pi keeps: one entry a line, linked to a tree since version 2."""

from collections.abc import Iterator
from typing import Any

from ctxkit.core.chat.blocks import parts_of
from ctxkit.core.chat.message import Entry, Kept, Link, Message, Part
from ctxkit.core.chat.shape import mapping, text
from ctxkit.core.chat.turn import turn

NAME, PROVIDER, LINEAR = "pi", "", False
_HEADER = {"cwd", "id", "timestamp"}


def claims(value: Any) -> bool:
    """Tell whether a value is the header of a session, or a message of one."""
    if text(value, "type") == "session":
        return set(value) >= _HEADER
    return text(value, "type") == "message" and bool(text(mapping(value, "message"), "role"))


def entries(value: Any) -> Iterator[Entry]:
    """Yield the message or summary of a line, else its place in the tree; raises ValueError when it is no object."""
    if not isinstance(value, dict):
        raise ValueError("no entry of a session")
    kind, link, message = text(value, "type"), _link(value), mapping(value, "message")
    if kind == "message":
        yield _ran(message, link) if text(message, "role") == "bashExecution" else turn(message, link)
    elif kind == "compaction":
        index = value.get("firstKeptEntryIndex")
        kept = Kept(text(value, "firstKeptEntryId"), index if isinstance(index, int) else None)
        yield Message("user", (Part("text", text(value, "summary")),), "compaction", link=link, kept=kept)
    elif kind == "branch_summary":
        yield Message("user", (Part("text", text(value, "summary")),), kind, link=link)
    elif kind == "custom_message":
        yield Message("user", tuple(parts_of(value.get("content"))), text(value, "customType"), link=link)
    else:
        yield link


def _ran(message: dict[str, Any], link: Link) -> Message:
    """Return what the user ran: pi shows the model the command and its output."""
    words = f"Ran `{text(message, 'command')}`\n```\n{text(message, 'output')}\n```"
    return Message("user", (Part("text", words),), "bash", link=link)


def _link(value: dict[str, Any]) -> Link:
    header = text(value, "type") == "session"
    parent = "" if header or ("parentId" in value and value["parentId"] is None) else text(value, "parentId") or None
    return Link(text(value, "id"), parent)
