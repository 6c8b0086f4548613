"""Make the records of a conversation's entries."""

from collections.abc import Iterator, Sequence

from ctxkit.core.chat.editing.editable_format import EditableFormat
from ctxkit.core.chat.formats import responses
from ctxkit.core.chat.model.json_stream import ValueRow, check_depth
from ctxkit.core.chat.model.record import Record
from ctxkit.core.errors import MalformedInputError
from ctxkit.core.text.json_value import JsonValue


def make_record(
    text: str, format_: EditableFormat, at: int, row: ValueRow, name: str, skip_bad: bool = False
) -> Record:
    """Return an entry; with ``skip_bad``, an invalid one has the kind "bad"."""
    if not row.is_valid:
        return Record(at, row.start, row.end, None, kind="bad", line=row.line)
    try:
        value = check_depth(text, row)
        entries = tuple(format_.read_entries(value))
        return Record(at, row.start, row.end, value, *format_.read_content(value), entries, row.line)
    except ValueError as error:
        if skip_bad:
            return Record(at, row.start, row.end, None, kind="bad", line=row.line)
        hint = f"ctxkit reads it as {format_.NAME}"
        raise MalformedInputError(f"{name}: line {row.line}: {error}", hint=hint) from None


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
