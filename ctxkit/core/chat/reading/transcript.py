"""A conversation that can be edited: every entry with its place in the text, so that what is not touched stays."""

import codecs
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from ctxkit.core.chat.editing.editable_format import EditableFormat
from ctxkit.core.chat.editing.json_patches import find_span
from ctxkit.core.chat.formats import chatml, responses
from ctxkit.core.chat.model.json_stream import (
    FORMATS_HINT,
    SAMPLE_VALUES,
    ValueRow,
    check_depth,
    has_mostly_lines,
    is_deeper,
    make_json_error,
    read_lines,
    read_values,
)
from ctxkit.core.chat.model.message import ChatEntry, EntryLink
from ctxkit.core.chat.model.record import Place, Record
from ctxkit.core.chat.reading.format_registry import find_format
from ctxkit.core.errors import MalformedInputError, UsageError
from ctxkit.core.text.limits import LEVELS
from ctxkit.core.text.positions import InvalidJsonError, JsonTooDeepError, decode_value, read_members, skip_blanks

Syntax = Literal["document", "lines", "marked"]
"""How entries stand in the text: in a list of a JSON document, one after another, or between marks."""
EXTRA_LEVELS = 100
"""Levels past those of a message at which a document is too deep: the message on its line is named where it can be."""
_BYTE_ORDER_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_SPLIT_HINT = "pass them one at a time, as in: sed -n 1p FILE | ctxkit compact"


class Transcript(NamedTuple):
    """Hold a conversation: its text, and its entries in the order of the text.

    ``head`` is what stands beside the entries of a document, such as the system prompt and the tools. ``inner`` is
    where the list of entries begins and ends in a document. ``bad`` are the 1-based lines that cannot be read.
    """

    text: str
    encoding: str
    format: EditableFormat
    syntax: Syntax
    records: tuple[Record, ...]
    head: tuple[ChatEntry, ...] = ()
    inner: tuple[int, int] = (0, 0)
    bad: tuple[int, ...] = ()

    def get_line(self, record: Record) -> int:
        """Return the 1-based line on which an entry begins."""
        return record.line

    def get_raw(self, record: Record) -> str:
        """Return an entry as it is written."""
        return self.text[record.start : record.end]

    def encode(self, text: str) -> bytes:
        """Return text of this conversation as bytes of the same encoding."""
        return text.encode(self.encoding, _get_error_handler(self.encoding))


def parse_transcript(
    data: bytes, name: str, given_format: EditableFormat | None = None, *, skip_bad: bool = False
) -> Transcript:
    """Return a conversation to be edited, in the ``given_format`` format if there is one.

    Raises Malformed, naming ``name`` and the 1-based line, where content is broken or no conversation; with
    ``skip_bad``, lines that cannot be read are kept as they are. Raises Misuse where it contains several conversations.
    """
    text, encoding = _decode(data, name)
    start = skip_blanks(text, 1 if text.startswith("\ufeff") else 0)
    if start == len(text):
        raise MalformedInputError(f"{name}: it is empty", hint=FORMATS_HINT)
    is_chatml = given_format is None and text.startswith(chatml.START, start) and chatml.is_format_of(text[start:])
    if given_format is chatml or is_chatml:
        return _check_format(_parse_chatml(text, encoding), name)
    transcript = _parse_json(text, encoding, name, given_format, start, skip_bad)
    return _check_format(transcript, name) if given_format else transcript


def _parse_json(
    text: str, encoding: str, name: str, given_format: EditableFormat | None, start: int, skip_bad: bool
) -> Transcript:
    """Read JSON, a document or values that follow one another."""
    try:
        value, end = decode_value(text, start)
    except (InvalidJsonError, JsonTooDeepError) as error:
        if not has_mostly_lines(text, start):
            raise make_json_error(name, text, error) from None
        return _parse_lines(
            text, encoding, name, given_format, read_lines(text, start, name, skip_bad=skip_bad), skip_bad
        )
    if skip_blanks(text, end) == len(text):
        if is_deeper(text, start, end, value, LEVELS + EXTRA_LEVELS):
            raise make_json_error(name, text, JsonTooDeepError())
        return _parse_document(text, encoding, name, given_format, value, start)
    return _parse_lines(text, encoding, name, given_format, read_values(text, start, name, skip_bad=skip_bad), skip_bad)


def _check_format(transcript: Transcript, name: str) -> Transcript:
    """Return a conversation whose format was told; raises Malformed where nothing in it is of that format."""
    has_entries = transcript.records or transcript.syntax == "marked"
    if has_entries and not any(
        record.messages or transcript.format.is_format_of(record.value) for record in transcript.records
    ):
        hint = "without --format it is told from the content"
        raise MalformedInputError(f"{name}: it contains nothing in the format {transcript.format.NAME}", hint=hint)
    return transcript


def _get_error_handler(encoding: str) -> str:
    return "surrogateescape" if encoding == "utf-8" else "surrogatepass"


def _decode(data: bytes, name: str) -> tuple[str, str]:
    """Return content as text with its mark, if it has one, and the codec."""
    encoding = _BYTE_ORDER_MARKS.get(data[:2], "utf-8")
    try:
        return data.decode(encoding, _get_error_handler(encoding)), encoding
    except UnicodeDecodeError:
        raise MalformedInputError(f"{name}: it ends inside a character of UTF-16") from None


