"""Attachments of Claude Code sessions: what the program sends beside messages, and what the user typed while it ran.

Most types and members are those of sessions that versions 2.1.92 and later wrote; those of editors, directories, plans
and MCP are as public descriptions of the program have them. A type that is not listed is only displayed, or is sent as
a text of the program that the session does not contain.
"""

from collections.abc import Iterator

from ctxkit.core.chat.model.attachments import read_file
from ctxkit.core.chat.model.blocks import read_parts
from ctxkit.core.chat.model.calls_and_results import find_passages
from ctxkit.core.chat.model.json_fields import dump_value, get_member, get_object, get_text
from ctxkit.core.chat.model.message import MessagePart, RecordPassage
from ctxkit.core.text.json_value import JsonValue

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


def read_attachment_parts(line: JsonValue) -> Iterator[MessagePart]:
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


def find_attachment_passages(line: JsonValue) -> Iterator[RecordPassage]:
    """Yield the passages of an attachment, each with its place in the line."""
    attachment = get_object(line, "attachment")
    place = _MEMBERS[get_text(attachment, "type")]
    value = get_member(attachment, place)
    yield from find_passages(value, ("attachment", *place))
    for at, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, str):
            yield RecordPassage(item, ("attachment", *place, at))
