"""An editable conversation: each entry has its position in the text, so that unchanged entries keep their bytes."""

import codecs
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from ctxkit.core.chat.editing import ConversationFormat, EditableFormat, find_span
from ctxkit.core.chat.formats import chatml, responses
from ctxkit.core.chat.model.message import ArchivedMessages, ChatEntry, EntryLink, Place, Record, RecordContent
from ctxkit.core.chat.reading.format_registry import (
    LINE_FORMATS,
    SAMPLE_CHARACTERS,
    find_format,
    find_unread_format,
    find_unread_text,
    make_unread_error,
)
from ctxkit.core.errors import MalformedInputError, UsageError
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.limits import LEVELS
from ctxkit.core.text.positions import (
    FORMATS_HINT,
    MAX_SEARCHED_VALUES,
    SAMPLE_VALUES,
    InvalidJsonError,
    JsonTooDeepError,
    ValueRow,
    check_depth,
    decode_value,
    has_mostly_lines,
    is_deeper,
    make_json_error,
    read_lines,
    read_members,
    read_values,
    skip_blanks,
)

Syntax = Literal["document", "lines", "marked"]
"""Layout of entries: a list in a JSON document, one JSON value after another, or text between marks."""
_EXTRA_LEVELS = 100
"""Additional levels of nesting in a document, so that an error names the line of a message that is too deep."""
_BYTE_ORDER_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_SPLIT_HINT = "pass them one at a time, as in: sed -n 1p FILE | ctxkit compact"
ParsedEntry = tuple[JsonValue, RecordContent, tuple[ChatEntry, ...]]
"""The value of an entry, its content, and its parsed entries: all that depends only on its text."""


class _TranscriptFields(NamedTuple):
    text: str
    encoding: str
    format: EditableFormat
    syntax: Syntax
    records: tuple[Record, ...]
    head: tuple[ChatEntry, ...] = ()
    inner: tuple[int, int] = (0, 0)
    bad: tuple[int, ...] = ()
    parsed_entries: dict[str, ParsedEntry] = {}  # noqa: RUF012 - a default of a named tuple, which nobody changes


class Transcript(_TranscriptFields):
    """A conversation: its text, and its entries in the order of the text.

    ``head`` contains the content of a document outside its entries, such as the system prompt and the tools. ``inner``
    is the span of the list of entries in a document. ``bad`` lists the 1-based numbers of invalid lines.
    ``parsed_entries`` are the entries by their text, so that a changed conversation parses only what is new.
    """

    @cached_property
    def active_paths(self) -> dict[str, tuple[int, ...]]:
        """Return the active paths that were computed, by the id of their newest entry."""
        return {}

    def get_line(self, record: Record) -> int:
        """Return the 1-based line on which an entry begins."""
        return record.line

    def get_raw(self, record: Record) -> str:
        """Return the raw text of an entry."""
        return self.text[record.start : record.end]

    def encode(self, text: str) -> bytes:
        """Return text as bytes in the encoding of this conversation."""
        return text.encode(self.encoding, _get_error_handler(self.encoding))


def parse_changed(data: bytes, name: str, before: Transcript) -> Transcript:
    """Return a conversation after a change; entries that it has in common with ``before`` are not parsed again."""
    return parse_transcript(
        data, name, before.format, skip_bad=bool(before.bad), parsed_entries=before.parsed_entries or None
    )


def parse_transcript(
    data: bytes,
    name: str,
    given_format: EditableFormat | None = None,
    *,
    skip_bad: bool = False,
    parsed_entries: dict[str, ParsedEntry] | None = None,
) -> Transcript:
    """Return an editable conversation in ``given_format`` or in a detected format.

    Entries whose text is in ``parsed_entries``, which are in ``given_format``, are not parsed again.

    Raise MalformedInputError, with ``name`` and the 1-based line, if the content is invalid or not a conversation; with
    ``skip_bad``, invalid lines are kept unchanged. Raise UsageError if it contains several conversations.
    """
    text, encoding = _decode(data, name)
    start = skip_blanks(text, 1 if text.startswith("\ufeff") else 0)
    if start == len(text):
        raise MalformedInputError(f"{name}: it is empty", hint=FORMATS_HINT)
    if given_format is None and (unread := find_unread_text(text[start : start + SAMPLE_CHARACTERS])):
        raise make_unread_error(name, unread)
    is_chatml = given_format is None and text.startswith(chatml.START, start) and chatml.is_format_of(text[start:])
    if given_format is chatml or is_chatml:
        return _check_format(_parse_chatml(text, encoding), name)
    parsed = {} if parsed_entries is None else parsed_entries
    parser_input = _ParserInput(text, encoding, name, given_format, skip_bad, parsed)
    transcript = _parse_json(parser_input, start)
    return _check_format(transcript, name) if given_format else transcript


class _ParserInput(NamedTuple):
    """Text to parse: its encoding, the name of its source, the format if one is given, and what is known already."""

    text: str
    encoding: str
    name: str
    given_format: EditableFormat | None
    skip_bad: bool
    parsed_entries: dict[str, ParsedEntry]


