"""Claude Code sessions: Anthropic messages, one per line, linked as a tree.

Most types and members are those of sessions that versions 2.1.92 and later wrote; those of editors, directories, plans
and MCP are as public descriptions of the program have them. A type that is not listed is only displayed, or is sent as
a text of the program that the session does not contain.
"""

from collections.abc import Iterator, Sequence

from ctxkit.core.chat.editing import ApiRules, ValuePatch, find_copies
from ctxkit.core.chat.formats import anthropic
from ctxkit.core.chat.formats.anthropic import make_result as make_result
from ctxkit.core.chat.formats.anthropic import make_result_value as make_result_value
from ctxkit.core.chat.model.blocks import read_file, read_parts
from ctxkit.core.chat.model.calls_and_results import (
    find_calls,
    find_passages,
    find_results,
    has_leading_reasoning,
    is_encrypted,
    is_message,
    read_message,
)
from ctxkit.core.chat.model.json_fields import dump_value, get_member, get_object, get_objects, get_text
from ctxkit.core.chat.model.message import (
    ChatEntry,
    ChatMessage,
    EntryLink,
    KeptSegment,
    MessagePart,
    Place,
    RecordContent,
    RecordPassage,
    RecordResult,
)
from ctxkit.core.text.json_value import JsonValue

