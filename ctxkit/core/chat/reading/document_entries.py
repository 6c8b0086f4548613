"""The entries of a JSON document, what is outside their list, and the records of entries."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.chat.editing.editable_format import ConversationFormat, EditableFormat
from ctxkit.core.chat.formats import responses
from ctxkit.core.chat.model.message import ArchivedMessages, ChatEntry, EntryLink, Place, Record, RecordContent
from ctxkit.core.chat.reading.format_registry import LINE_FORMATS
from ctxkit.core.errors import MalformedInputError, UsageError
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import ValueRow, check_depth, read_members

_HINT = "pass them one at a time"


def get_value(value: JsonValue, place: Place) -> JsonValue:
    """Return the value at a place of a document."""
    for key in place:
        value = value[key]
    return value


def read_elements(text: str, begin: int) -> Iterator[ValueRow]:
    """Yield the elements of the list that begins at an offset, with their lines."""
    line, counted = 1, 0
    for member, value in read_members(text, begin):
        line += text.count("\n", counted, member.start)
        counted = member.start
        yield ValueRow(member.start, member.end, line, value)


def find_entry_list(format_: EditableFormat, value: JsonValue, name: str) -> Place | None:
    """Return the place of the list of entries in a document, None if the document is an entry.

    A list of entries that their format writes one per line is such a document. Raise UsageError if there are several
    lists.
    """
    try:
        place = format_.find_entry_list(value)
    except ValueError as error:
        raise UsageError(f"{name}: {error}", hint=_HINT) from None
    if place is not None or not (isinstance(value, list) and any(map(format_.is_format_of, value))):
        return place
    if any(format_.find_entry_list(element) is not None for element in value):
        raise make_several_error(name)
    return ()


def make_several_error(name: str) -> UsageError:
    """Return the error for a list of conversations."""
    return UsageError(f"{name}: it contains several conversations, in one list", hint=_HINT)


def read_document(format_: ConversationFormat, value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the entries of a document, of a list of entries, or of one entry; raise ValueError if it is none of these.

    Formats that write one entry per line read entries alone, and no list.
    """
    values = value if isinstance(value, list) and format_ in LINE_FORMATS else [value]
    for element in values:
        yield from format_.read_entries(element)


def read_head(format_: EditableFormat, document: JsonValue, place: Place) -> tuple[ChatEntry, ...]:
    """Return the entries of a document outside its list of entries."""
    if not place:
        return ()
    try:
        return tuple(
            entry
            for entry in format_.read_entries(_remove_entries(document, place))
            if not isinstance(entry, EntryLink)
        )
    except ValueError:  # the reader requires messages
        return ()


def _remove_entries(value: JsonValue, place: Place) -> JsonValue:
    if not place:
        return []
    inner = _remove_entries(value[place[0]], place[1:])
    return [inner] if isinstance(value, list) else {**value, place[0]: inner}


ParsedEntry = tuple[JsonValue, RecordContent, tuple[ChatEntry, ...]]
"""The value of an entry, its content, and its parsed entries: all that depends only on its text."""
MAX_REUSED_TEXT = 1_000
"""Characters of the longest entry that is parsed once for all its copies: a longer one takes little for its size."""


class EntryReader(NamedTuple):
    """Reads the entries of a text in a format; with ``skip_bad``, an invalid one has the kind "bad".

    An entry whose text is in ``parsed_entries`` is not parsed again; a new one is added.
    """

    text: str
    format: EditableFormat
    name: str
    skip_bad: bool = False
    parsed_entries: dict[str, ParsedEntry] | None = None

    def read(self, at: int, row: ValueRow) -> Record:
        """Return the record of an entry, which is the one of number ``at``."""
        if not row.is_valid:
            return Record(at, row.start, row.end, None, kind="bad", line=row.line)
        known = self.parsed_entries
        raw = self.text[row.start : row.end] if known is not None and row.end - row.start <= MAX_REUSED_TEXT else ""
        if known and (parsed := known.get(raw)):
            value, content, entries = parsed
            return Record(at, row.start, row.end, value, *content, entries, row.line)
        try:
            value = check_depth(self.text, row)
            entries = tuple(self.format.read_entries(value))
            content = self.format.read_content(value)
        except ValueError as error:
            if self.skip_bad:
                return Record(at, row.start, row.end, None, kind="bad", line=row.line)
            hint = f"ctxkit reads it as {self.format.NAME}"
            raise MalformedInputError(f"{self.name}: line {row.line}: {error}", hint=hint) from None
        if raw and known is not None:
            known[raw] = value, content, entries
        return Record(at, row.start, row.end, value, *content, entries, row.line)


def mark_archived(records: Iterable[Record]) -> Iterator[Record]:
    """Yield the records; a message that the agent no longer sends stays where it is, because the agent counts it.

    No record keeps the number of these messages, so that nothing leaves them out a second time.
    """
    left = 0
    for record in records:
        if number := sum(entry.number for entry in record.entries if isinstance(entry, ArchivedMessages)):
            left += number
            live_entries = tuple(entry for entry in record.entries if not isinstance(entry, ArchivedMessages))
            record = record._replace(entries=live_entries)
        if left and record.messages:
            left -= 1
            yield Record(record.at, record.start, record.end, record.value, kind="head", line=record.line)
        else:
            yield record


def deduplicate_receipts(records: Sequence[Record]) -> list[Record]:
    """Return the records; only the last record of a split response keeps its receipt."""
    kept_records: list[Record] = []
    seen: set[str] = set()
    for record in reversed(records):
        group = record.link.group if record.receipt and record.link else ""
        kept_records.append(record._replace(receipt=None) if group in seen else record)
        seen |= {group} - {""}
    return kept_records[::-1]


def mark_encrypted(
    format_: EditableFormat, records: Sequence[Record], around: Sequence[JsonValue] = ()
) -> Iterator[Record]:
    """Yield the records, and mark as encrypted those with results of calls that the provider stores.

    The provider waits for these results.
    """
    if format_ is not responses or not responses.is_continuation([*around, *(record.value for record in records)]):
        yield from records
        return
    call_ids = {call.id for record in records for call in record.calls}
    for record in records:
        is_awaited = any(result.id not in call_ids for result in record.results)
        yield record._replace(encrypted=True) if is_awaited else record