def _parse_json(parser_input: _ParserInput, start: int) -> Transcript:
    """Return the transcript of a JSON document, or of a sequence of JSON values."""
    text, name, skip_bad = parser_input.text, parser_input.name, parser_input.skip_bad
    try:
        value, end = decode_value(text, start)
    except (InvalidJsonError, JsonTooDeepError) as error:
        if not has_mostly_lines(text, start):
            raise make_json_error(name, text, error) from None
        return _parse_lines(parser_input, read_lines(text, start, name, skip_bad=skip_bad, skip_cut=True))
    if skip_blanks(text, end) == len(text):
        if is_deeper(text, start, end, value, LEVELS + _EXTRA_LEVELS):
            raise make_json_error(name, text, JsonTooDeepError())
        return _parse_document(parser_input, value, (start, end))
    return _parse_lines(parser_input, read_values(text, start, name, skip_bad=skip_bad, skip_cut=True))


def _check_format(transcript: Transcript, name: str) -> Transcript:
    """Return the conversation; raise MalformedInputError if no entry is in the given format."""
    has_entries = transcript.records or transcript.syntax == "marked"
    if has_entries and not any(
        record.messages or transcript.format.is_format_of(record.value) for record in transcript.records
    ):
        hint = "without --format, the format is detected from the content"
        raise MalformedInputError(f"{name}: it contains nothing in the format {transcript.format.NAME}", hint=hint)
    return transcript


def _get_error_handler(encoding: str) -> str:
    return "surrogateescape" if encoding == "utf-8" else "surrogatepass"


def _decode(data: bytes, name: str) -> tuple[str, str]:
    """Return content as text, including its byte order mark, and the codec."""
    encoding = _BYTE_ORDER_MARKS.get(data[:2], "utf-8")
    try:
        return data.decode(encoding, _get_error_handler(encoding)), encoding
    except UnicodeDecodeError:
        raise MalformedInputError(f"{name}: it ends inside a character of UTF-16") from None


def _parse_document(parser_input: _ParserInput, value: JsonValue, span: tuple[int, int]) -> Transcript:
    """Return the transcript of a document whose entries are a list, a list member, or the document itself."""
    text, encoding, name, given_format, _, parsed = parser_input
    format_ = given_format or find_format([value])
    if format_ is None:
        raise _make_unknown_error(name, value if isinstance(value, list) else [value])
    place = find_entry_list(format_, value, name)
    if place is None:
        rows = [ValueRow(*span, text.count("\n", 0, span[0]) + 1, value)]
        return _parse_lines(parser_input._replace(given_format=format_, skip_bad=False), rows)
    head, containers = read_head(format_, value, place), [value] if isinstance(value, dict) else []
    get_value(value, place).clear()  # entries are read again with their places: two copies take too much memory
    begin, end = find_span(text, span[0], place) if place else span
    elements = enumerate(read_elements(text, begin))
    reader = EntryReader(text, format_, name, parsed_entries=parsed)
    records = deduplicate_receipts([reader.read(at, row) for at, row in elements])
    marked_records = tuple(mark_archived(mark_encrypted(format_, records, containers)))
    return Transcript(text, encoding, format_, "document", marked_records, head, (begin, end), (), parsed)


def _parse_lines(parser_input: _ParserInput, source_rows: Iterable[ValueRow]) -> Transcript:
    """Return the transcript of entries that follow one another."""
    text, encoding, name, given_format, skip_bad, parsed = parser_input
    rows = list(source_rows)
    values = [row.value for row in rows if row.is_valid]
    sample, rest = values[:SAMPLE_VALUES], values[SAMPLE_VALUES:MAX_SEARCHED_VALUES]
    format_ = given_format or find_format(sample) or (None if find_unread_format(sample) else find_format(rest))
    if format_ is None:
        raise _make_unknown_error(name, sample)
    if any(find_entry_list(format_, value, name) is not None for value in values):
        raise UsageError(f"{name}: it contains several conversations, one per line", hint=_SPLIT_HINT)
    reader = EntryReader(text, format_, name, skip_bad, parsed)
    records = deduplicate_receipts([reader.read(at, row) for at, row in enumerate(rows)])
    bad = tuple(record.line for record in records if record.kind == "bad")
    marked_records = tuple(mark_archived(mark_encrypted(format_, records)))
    return Transcript(text, encoding, format_, "lines", marked_records, bad=bad, parsed_entries=parsed)


def _parse_chatml(text: str, encoding: str) -> Transcript:
    records: list[Record] = []
    line, counted = 1, 0
    for at, (start, end, value) in enumerate(chatml.find_messages(text)):
        line += text.count("\n", counted, start)
        counted = start
        content, entries = chatml.read_content(value), tuple(chatml.read_messages(value))
        records.append(Record(at, start, end, value, *content, entries, line))
    return Transcript(text, encoding, chatml, "marked", tuple(records))


def _make_unknown_error(name: str, values: Sequence[JsonValue]) -> MalformedInputError | UsageError:
    """Return the error for content in no format that is read; a list of conversations has its own error."""
    if unread := find_unread_format(values[:SAMPLE_VALUES]):
        return make_unread_error(name, unread)
    if _has_several(values):
        return make_several_error(name)
    return MalformedInputError(f"{name}: no conversation is recognized", hint="--format names the format")


def _has_several(values: Sequence[JsonValue]) -> bool:
    return any(find_format([value]) for value in values[:SAMPLE_VALUES] if isinstance(value, (dict, list)))


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
