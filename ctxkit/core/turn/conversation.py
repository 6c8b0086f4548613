"""The conversation of a turn: what a session resumes from, the new messages, and pairs of calls and results."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from ctxkit.core.chat.editing import EditableFormat
from ctxkit.core.chat.model.json_fields import get_text
from ctxkit.core.chat.model.message import Record
from ctxkit.core.chat.reading.format_registry import find_format, find_unread_format, make_unread_error
from ctxkit.core.chat.reading.transcript import Transcript, parse_transcript
from ctxkit.core.errors import CtxkitError, MalformedInputError, UnreadFormatError, UsageError
from ctxkit.core.session.history import encode_entries

if TYPE_CHECKING:
    from ctxkit.core.chat.branches import Change
    from ctxkit.core.text.json_value import JsonValue

ROLES = {
    "openai": ("system", "developer", "user", "assistant", "tool", "function"),
    "responses": ("system", "developer", "user", "assistant"),
    "anthropic": ("user", "assistant"),
    "gemini": ("user", "model", "function"),
}
"""Roles that each API accepts in its list of messages."""
_SAMPLE_ENTRIES = 64
"""Entries that determine the format of a history."""


def parse_lines(data: bytes, name: str, format_: EditableFormat) -> Transcript:
    """Return messages in a format, one on a line, whatever their layout was; raise MalformedInputError."""
    try:
        transcript = parse_transcript(data, name, format_)
    except MalformedInputError as error:
        raise _find_unread_error(data, name) or error from None
    if unread := find_unread_format([record.value for record in islice(transcript.records, _SAMPLE_ENTRIES)]):
        raise make_unread_error(name, unread)
    _check_roles(transcript, name)
    if transcript.syntax == "lines" and transcript.encoding == "utf-8":
        return transcript
    lines = b"".join(line + b"\n" for line in encode_entries(transcript))
    return parse_transcript(lines, name, format_)._replace(head=transcript.head)


def _find_unread_error(data: bytes, name: str) -> UnreadFormatError | None:
    """Return the error for content in a format that ctxkit does not read, None if it is not known."""
    try:
        parse_transcript(data, name)
    except UnreadFormatError as error:
        return error
    except CtxkitError:
        return None
    return None


def _check_roles(transcript: Transcript, name: str) -> None:
    roles = ROLES[transcript.format.NAME]
    for record in transcript.records:
        role = get_text(record.value, "role")
        if role not in roles and (role or not get_text(record.value, "type")):
            problem = f"unknown role: {role}" if role else "the message has no role"
            hint = f"the API of {transcript.format.NAME} knows {', '.join(roles)}; --to names another API"
            raise MalformedInputError(f"{name}: line {record.line}: {problem}", hint=hint)


def check_history_format(transcript: Transcript, name: str) -> None:
    """Raise UsageError if a history is in the form of another provider than the format that it was read as."""
    detected = find_format([record.value for record in islice(transcript.records, _SAMPLE_ENTRIES)])
    target = transcript.format.NAME
    if detected is not None and detected.NAME not in (target, "openai"):
        raise UsageError(
            f"the history of {name} is in the form of {detected.NAME}, and the request would be in that of {target}",
            hint=f"--to {detected.NAME}" if detected.NAME in ROLES else "start another session",
        )


def join_transcripts(earlier: Transcript | None, later: Transcript | None) -> Transcript | None:
    """Return two conversations of lines as one, without parsing them again."""
    if earlier is None or later is None:
        return earlier or later
    text = earlier.text if earlier.text.endswith("\n") or not earlier.text else f"{earlier.text}\n"
    lines = text.count("\n")
    records = _shift_records(later.records, len(earlier.records), len(text), lines)
    return earlier._replace(text=text + later.text, records=(*earlier.records, *records))


def _shift_records(records: Sequence[Record], at: int, start: int, lines: int) -> list[Record]:
    return [
        record._replace(at=record.at + at, start=record.start + start, end=record.end + start, line=record.line + lines)
        for record in records
    ]


def detect_provider(*contents: bytes) -> str:
    """Return the provider whose format the first content with messages has; OpenAI if all messages are plain."""
    for content in contents:
        if not content.strip():
            continue
        try:
            transcript = parse_transcript(content, "stdin")
        except CtxkitError:
            continue
        values = [record.value for record in islice(transcript.records, _SAMPLE_ENTRIES)]
        formats = {format_.NAME for value in values if (format_ := find_format([value]))}
        special = [name for name in ROLES if name in formats and name != "openai"]
        return special[0] if special else "openai"
    return "openai"


def _has_words_alone(record: Record) -> bool:
    """Return whether a message has words, and neither calls nor results."""
    return bool(record.words.strip()) and not record.calls and not record.results


def complete_conversation(transcript: Transcript) -> tuple[Transcript, tuple[str, ...]]:
    """Return a conversation that can be sent, and the repairs; a call without a result gets a placeholder."""
    transcript = _join_neighbors(transcript)
    if all(map(_has_words_alone, transcript.records)):
        return transcript, ()
    # A conversation without calls does not import the repair, which saves start-up time.
    from ctxkit.core.chat.branches import Change, find_active_path
    from ctxkit.core.chat.validity.pairing import pair_calls
    from ctxkit.core.chat.validity.repair import NO_RESULT, repair_conversation

    repair = repair_conversation(transcript)
    if repair.actions:
        transcript = _apply_change(transcript, repair.change)
    records = [transcript.records[at] for at in find_active_path(transcript)]
    waiting = [placed.call for placed in pair_calls(records, transcript.format.RULES).waiting]
    if not waiting:
        return transcript, repair.actions
    results = [transcript.format.make_result(call, NO_RESULT) for call in waiting]
    wrapped = transcript.format.wrap_results(results)
    entries: list[JsonValue] = results if wrapped is None else [wrapped]
    actions = [f"the call of {call.name or call.id} had no result: inserted `{NO_RESULT}`" for call in waiting]
    change = Change(inserted={len(transcript.records): entries})
    return _apply_change(transcript, change), (*repair.actions, *actions)


def _join_neighbors(transcript: Transcript) -> Transcript:
    """Return the conversation with messages of the same role joined, if the API requires alternating roles."""
    records = transcript.records
    if not transcript.format.RULES.roles_alternate:
        return transcript
    starts = [at for at, record in enumerate(records) if not at or record.role != records[at - 1].role]
    groups = [records[start:stop] for start, stop in zip(starts, [*starts[1:], len(records)], strict=True)]
    long_groups = [group for group in groups if len(group) > 1]
    if not long_groups:
        return transcript
    from ctxkit.core.chat.branches import Change
    from ctxkit.core.chat.editing import ValuePatch

    patches = {
        group[0].at: [ValuePatch(("content",), [block for record in group for block in _list_blocks(record.value)])]
        for group in long_groups
    }
    dropped = frozenset(record.at for group in long_groups for record in group[1:])
    return _apply_change(transcript, Change(dropped, patches))


def _list_blocks(message: JsonValue) -> list[JsonValue]:
    content = message.get("content")
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if isinstance(content, str) and content.strip() else []


def _apply_change(transcript: Transcript, change: Change) -> Transcript:
    from ctxkit.core.chat.branches import apply_change

    data = transcript.encode(apply_change(transcript, change))
    return parse_transcript(data, "the completed conversation", transcript.format)
