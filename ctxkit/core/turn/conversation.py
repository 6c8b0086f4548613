"""The conversation of a turn: what a session resumes from, and the new messages after it."""

from collections.abc import Sequence
from itertools import islice

from ctxkit.core.chat.editing.editable_format import EditableFormat
from ctxkit.core.chat.model.json_fields import get_text
from ctxkit.core.chat.model.record import Record
from ctxkit.core.chat.reading.format_registry import find_format
from ctxkit.core.chat.reading.transcript import Transcript, parse_transcript
from ctxkit.core.chat.reading.unread_formats import find_unread_format, make_unread_error
from ctxkit.core.errors import CtxkitError, MalformedInputError, UnreadFormatError, UsageError
from ctxkit.core.session.history import encode_entries

ROLES = {
    "openai": ("system", "developer", "user", "assistant", "tool", "function"),
    "responses": ("system", "developer", "user", "assistant"),
    "anthropic": ("user", "assistant"),
    "gemini": ("user", "model", "function"),
}
"""Roles that each API accepts in its list of messages."""
SAMPLE_ENTRIES = 64
"""Entries that determine the format of a history."""


def parse_lines(data: bytes, name: str, format_: EditableFormat) -> Transcript:
    """Return messages in a format, one on a line, whatever their layout was; raise MalformedInputError."""
    try:
        transcript = parse_transcript(data, name, format_)
    except MalformedInputError as error:
        raise _find_unread_error(data, name) or error from None
    if unread := find_unread_format([record.value for record in islice(transcript.records, SAMPLE_ENTRIES)]):
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
    detected = find_format([record.value for record in islice(transcript.records, SAMPLE_ENTRIES)])
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
        values = [record.value for record in islice(transcript.records, SAMPLE_ENTRIES)]
        formats = {format_.NAME for value in values if (format_ := find_format([value]))}
        special = [name for name in ROLES if name in formats and name != "openai"]
        return special[0] if special else "openai"
    return "openai"
