"""Make the records of a conversation's entries."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.chat.editing.editable_format import EditableFormat
from ctxkit.core.chat.formats import responses
from ctxkit.core.chat.model.json_stream import ValueRow, check_depth
from ctxkit.core.chat.model.message import ArchivedMessages, ChatEntry
from ctxkit.core.chat.model.record import Record, RecordContent
from ctxkit.core.errors import MalformedInputError
from ctxkit.core.text.json_value import JsonValue

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
