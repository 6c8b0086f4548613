"""The sessions that pi keeps: one entry a line, linked to a tree since version 2."""

from collections.abc import Iterator, Sequence
from typing import Any

from ctxkit.core.chat.blocks import parts_of
from ctxkit.core.chat.copies import copies_in
from ctxkit.core.chat.editor import Patch, Rules
from ctxkit.core.chat.message import Entry, Kept, Link, Message, Part
from ctxkit.core.chat.record import Anatomy, Call, Passage, Place, Receipt, Result
from ctxkit.core.chat.shape import mapping, number, text
from ctxkit.core.chat.turn import turn
from ctxkit.core.chat.units import calls_in, passages_in, plain, results_in, said, thinks

NAME, PROVIDER, LINEAR = "pi", "", False
RULES = Rules("near", summary="user")
TIME = "1970-01-01T00:00:00.000Z"
"""The time of an entry that is made where there is no other: an entry must have one."""
_HEADER = {"cwd", "id", "timestamp"}
_FAILED = ("error", "aborted")
"""How responses stop that pi never sends again, nor waits for the results of their calls."""
_CUSTOM = ("custom", "hookMessage")
"""Roles of messages that extensions write; the model reads them as the user's."""
_MESSAGE: Place = ("message", "content")


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
        yield _message(message, link)
    elif kind == "compaction":
        # the header, which is the first entry of a file, cannot be kept: then nothing is of what came before
        kept = Kept(text(value, "firstKeptEntryId"), number(value, "firstKeptEntryIndex") or None)
        yield Message("user", (Part("text", text(value, "summary")),), "compaction", link=link, kept=kept)
    elif kind == "branch_summary":
        yield Message("user", (Part("text", text(value, "summary")),), kind, link=link)
    elif kind == "custom_message":
        yield Message("user", tuple(parts_of(value.get("content"))), text(value, "customType"), link=link)
    else:
        yield link


def _message(message: dict[str, Any], link: Link) -> Message | Link:
    """Return a message; what the user ran is only a place in the tree where the model is not to see it."""
    role = text(message, "role")
    if role == "bashExecution":
        return link if message.get("excludeFromContext") is True else _ran(message, link)
    if role in _CUSTOM:
        return Message("user", tuple(parts_of(message.get("content"))), text(message, "customType"), link=link)
    return turn(message, link)


def _ran(message: dict[str, Any], link: Link) -> Message:
    """Return what the user ran: pi shows the model the command and its output."""
    words = f"Ran `{text(message, 'command')}`\n```\n{text(message, 'output')}\n```"
    return Message("user", (Part("text", words),), "bash", link=link)


def _link(value: dict[str, Any]) -> Link:
    header = text(value, "type") == "session"
    parent = "" if header or ("parentId" in value and value["parentId"] is None) else text(value, "parentId") or None
    return Link(text(value, "id"), parent, tip=not header)


def where(document: Any) -> Place | None:
    """Return None: a session has one entry a line."""
    del document
    return None


def anatomy(value: Any) -> Anatomy:
    """Return what an entry says, calls and answers."""
    kind = text(value, "type")
    if kind == "message":
        return _spoken(mapping(value, "message"))
    if kind in ("compaction", "branch_summary"):
        words = text(value, "summary")
        return Anatomy("user", "summary", passages=(Passage(words, ("summary",)),) if words else (), automatic=True)
    if kind == "custom_message":
        return Anatomy("user", passages=tuple(passages_in(value.get("content"), ("content",))), automatic=True)
    return Anatomy(kind="head" if kind == "session" else "note")


def _spoken(message: dict[str, Any]) -> Anatomy:
    role, content = text(message, "role"), message.get("content")
    words = tuple(passages_in(content, _MESSAGE))
    if role == "toolResult":
        return Anatomy("tool", results=(_result(message),))
    if role == "bashExecution":
        return _executed(message)
    if role != "assistant":
        results = tuple(results_in(content, _MESSAGE))
        return Anatomy("user", results=results, passages=words, automatic=role in _CUSTOM)
    failed = text(message, "stopReason") in _FAILED
    calls = tuple(call._replace(settled=failed) for call in calls_in(content, _MESSAGE))
    return Anatomy(
        "assistant", calls=calls, passages=words, thinks=thinks(content), receipt=None if failed else receipt(message)
    )


def _result(message: dict[str, Any]) -> Result:
    content = message.get("content")
    words, failed = said(content), message.get("isError") is True
    copies = copies_in(message.get("details"), words, ("message", "details"))
    id_, name = text(message, "toolCallId"), text(message, "toolName")
    return Result(id_, words, _MESSAGE, name, failed, plain(content), copies)


def _executed(message: dict[str, Any]) -> Anatomy:
    if message.get("excludeFromContext") is True:
        return Anatomy(kind="note")
    words = text(message, "output")
    return Anatomy("user", passages=(Passage(words, ("message", "output")),) if words else (), automatic=True)


def receipt(message: dict[str, Any]) -> Receipt | None:
    """Return what a response took, None where its usage is not known."""
    used = mapping(message, "usage")
    context = number(used, "input") + number(used, "cacheRead") + number(used, "cacheWrite")
    return Receipt(context, number(used, "output")) if context else None


def returned(result: Result, words: str) -> Any:
    """Return the content of a result: always blocks."""
    del result
    return _blocks(words)


def _blocks(words: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": words}]


def answer(call: Call, words: str) -> Any:
    """Return the entry that answers a call; ``hung`` gives it a place in the session.

    Programs that write Anthropic's blocks into entries like pi's answer in those.
    """
    if call.place[-1:] == ("input",):
        block = {"type": "tool_result", "tool_use_id": call.id, "content": words}
        return {"type": "message", "message": {"role": "user", "content": [block]}}
    message = {"role": "toolResult", "toolCallId": call.id, "toolName": call.name, "content": _blocks(words)}
    return {"type": "message", "message": {**message, "isError": True, "timestamp": 0}}


def carrier(answers: Sequence[Any]) -> Any | None:
    """Return nothing: each result is an entry."""
    del answers
    return None


def hung(value: Any, key: str, parent: str | None, near: Any) -> Any:
    """Return an entry with its id and its parent, unless those of the session have none, and the time of another."""
    linked = {"id": identity(key), "parentId": parent} if _has_ids(near) else {}
    return {"type": value["type"], **linked, "timestamp": text(near, "timestamp") or TIME, **value}


def summary(words: str, role: str, key: str, parent: str | None, near: Any) -> Sequence[Any]:
    """Return the entry that holds a summary, as pi writes it: all that follows is kept, and nothing before.

    Under a parent it is a message instead: what is before a compaction would be lost.
    """
    del role
    if parent:
        made: dict[str, Any] = {"type": "custom_message", "customType": "summary", "content": words, "display": True}
        return (hung(made, key, parent, near),)
    first = {"firstKeptEntryId": text(near, "id") or identity(key)} if _has_ids(near) else {"firstKeptEntryIndex": 0}
    return (hung({"type": "compaction", "summary": words, **first, "tokensBefore": 0}, key, None, near),)


def _has_ids(near: Any) -> bool:
    """Tell whether the entries of a session have ids: since version 2 all of them, before that the header alone."""
    return not isinstance(near, dict) or "id" in near


def identity(key: str) -> str:
    """Return the id that an entry made here gets of ``key``, 32 hex digits: pi's have 8."""
    return key[:8]


def relinked(value: Any, parent: str | None) -> Sequence[Patch]:
    """Return how to hang an entry under another parent, None for the root."""
    return (Patch(("parentId",), parent),) if "parentId" in value else ()
