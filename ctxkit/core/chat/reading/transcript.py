"""An editable conversation: each entry has its position in the text, so that unchanged entries keep their bytes."""

import codecs
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from ctxkit.core.chat.editing.editable_format import EditableFormat
from ctxkit.core.chat.editing.json_patches import find_span
from ctxkit.core.chat.formats import chatml
from ctxkit.core.chat.model.message import ChatEntry, Record
from ctxkit.core.chat.reading.document_entries import (
    EntryReader,
    ParsedEntry,
    deduplicate_receipts,
    find_entry_list,
    get_value,
    make_several_error,
    mark_archived,
    mark_encrypted,
    read_elements,
    read_head,
)
from ctxkit.core.chat.reading.format_registry import (
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
    decode_value,
    has_mostly_lines,
    is_deeper,
    make_json_error,
    read_lines,
    read_values,
    skip_blanks,
)

Syntax = Literal["document", "lines", "marked"]
"""Layout of entries: a list in a JSON document, one JSON value after another, or text between marks."""
EXTRA_LEVELS = 100
"""Additional levels of nesting in a document, so that an error names the line of a message that is too deep."""
_BYTE_ORDER_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_SPLIT_HINT = "pass them one at a time, as in: sed -n 1p FILE | ctxkit compact"


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
        if is_deeper(text, start, end, value, LEVELS + EXTRA_LEVELS):
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
