"""The sessions that Claude Code keeps: Anthropic's messages, one a line, linked to a tree."""

from collections.abc import Iterator, Sequence
from typing import Any

from ctxkit.core.chat.editing.copies import find_copies
from ctxkit.core.chat.editing.editable_format import ApiRules, ValuePatch
from ctxkit.core.chat.formats import anthropic
from ctxkit.core.chat.formats.anthropic import make_result as make_result
from ctxkit.core.chat.formats.anthropic import make_result_value as make_result_value
from ctxkit.core.chat.model.calls_and_results import (
    find_calls,
    find_passages,
    find_results,
    has_leading_reasoning,
    is_encrypted,
)
from ctxkit.core.chat.model.json_fields import get_object, get_objects, get_text
from ctxkit.core.chat.model.message import ChatEntry, EntryLink, KeptSegment
from ctxkit.core.chat.model.record import Place, RecordContent, RecordResult
from ctxkit.core.chat.model.role_message import is_message, read_message

NAME, PROVIDER, LINEAR = "claude-code", "anthropic", False
RULES = ApiRules("near", user_opens=True, loops_are_atomic=True, summary_role="user")
SHARED_KEYS = (
    *("isSidechain", "userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "agentId", "slug"),
    "timestamp",
)
"""What the lines of a session have in common, or those that stand beside one another."""
_EVENT_TYPES = ("file-history-snapshot", "queue-operation", "progress")
"""Lines outside the tree that belong to a moment; others, such as titles and modes, say something of the session."""
_PROGRAM_PREFIXES = (
    *("<local-command-", "<command-name>", "<command-message>", "<bash-", "<task-notification>", "<system-reminder>"),
    *("Caveat: The messages below", "[Request interrupted by user"),
)
"""How messages begin that the program writes in the name of the user."""
_MESSAGE: Place = ("message", "content")


def is_format_of(value: Any) -> bool:
    """Tell whether a value is a line of a session, or an export of its lines."""
    if get_objects(value, "loglines"):
        return any(map(is_format_of, value["loglines"]))
    typed = get_text(value, "type") in ("user", "assistant") and is_message(value.get("message"))
    return typed and ("sessionId" in value or "uuid" in value or "timestamp" in value)


def read_entries(value: Any) -> Iterator[ChatEntry]:
    """Yield the message of a line, else its place in the tree; raises ValueError when it is no object."""
    if not isinstance(value, dict):
        raise ValueError("not a session entry")
    for line in get_objects(value, "loglines") or [value]:
        yield from _read_line(line)


def _read_line(value: dict[str, Any]) -> Iterator[ChatEntry]:
    message = get_object(value, "message")
    link = _read_link(value, get_text(message, "id"))
    if _is_message(value):
        yield read_message(message, link)
    elif link.id or link.is_boundary:
        yield link


def _is_message(value: Any) -> bool:
    """Tell whether a model reads a line: what the program says of an error of the API is only shown."""
    typed = get_text(value, "type") in ("user", "assistant") and is_message(get_object(value, "message"))
    return typed and value.get("isApiErrorMessage") is not True


def _read_link(value: dict[str, Any], group: str) -> EntryLink:
    parent = (get_text(value, "parentUuid") or "") if "parentUuid" in value else None
    begins = get_text(value, "subtype") == "compact_boundary"
    return EntryLink(
        get_text(value, "uuid"), parent, group, value.get("isSidechain") is True, begins, _read_segment(value)
    )


def _read_segment(value: dict[str, Any]) -> KeptSegment | None:
    """Return what a compaction kept: by its ends in older versions, one by one in newer ones."""
    metadata = get_object(value, "compactMetadata")
    segment, messages = get_object(metadata, "preservedSegment"), get_object(metadata, "preservedMessages")
    uuids = next((ids for key in ("allUuids", "uuids") if isinstance(ids := messages.get(key), list)), [])
    if ids := tuple(id_ for id_ in uuids if isinstance(id_, str)):
        return KeptSegment(get_text(messages, "anchorUuid"), ids, True)
    return (
        KeptSegment(get_text(segment, "anchorUuid"), (get_text(segment, "headUuid"), get_text(segment, "tailUuid")))
        if segment
        else None
    )


def find_entry_list(document: Any) -> Place | None:
    """Return where the lines of an export stand; a session has one entry a line."""
    return ("loglines",) if get_objects(document, "loglines") else None


def read_content(value: Any) -> RecordContent:
    """Return what a line says, calls and answers."""
    message, kind = get_object(value, "message"), get_text(value, "type")
    if not _is_message(value):
        is_note = get_text(value, "uuid") or kind in _EVENT_TYPES
        return RecordContent(kind="note" if is_note else "head")
    content = message.get("content")
    results = tuple(_add_copies(value, result) for result in find_results(content, _MESSAGE))
    return RecordContent(
        "assistant" if kind == "assistant" else "user",
        "summary" if value.get("isCompactSummary") is True else "message",
        tuple(find_calls(content, _MESSAGE)),
        results,
        tuple(find_passages(content, _MESSAGE)),
        is_encrypted(content),
        has_leading_reasoning(content),
        None if kind != "assistant" else anthropic.read_receipt(message),
        value.get("isMeta") is True or _is_program(content),
    )


def _is_program(content: Any) -> bool:
    """Tell whether the program speaks for the user; a command with arguments is the user's own."""
    first = next(iter(find_passages(content, ())), None)
    words = first.text.lstrip() if first else ""
    arguments = words.partition("<command-args>")[2].partition("</command-args>")[0].strip()
    return words.startswith(_PROGRAM_PREFIXES) and not arguments


def _add_copies(value: dict[str, Any], result: RecordResult) -> RecordResult:
    return result._replace(copies=find_copies(value.get("toolUseResult"), result.text, ("toolUseResult",)))


def wrap_results(results: Sequence[Any]) -> Any | None:
    """Return the line of the user that carries results; ``attach_entry`` gives it a place in the session."""
    return {"type": "user", "message": anthropic.wrap_results(results)}


def attach_entry(value: Any, key: str, parent: str | None, neighbor: Any) -> Any:
    """Return a line with its id and its parent, unless those of the session have none, and what all lines share."""
    linked = {"parentUuid": parent} if _has_ids(neighbor) else {}
    named = {"uuid": make_id(key)} if _has_ids(neighbor) else {}
    return {**linked, "isSidechain": False, **_copy_shared(neighbor), **value, **named}


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: Any) -> Sequence[Any]:
    """Return the lines that hold a summary, as the program writes them: a boundary that begins a tree, and the summary.

    Under a parent it stands alone: what is before a boundary would be lost.
    """
    del role
    message = {"role": "user", "content": words}
    entry = {"type": "user", "message": message, "isCompactSummary": True, "isVisibleInTranscriptOnly": True}
    if parent or not _has_ids(neighbor):
        return (attach_entry(entry, key, parent, neighbor),)
    boundary = {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "isMeta": False}
    boundary |= {"level": "info", "compactMetadata": {"trigger": "manual", "preTokens": 0}}
    first = key[::-1]
    return (attach_entry(boundary, first, None, neighbor), attach_entry(entry, key, make_id(first), neighbor))


def _has_ids(neighbor: Any) -> bool:
    """Tell whether the lines of a session have ids: those of an export have none, and some notes nowhere."""
    return "uuid" in neighbor if _is_message(neighbor) else True


def _copy_shared(neighbor: Any) -> dict[str, Any]:
    return {key: neighbor[key] for key in SHARED_KEYS if key in neighbor} if isinstance(neighbor, dict) else {}


def make_id(key: str) -> str:
    """Return the id that a line made here gets of ``key``, 32 hex digits."""
    return "-".join((key[:8], key[8:12], key[12:16], key[16:20], key[20:32]))


def patch_parent(value: Any, parent: str | None) -> Sequence[ValuePatch]:
    """Return how to hang a line under another parent, None for the root."""
    return (ValuePatch(("parentUuid",), parent),) if "parentUuid" in value else ()