def _parse_document(
    text: str, encoding: str, name: str, given_format: EditableFormat | None, value: Any, start: int
) -> Transcript:
    """Read a document: a list of entries, alone or a member of an object; else it is the only entry."""
    format_ = given_format or find_format([value])
    if format_ is None:
        raise _make_unknown_error(name, value)
    place = _find_entry_list(format_, value, name)
    if place is None:
        rows = [ValueRow(start, decode_value(text, start)[1], text.count("\n", 0, start) + 1, value)]
        return _parse_lines(text, encoding, name, format_, rows, False)
    begin, end = find_span(text, start, place)
    records = _deduplicate_receipts(
        [_make_record(text, format_, at, row, name) for at, row in enumerate(_read_elements(text, begin))]
    )
    marked_records = tuple(_mark_encrypted(format_, records, [value] if isinstance(value, dict) else []))
    return Transcript(
        text, encoding, format_, "document", marked_records, _read_head(format_, value, place), (begin, end)
    )


def _read_elements(text: str, begin: int) -> Iterator[ValueRow]:
    line, counted = 1, 0
    for member, value in read_members(text, begin):
        line += text.count("\n", counted, member.start)
        counted = member.start
        yield ValueRow(member.start, member.end, line, value)


def _find_entry_list(format_: EditableFormat, value: Any, name: str) -> Place | None:
    try:
        return format_.find_entry_list(value)
    except ValueError as error:
        raise UsageError(f"{name}: {error}", hint="pass them one at a time") from None


def _read_head(format_: EditableFormat, document: Any, place: Place) -> tuple[ChatEntry, ...]:
    """Return what is read of a document beside its entries."""
    if not place:
        return ()
    try:
        return tuple(
            entry
            for entry in format_.read_entries(_remove_entries(document, place))
            if not isinstance(entry, EntryLink)
        )
    except ValueError:  # a reader that finds nothing without its messages
        return ()


def _remove_entries(value: Any, place: Place) -> Any:
    if not place:
        return []
    inner = _remove_entries(value[place[0]], place[1:])
    return [inner] if isinstance(value, list) else {**value, place[0]: inner}


def _parse_lines(
    text: str,
    encoding: str,
    name: str,
    given_format: EditableFormat | None,
    source_rows: Iterable[ValueRow],
    skip_bad: bool,
) -> Transcript:
    """Read entries that follow one another."""
    rows = list(source_rows)
    values = [row.value for row in rows if row.is_valid]
    format_ = given_format or find_format(values[:SAMPLE_VALUES]) or find_format(values[SAMPLE_VALUES:])
    if format_ is None:
        raise _make_unknown_error(name)
    if any(_find_entry_list(format_, value, name) is not None for value in values):
        raise UsageError(f"{name}: it contains several conversations, one per line", hint=_SPLIT_HINT)
    records = _deduplicate_receipts(
        [_make_record(text, format_, at, row, name, skip_bad) for at, row in enumerate(rows)]
    )
    bad = tuple(record.line for record in records if record.kind == "bad")
    return Transcript(text, encoding, format_, "lines", tuple(_mark_encrypted(format_, records)), bad=bad)


def _make_record(
    text: str, format_: EditableFormat, at: int, row: ValueRow, name: str, skip_bad: bool = False
) -> Record:
    """Return an entry; what cannot be read is a bad one with ``skip_bad``."""
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


def _deduplicate_receipts(records: Sequence[Record]) -> list[Record]:
    """Leave the receipt of a response that is split over several entries to the last of them."""
    kept_records: list[Record] = []
    seen: set[str] = set()
    for record in reversed(records):
        group = record.link.group if record.receipt and record.link else ""
        kept_records.append(record._replace(receipt=None) if group in seen else record)
        seen |= {group} - {""}
    return kept_records[::-1]


def _mark_encrypted(format_: EditableFormat, records: Sequence[Record], around: Sequence[Any] = ()) -> Iterator[Record]:
    """Yield entries, sealed those that hold results of calls which the provider keeps: it waits for them."""
    if format_ is not responses or not responses.is_continuation([*around, *(record.value for record in records)]):
        yield from records
        return
    call_ids = {call.id for record in records for call in record.calls}
    for record in records:
        is_awaited = any(result.id not in call_ids for result in record.results)
        yield record._replace(encrypted=True) if is_awaited else record


def _parse_chatml(text: str, encoding: str) -> Transcript:
    records: list[Record] = []
    line, counted = 1, 0
    for at, (start, end, value) in enumerate(chatml.find_messages(text)):
        line += text.count("\n", counted, start)
        counted = start
        content, entries = chatml.read_content(value), tuple(chatml.read_messages(value))
        records.append(Record(at, start, end, value, *content, entries, line))
    return Transcript(text, encoding, chatml, "marked", tuple(records))


def _make_unknown_error(name: str, value: Any = None) -> MalformedInputError | UsageError:
    """Return the trouble of content in no format; a list of conversations has one, but not for us."""
    if isinstance(value, list) and _has_several(value):
        return UsageError(f"{name}: it contains several conversations, in one list", hint="pass them one at a time")
    return MalformedInputError(f"{name}: no conversation is recognized", hint="--format names the format")


def _has_several(values: Sequence[Any]) -> bool:
    return any(find_format([value]) for value in values[:SAMPLE_VALUES] if isinstance(value, (dict, list)))
