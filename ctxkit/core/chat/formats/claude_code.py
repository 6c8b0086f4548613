"""The sessions that Claude Code keeps: Anthropic's messages, one a line, linked to a tree."""

from collections.abc import Iterator, Sequence
from typing import Any

from ctxkit.core.chat.copies import copies_in
from ctxkit.core.chat.editor import Patch, Rules
from ctxkit.core.chat.formats import anthropic
from ctxkit.core.chat.formats.anthropic import answer as answer
from ctxkit.core.chat.formats.anthropic import returned as returned
from ctxkit.core.chat.message import Entry, Link, Segment
from ctxkit.core.chat.record import Anatomy, Place, Result
from ctxkit.core.chat.shape import mapping, objects, text
from ctxkit.core.chat.turn import is_turn, turn
from ctxkit.core.chat.units import calls_in, passages_in, results_in, sealed, thinks

NAME, PROVIDER, LINEAR = "claude-code", "anthropic", False
RULES = Rules("near", opens=True, loops=True, summary="user")
SHARED = (
    *("isSidechain", "userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "agentId", "slug"),
    "timestamp",
)
"""What the lines of a session have in common, or those that stand beside one another."""
_PASSING = ("file-history-snapshot", "queue-operation", "progress")
"""Lines outside the tree that belong to a moment; others, such as titles and modes, say something of the session."""
_PROGRAM = (
    *("<local-command-", "<command-name>", "<command-message>", "<bash-", "<task-notification>", "<system-reminder>"),
    *("Caveat: The messages below", "[Request interrupted by user"),
)
"""How messages begin that the program writes in the name of the user."""
_MESSAGE: Place = ("message", "content")


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
    if _is_message(value):
        yield turn(message, link)
    elif link.id or link.begins:
        yield link


def _is_message(value: Any) -> bool:
    """Tell whether a model reads a line: what the program says of an error of the API is only shown."""
    typed = text(value, "type") in ("user", "assistant") and is_turn(mapping(value, "message"))
    return typed and value.get("isApiErrorMessage") is not True


def _link(value: dict[str, Any], group: str) -> Link:
    parent = (text(value, "parentUuid") or "") if "parentUuid" in value else None
    begins = text(value, "subtype") == "compact_boundary"
    return Link(text(value, "uuid"), parent, group, value.get("isSidechain") is True, begins, _segment(value))


def _segment(value: dict[str, Any]) -> Segment | None:
    """Return what a compaction kept: by its ends in older versions, one by one in newer ones."""
    metadata = mapping(value, "compactMetadata")
    kept, listed = mapping(metadata, "preservedSegment"), mapping(metadata, "preservedMessages")
    named = next((ids for key in ("allUuids", "uuids") if isinstance(ids := listed.get(key), list)), [])
    if ids := tuple(id_ for id_ in named if isinstance(id_, str)):
        return Segment(text(listed, "anchorUuid"), ids, True)
    return Segment(text(kept, "anchorUuid"), (text(kept, "headUuid"), text(kept, "tailUuid"))) if kept else None


def where(document: Any) -> Place | None:
    """Return where the lines of an export stand; a session has one entry a line."""
    return ("loglines",) if objects(document, "loglines") else None


def anatomy(value: Any) -> Anatomy:
    """Return what a line says, calls and answers."""
    message, kind = mapping(value, "message"), text(value, "type")
    if not _is_message(value):
        passing = text(value, "uuid") or kind in _PASSING
        return Anatomy(kind="note" if passing else "head")
    content = message.get("content")
    results = tuple(_with_copies(value, result) for result in results_in(content, _MESSAGE))
    return Anatomy(
        "assistant" if kind == "assistant" else "user",
        "summary" if value.get("isCompactSummary") is True else "message",
        tuple(calls_in(content, _MESSAGE)),
        results,
        tuple(passages_in(content, _MESSAGE)),
        sealed(content),
        thinks(content),
        None if kind != "assistant" else anthropic.receipt(message),
        value.get("isMeta") is True or _is_program(content),
    )


def _is_program(content: Any) -> bool:
    """Tell whether the program speaks for the user; a command with arguments is the user's own."""
    first = next(iter(passages_in(content, ())), None)
    said = first.text.lstrip() if first else ""
    given = said.partition("<command-args>")[2].partition("</command-args>")[0].strip()
    return said.startswith(_PROGRAM) and not given


def _with_copies(value: dict[str, Any], result: Result) -> Result:
    return result._replace(copies=copies_in(value.get("toolUseResult"), result.text, ("toolUseResult",)))


def carrier(answers: Sequence[Any]) -> Any | None:
    """Return the line of the user that carries results; ``hung`` gives it a place in the session."""
    return {"type": "user", "message": anthropic.carrier(answers)}


def hung(value: Any, key: str, parent: str | None, near: Any) -> Any:
    """Return a line with its id and its parent, unless those of the session have none, and what all lines share."""
    linked = {"parentUuid": parent} if _has_ids(near) else {}
    named = {"uuid": identity(key)} if _has_ids(near) else {}
    return {**linked, "isSidechain": False, **_shared(near), **value, **named}


def summary(words: str, role: str, key: str, parent: str | None, near: Any) -> Sequence[Any]:
    """Return the lines that hold a summary, as the program writes them: a boundary that begins a tree, and the summary.

    Under a parent it stands alone: what is before a boundary would be lost.
    """
    del role
    message = {"role": "user", "content": words}
    said = {"type": "user", "message": message, "isCompactSummary": True, "isVisibleInTranscriptOnly": True}
    if parent or not _has_ids(near):
        return (hung(said, key, parent, near),)
    boundary = {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "isMeta": False}
    boundary |= {"level": "info", "compactMetadata": {"trigger": "manual", "preTokens": 0}}
    first = key[::-1]
    return (hung(boundary, first, None, near), hung(said, key, identity(first), near))


def _has_ids(near: Any) -> bool:
    """Tell whether the lines of a session have ids: those of an export have none, and some notes nowhere."""
    return "uuid" in near if _is_message(near) else True


def _shared(near: Any) -> dict[str, Any]:
    return {key: near[key] for key in SHARED if key in near} if isinstance(near, dict) else {}


def identity(key: str) -> str:
    """Return the id that a line made here gets of ``key``, 32 hex digits."""
    return "-".join((key[:8], key[8:12], key[12:16], key[16:20], key[20:32]))


def relinked(value: Any, parent: str | None) -> Sequence[Patch]:
    """Return how to hang a line under another parent, None for the root."""
    return (Patch(("parentUuid",), parent),) if "parentUuid" in value else ()
