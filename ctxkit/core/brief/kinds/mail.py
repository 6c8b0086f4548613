"""Mail messages and mailboxes: senders, subjects, and the line ranges of each message and its parts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line, quote
from ctxkit.core.text.measure import pluralize

NAME = "mail"
TYPES: Sequence[str] = ("mbox", "eml", "email")
LARGEST = 64 << 20
"""Maximum size in bytes of mail that is read."""
SUFFIXES = ("", "txt", "eml", "mbox", "mbx", "mail")
POSTMARK = re.compile(
    r"From \S+(?: at \S+)? +(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d.* \d{4}.*"
)
"""Pattern of the line before each message of a mailbox (RFC 4155)."""
FIELD = re.compile(r"([A-Za-z][\w-]*):(?:[ \t](.*))?$")
KNOWN = frozenset(
    (
        *("from", "to", "cc", "subject", "date", "message-id", "received", "mime-version", "return-path"),
        *("delivered-to", "reply-to", "content-type", "x-original-to", "in-reply-to", "references"),
    )
)
"""Common header fields of messages (RFC 5322)."""
KNOWN_FIELDS_NEEDED = 3
"""Minimum number of these fields in a message."""
SUMMARY_FIELDS = ("subject", "from", "date")
DIFF = re.compile(r"^(?:diff --git |--- a/|@@ -\d)", re.MULTILINE)
OPENINGS = (160, 80, 0)
"""Numbers of characters quoted from each paragraph, for outlines of decreasing detail."""
PARAGRAPHS = 60
"""Maximum number of paragraphs quoted from one message."""


@dataclass(slots=True)
class MailMessage:
    """Hold one message: its lines (1-based, inclusive), its fields, its parts, and the openings of its paragraphs."""

    start: int
    end: int = 0
    body: int = 0
    fields: dict[str, str] = field(default_factory=dict)
    parts: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    openings: list[tuple[int, str]] = field(default_factory=list)


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text begins with a postmark or message fields; a series of
    patches scores lower.
    """
    if document.suffix not in SUFFIXES or "\0" in document.head:
        return 0.0
    rows = document.head.lstrip("\ufeff\r\n").split("\n")[:200]
    marked = POSTMARK.match(rows[0]) is not None
    known = KNOWN & _parse_fields([row.rstrip("\r") for row in rows[marked:]]).keys()
    if len(known) < KNOWN_FIELDS_NEEDED or not known & {"from", "received", "return-path"}:
        return 0.0
    return 0.9 if DIFF.search(document.head) else 0.97


def _parse_fields(rows: Sequence[str]) -> dict[str, str]:
    """Return the header fields at the beginning of ``rows``, with lower-case names."""
    fields: dict[str, str] = {}
    last = ""
    for row in rows:
        match = FIELD.match(row)
        if match:
            last = match[1].lower()
            fields.setdefault(last, match[2] or "")
        elif row[:1] in (" ", "\t") and row.strip() and last:
            fields[last] += f" {row.strip()}"
        else:
            break
    return fields


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the messages with their subjects, parts and openings, or None if there is no message."""
    if document.lines.size > LARGEST:
        return None
    rows = [row.rstrip("\r") for row in document.lines.texts()]
    messages = _split_messages(rows) if rows else []
    if not messages:
        return None
    parts = sum(len(message.parts) for message in messages)
    facts = pluralize(len(messages), "message") + (f", {pluralize(parts, 'part')}" if parts else "")
    top = Section("", (Entry(facts),))
    sections = (Section("Messages", tuple(_make_entries(messages, width)), noun="messages") for width in OPENINGS)
    return [Outline(NAME, (top, section)) for section in sections]


def _split_messages(rows: Sequence[str]) -> list[MailMessage]:
    """Return the messages in order; without a postmark, all lines are one message."""
    first = next((number for number, row in enumerate(rows) if row.strip("\ufeff ")), 0)
    starts = [first]
    if POSTMARK.match(rows[first] if rows else ""):
        starts = [
            place for place, row in enumerate(rows)
            if row.startswith("From ") and POSTMARK.match(row) and _parse_fields(rows[place + 1 : place + 4])
        ] or [first]
    ends = [*starts[1:], len(rows)]
    return [_parse_message(rows, start, end) for start, end in zip(starts, ends, strict=True)]


def _parse_message(rows: Sequence[str], start: int, end: int) -> MailMessage:
    while end > start + 1 and not rows[end - 1].strip():
        end -= 1
    head = start + (POSTMARK.match(rows[start]) is not None)
    blank = next((place for place in range(head, end) if not rows[place].strip()), end)
    message = MailMessage(start + 1, end, min(blank + 1, end), _parse_fields(rows[head:blank]))
    boundary = re.search(r'boundary="?([^";]+)', message.fields.get("content-type", ""))
    marks = {f"--{boundary[1].strip()}"} if boundary else set()
    for place in range(blank, end):
        row = rows[place]
        if row.rstrip() in marks:
            fields = _parse_fields(rows[place + 1 : min(place + 20, end)])
            inner = re.search(r'boundary="?([^";]+)', fields.get("content-type", ""))
            marks |= {f"--{inner[1].strip()}"} if inner else set()
            message.parts.append((place + 1, fields))
        elif _is_paragraph_start(row, rows[place - 1]) and len(message.openings) < PARAGRAPHS:
            message.openings.append((place + 1, row))
    return message


def _is_paragraph_start(row: str, before: str) -> bool:
    """Return whether a line begins a paragraph that is not quoted from another message."""
    text = row.strip()
    return text[:1].isalnum() and not before.strip() and " " in text and FIELD.match(row) is None


def _make_entries(messages: Sequence[MailMessage], width: int) -> Iterator[Entry]:
    """Yield an entry for each message, with its parts and the openings of its paragraphs."""
    for message in messages:
        labels = [clean_line(message.fields[word], 120) for word in SUMMARY_FIELDS if message.fields.get(word)]
        openings = _quote_openings(message, width)
        first = message.parts[0][0] if message.parts else message.end + 1
        inner = [*(entry for entry in openings if entry.start < first), *_make_part_entries(message, openings)]
        yield Entry(" | ".join(labels) or "no subject", message.start, message.end, 1, children=tuple(inner))


def _quote_openings(message: MailMessage, width: int) -> list[Entry]:
    """Return quoted openings; the first of every message ranks above the second of any message."""
    rows = enumerate(message.openings) if width else ()
    return [quote(number, row, rank=4 + place, width=width) for place, (number, row) in rows]


def _make_part_entries(message: MailMessage, openings: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the parts of a message with their types and the names of attachments."""
    ends = [number - 1 for number, _ in message.parts[1:]] + [message.end]
    for (number, fields), end in zip(message.parts, ends, strict=False):
        kind = fields.get("content-type", "text/plain").partition(";")[0].strip()
        headers = f"{fields.get('content-disposition', '')} {fields.get('content-type', '')}"
        name = re.search(r'name="?([^";]+)', headers)
        encoding = fields.get("content-transfer-encoding", "").lower()
        labels = [kind, name[1] if name else "", encoding if encoding in ("base64", "quoted-printable") else ""]
        inner = tuple(entry for entry in openings if number <= entry.start <= end)
        yield Entry(clean_line(", ".join(filter(None, labels)), 120), number, end, 2, children=inner)