NAME, PROVIDER, LINEAR = "claude-code", "anthropic", False
RULES = ApiRules("near", user_opens=True, loops_are_atomic=True, summary_role="user")
SHARED_KEYS = (
    *("isSidechain", "userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "agentId", "slug"),
    "timestamp",
)
"""Members that all lines of a session, or neighbouring lines, share."""
_LINE_KEYS = ("sessionId", "uuid", "timestamp", "session_id")
"""Members of which each line has one: a session, an export, and --output-format stream-json."""
_EVENT_TYPES = ("file-history-snapshot", "queue-operation", "progress")
"""Types of lines outside the tree that belong to a moment; other types, such as titles, describe the session."""
_PROGRAM_PREFIXES = (
    *("<local-command-", "<command-name>", "<command-message>", "<bash-", "<task-notification>", "<system-reminder>"),
    *("Caveat: The messages below", "[Request interrupted by user"),
)
"""Prefixes of messages that the program writes with the role of the user."""
_REMINDER, _REMINDER_END = "<system-reminder>", "</system-reminder>"
_MESSAGE: Place = ("message", "content")


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value is a line of a session, or an export of lines."""
    if get_objects(value, "loglines"):
        return any(map(is_format_of, value["loglines"]))
    typed = get_text(value, "type") in ("user", "assistant") and is_message(value.get("message"))
    return typed and any(key in value for key in _LINE_KEYS)


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the message of a line, or its link; raise ValueError if the value is not an object."""
    if not isinstance(value, dict):
        raise ValueError("not a session entry")
    for line in get_objects(value, "loglines") or [value]:
        yield from _read_line(line)


def _read_line(value: dict[str, JsonValue]) -> Iterator[ChatEntry]:
    message = get_object(value, "message")
    link = _read_link(value, get_text(message, "id"))
    if _is_message(value):
        yield read_message(message, link)
    elif is_sent(value):
        yield ChatMessage("user", tuple(_read_attachment_parts(value)), link=link)
    elif link.id or link.is_boundary or link.is_tip:
        yield link


def _is_message(value: JsonValue) -> bool:
    """Return whether a line is sent to the model; API error messages are only displayed."""
    typed = get_text(value, "type") in ("user", "assistant") and is_message(get_object(value, "message"))
    return typed and value.get("isApiErrorMessage") is not True


def _is_rewind(value: JsonValue) -> bool:
    """Return whether a line says where the user went back to: at first, no message continues from there."""
    marks = get_text(value, "type") == "last-prompt" and isinstance(value, dict) and value.get("explicit") is True
    return marks and bool(get_text(value, "leafUuid"))


def _read_link(value: dict[str, JsonValue], group: str) -> EntryLink:
    if _is_rewind(value):
        return EntryLink("", get_text(value, "leafUuid"), is_tip=True)
    parent = (get_text(value, "parentUuid") or "") if "parentUuid" in value else None
    begins = get_text(value, "subtype") == "compact_boundary"
    return EntryLink(
        get_text(value, "uuid"), parent, group, value.get("isSidechain") is True, begins, _read_segment(value)
    )


def _read_segment(value: dict[str, JsonValue]) -> KeptSegment | None:
    """Return the entries that a compaction kept: older versions list their ends, newer ones list all."""
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


def find_entry_list(document: JsonValue) -> Place | None:
    """Return the place of the lines in an export, None for a session with one entry per line."""
    return ("loglines",) if get_objects(document, "loglines") else None


def read_content(value: JsonValue) -> RecordContent:
    """Return the role, calls, results and passages of a line."""
    message, kind = get_object(value, "message"), get_text(value, "type")
    if is_sent(value):
        passages = tuple(_find_attachment_passages(value))
        return RecordContent("user", passages=passages, automatic=not is_from_user(value))
    if not _is_message(value):
        is_note = get_text(value, "uuid") or kind in _EVENT_TYPES or _is_rewind(value)
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


def _is_program(content: JsonValue) -> bool:
    """Return whether the program wrote a user message; a command with arguments is from the user."""
    texts = [passage.text for passage in find_passages(content, ()) if passage.text.strip()]
    words = next((bare for text in texts if (bare := _drop_reminders(text))), "")
    if texts and not words:
        return True
    arguments = words.partition("<command-args>")[2].partition("</command-args>")[0].strip()
    return words.startswith(_PROGRAM_PREFIXES) and not arguments


def _drop_reminders(text: str) -> str:
    """Return a text from the first word that is not in a reminder at its beginning."""
    start = _find_word(text, 0)
    while text.startswith(_REMINDER, start) and (end := text.find(_REMINDER_END, start)) >= 0:
        start = _find_word(text, end + len(_REMINDER_END))
    return text[start:]


def _find_word(text: str, start: int) -> int:
    """Return the offset of the first character from ``start`` on that is not blank."""
    while start < len(text) and text[start].isspace():
        start += 1
    return start


def _add_copies(value: dict[str, JsonValue], result: RecordResult) -> RecordResult:
    return result._replace(copies=find_copies(value.get("toolUseResult"), result.text, ("toolUseResult",)))


def wrap_results(results: Sequence[JsonValue]) -> JsonValue | None:
    """Return the user line that contains results; ``attach_entry`` links it to the session."""
    return {"type": "user", "message": anthropic.wrap_results(results)}


def attach_entry(value: JsonValue, key: str, parent: str | None, neighbor: JsonValue) -> JsonValue:
    """Return a line with the shared members and, if the session has ids, with its id and parent."""
    linked = {"parentUuid": parent} if _has_ids(neighbor) else {}
    named = {"uuid": make_id(key)} if _has_ids(neighbor) else {}
    return {**linked, "isSidechain": False, **_copy_shared(neighbor), **value, **named}


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the lines of a summary as the program writes them: a boundary that begins a tree, then the summary.

    With a parent, the summary has no boundary, because entries before a boundary are not sent.
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


def _has_ids(neighbor: JsonValue) -> bool:
    """Return whether the lines of a session have ids; an export has none, and some notes never have one."""
    return "uuid" in neighbor if _is_message(neighbor) else True


def _copy_shared(neighbor: JsonValue) -> dict[str, JsonValue]:
    return {key: neighbor[key] for key in SHARED_KEYS if key in neighbor} if isinstance(neighbor, dict) else {}


def make_id(key: str) -> str:
    """Return the id that a new line derives from ``key``, 32 hex digits."""
    return "-".join((key[:8], key[8:12], key[12:16], key[16:20], key[20:32]))


def patch_parent(value: JsonValue, parent: str | None) -> Sequence[ValuePatch]:
    """Return the patch that changes the parent of a line, None for the root."""
    if _is_rewind(value):
        return (ValuePatch(("leafUuid",), parent),)
    return (ValuePatch(("parentUuid",), parent),) if "parentUuid" in value else ()


def patch_segment(value: JsonValue, anchor: str, ids: Sequence[str]) -> Sequence[ValuePatch]:
    """Return the patches after which a boundary keeps only the entries ``ids``, behind ``anchor``.

    Claude Code loads all of the history if an end of the segment is missing.
    """
    metadata = get_object(value, "compactMetadata")
    keys = [key for key in ("preservedSegment", "preservedMessages") if isinstance(metadata.get(key), dict)]
    if not ids:
        return [ValuePatch(("compactMetadata", key), action="remove") for key in keys]
    members: dict[str, JsonValue] = {"headUuid": ids[0], "tailUuid": ids[-1], "anchorUuid": anchor}
    patches: list[ValuePatch] = []
    kept_ids = set(ids)
    for key in keys:
        for name, member in metadata[key].items():
            new = [id_ for id_ in member if id_ in kept_ids] if isinstance(member, list) else members.get(name, member)
            patches += [ValuePatch(("compactMetadata", key, name), new)] if new != member else []
    return patches


_QUEUED = "queued_command"
_FILE = ("content", "file")
_MEMBERS: dict[str, tuple[str, ...]] = {
    _QUEUED: ("prompt",),
    "file": (*_FILE, "content"),
    "edited_text_file": ("snippet",),
    "selected_lines_in_ide": ("content",),
    "directory": ("content",),
    "nested_memory": ("content", "content"),
    "plan_file_reference": ("planContent",),
    "mcp_resource": ("content",),
    "hook_additional_context": ("content",),
    "hook_success": ("content",),
    "hook_blocking_error": ("blockingError", "blockingError"),
    "async_hook_response": ("response", "hookSpecificOutput", "additionalContext"),
    "task_reminder": ("content",),
    "todo_reminder": ("content",),
    "skill_listing": ("content",),
    "invoked_skills": ("skills",),
    "agent_listing_delta": ("addedLines",),
    "deferred_tools_delta": ("addedLines",),
    "mcp_instructions_delta": ("addedBlocks",),
    "diagnostics": ("files",),
    "total_tokens_reminder": ("text",),
    "batching_reminder_sent": ("text",),
    "silent_turn_reminder": ("text",),
    "read_truncation_notice": ("banner",),
}
"""The place in an attachment, by its type, of what the model receives: text, blocks, a list of texts, or objects."""
_HOOK_EVENTS = ("SessionStart", "UserPromptSubmit")
"""The events of which the output of a hook that succeeded is sent."""


def is_sent(line: JsonValue) -> bool:
    """Return whether a line of a session is an attachment that the model receives."""
    attachment = get_object(line, "attachment")
    kind = get_text(attachment, "type")
    if kind not in _MEMBERS or (kind == "hook_success" and get_text(attachment, "hookEvent") not in _HOOK_EVENTS):
        return False
    return bool(get_member(attachment, _MEMBERS[kind]) or get_text(get_member(attachment, _FILE), "base64"))


def is_from_user(line: JsonValue) -> bool:
    """Return whether the user typed an attachment: a message while the agent worked, not a notification."""
    attachment = get_object(line, "attachment")
    if get_text(attachment, "type") != _QUEUED or attachment.get("isMeta") is True:
        return False
    return get_text(attachment, "commandMode") in ("", "prompt")


def _read_attachment_parts(line: JsonValue) -> Iterator[MessagePart]:
    """Yield the parts of an attachment."""
    attachment = get_object(line, "attachment")
    kind = get_text(attachment, "type")
    value, file = get_member(attachment, _MEMBERS[kind]), get_member(attachment, _FILE)
    if get_text(file, "base64"):
        is_image = get_text(attachment.get("content"), "type") == "image"
        yield read_file({"data": get_text(file, "base64")}, "image" if is_image else "document")
    elif kind == _QUEUED or isinstance(value, str):
        yield from read_parts(value)
    elif value:
        texts = isinstance(value, list) and all(isinstance(item, str) for item in value)
        yield from read_parts(value) if texts else [MessagePart("other", dump_value(value))]


def _find_attachment_passages(line: JsonValue) -> Iterator[RecordPassage]:
    """Yield the passages of an attachment, each with its place in the line."""
    attachment = get_object(line, "attachment")
    place = _MEMBERS[get_text(attachment, "type")]
    value = get_member(attachment, place)
    yield from find_passages(value, ("attachment", *place))
    for at, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, str):
            yield RecordPassage(item, ("attachment", *place, at))
