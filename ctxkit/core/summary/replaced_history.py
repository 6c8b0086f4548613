"""The messages that a compaction repeats, as messages of the conversation."""

from collections.abc import Iterator, Mapping, Sequence

from ctxkit.core.chat.model.message import SYSTEM_ROLES, ChatMessage, Record, Role

SUMMARY_START = "Another language model started to solve this problem"
"""The beginning of the message with which Codex hands over a summary, among the messages that it keeps."""


def expand_histories(records: Sequence[Record]) -> Sequence[Record]:
    """Return records in which the messages of a compaction stand alone; only its hand-over remains a summary.

    Codex writes the messages that it keeps, and its summary, into one entry. What the users and the agent said in them
    is no statement of a summary.
    """
    if not any(map(_is_history, records)):
        return records
    return [part for record in records for part in (_expand(record) if _is_history(record) else (record,))]


def _is_history(record: Record) -> bool:
    return record.kind == "summary" and len(record.messages) > 1


def _expand(record: Record) -> Iterator[Record]:
    """Yield a record for each message with text, then one with the calls and results."""
    payload = record.value.get("payload") if isinstance(record.value, Mapping) else None
    handover = payload.get("message") if isinstance(payload, Mapping) else None
    handover = handover.strip() if isinstance(handover, str) else ""
    bare = record._replace(calls=(), results=(), passages=(), kind="message")
    for message in record.messages:
        part = bare._replace(entries=(message,), role=_read_role(message))
        if words := part.words.strip():
            is_handover = words.startswith(SUMMARY_START) or (bool(handover) and handover in words)
            yield part._replace(kind="summary") if is_handover else part
    if record.calls or record.results:
        yield record._replace(kind="message", entries=(), passages=())


def _read_role(message: ChatMessage) -> Role:
    if message.role in SYSTEM_ROLES:
        return "system"
    return "user" if message.role == "user" else "assistant"
