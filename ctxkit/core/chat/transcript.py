"""A conversation that can be edited: every entry with its place in the text, so that what is not touched stays."""

import codecs
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from ctxkit.core.chat.editor import Editor
from ctxkit.core.chat.format import format_of
from ctxkit.core.chat.formats import chatml, responses
from ctxkit.core.chat.located import located
from ctxkit.core.chat.message import Entry, Link
from ctxkit.core.chat.record import Place, Record
from ctxkit.core.chat.values import FORMS, SNIFFED, Row, checked, is_deeper, lines, mostly_lines, not_json, several
from ctxkit.core.limits import LEVELS
from ctxkit.core.positions import Broken, TooDeep, blank, decode, members
from ctxkit.core.trouble import Malformed, Misuse

Syntax = Literal["document", "lines", "marked"]
"""How entries stand in the text: in a list of a JSON document, one after another, or between marks."""
AROUND = 100
"""Levels past those of a message at which a document is too deep: the message on its line is named where it can be."""
_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_APART = "pass them one at a time, as in: sed -n 1p FILE | ctxkit compact"


class Transcript(NamedTuple):
    """Hold a conversation: its text, and its entries in the order of the text.

    ``head`` is what stands beside the entries of a document, such as the system prompt and the tools. ``inner`` is
    where the list of entries begins and ends in a document. ``bad`` are the 1-based lines that cannot be read.
    """

    text: str
    encoding: str
    format: Editor
    syntax: Syntax
    records: tuple[Record, ...]
    head: tuple[Entry, ...] = ()
    inner: tuple[int, int] = (0, 0)
    bad: tuple[int, ...] = ()

    def line(self, record: Record) -> int:
        """Return the 1-based line on which an entry begins."""
        return record.line

    def raw(self, record: Record) -> str:
        """Return an entry as it is written."""
        return self.text[record.start : record.end]

    def encoded(self, text: str) -> bytes:
        """Return text of this conversation as bytes of the same encoding."""
        return text.encode(self.encoding, _errors(self.encoding))


def transcript_of(data: bytes, name: str, forced: Editor | None = None, *, skip_bad: bool = False) -> Transcript:
    """Return a conversation to be edited, in the ``forced`` format if there is one.

    Raises Malformed, naming ``name`` and the 1-based line, where content is broken or no conversation; with
    ``skip_bad``, lines that cannot be read are kept as they are. Raises Misuse where it holds several conversations.
    """
    text, encoding = _decoded(data, name)
    start = blank(text, 1 if text.startswith("\ufeff") else 0)
    if start == len(text):
        raise Malformed(f"{name}: it is empty", hint=FORMS)
    marked = forced is None and text.startswith(chatml.START, start) and chatml.claims(text[start:])
    if forced is chatml or marked:
        return _of_format(_marked(text, encoding), name)
    found = _opened(text, encoding, name, forced, start, skip_bad)
    return _of_format(found, name) if forced else found


def _opened(
    text: str, encoding: str, name: str, forced: Editor | None, start: int, skip_bad: bool
) -> Transcript:
    """Read JSON, a document or values that follow one another."""
    try:
        value, end = decode(text, start)
    except (Broken, TooDeep) as error:
        if not mostly_lines(text, start):
            raise not_json(name, text, error) from None
        return _apart(text, encoding, name, forced, lines(text, start, name, skip_bad=skip_bad), skip_bad)
    if blank(text, end) == len(text):
        if is_deeper(text, start, end, value, LEVELS + AROUND):
            raise not_json(name, text, TooDeep())
        return _document(text, encoding, name, forced, value, start)
    return _apart(text, encoding, name, forced, several(text, start, name, skip_bad=skip_bad), skip_bad)


def _of_format(found: Transcript, name: str) -> Transcript:
    """Return a conversation whose format was told; raises Malformed where nothing in it is of that format."""
    wrong = found.records or found.syntax == "marked"
    if wrong and not any(record.messages or found.format.claims(record.value) for record in found.records):
        hint = "without --format it is told from the content"
        raise Malformed(f"{name}: nothing in it is of the format {found.format.NAME}", hint=hint)
    return found


def _errors(encoding: str) -> str:
    return "surrogateescape" if encoding == "utf-8" else "surrogatepass"


def _decoded(data: bytes, name: str) -> tuple[str, str]:
    """Return content as text with its mark, if it has one, and the codec."""
    encoding = _MARKS.get(data[:2], "utf-8")
    try:
        return data.decode(encoding, _errors(encoding)), encoding
    except UnicodeDecodeError:
        raise Malformed(f"{name}: it ends inside a character of UTF-16") from None


def _document(text: str, encoding: str, name: str, forced: Editor | None, value: Any, start: int) -> Transcript:
    """Read a document: a list of entries, alone or a member of an object; else it is the only entry."""
    format_ = forced or format_of([value])
    if format_ is None:
        raise _unknown(name, value)
    place = _where(format_, value, name)
    if place is None:
        rows = [Row(start, decode(text, start)[1], text.count("\n", 0, start) + 1, value)]
        return _apart(text, encoding, name, format_, rows, False)
    begin, end = located(text, start, place)
    found = _receipted([_record(text, format_, at, row, name) for at, row in enumerate(_elements(text, begin))])
    held = tuple(_held(format_, found, [value] if isinstance(value, dict) else []))
    return Transcript(text, encoding, format_, "document", held, _head(format_, value, place), (begin, end))


def _elements(text: str, begin: int) -> Iterator[Row]:
    line, counted = 1, 0
    for member, value in members(text, begin):
        line += text.count("\n", counted, member.start)
        counted = member.start
        yield Row(member.start, member.end, line, value)


def _where(format_: Editor, value: Any, name: str) -> Place | None:
    try:
        return format_.where(value)
    except ValueError as error:
        raise Misuse(f"{name}: {error}", hint="pass them one at a time") from None


def _head(format_: Editor, document: Any, place: Place) -> tuple[Entry, ...]:
    """Return what is read of a document beside its entries."""
    if not place:
        return ()
    try:
        return tuple(entry for entry in format_.entries(_emptied(document, place)) if not isinstance(entry, Link))
    except ValueError:  # a reader that finds nothing without its messages
        return ()


def _emptied(value: Any, place: Place) -> Any:
    if not place:
        return []
    inner = _emptied(value[place[0]], place[1:])
    return [inner] if isinstance(value, list) else {**value, place[0]: inner}


def _apart(
    text: str, encoding: str, name: str, forced: Editor | None, found: Iterable[Row], skip_bad: bool
) -> Transcript:
    """Read entries that follow one another."""
    rows = list(found)
    values = [row.value for row in rows if row.whole]
    format_ = forced or format_of(values[:SNIFFED]) or format_of(values[SNIFFED:])
    if format_ is None:
        raise _unknown(name)
    if any(_where(format_, value, name) is not None for value in values):
        raise Misuse(f"{name}: it holds several conversations, one a line", hint=_APART)
    records = _receipted([_record(text, format_, at, row, name, skip_bad) for at, row in enumerate(rows)])
    bad = tuple(record.line for record in records if record.kind == "bad")
    return Transcript(text, encoding, format_, "lines", tuple(_held(format_, records)), bad=bad)


def _record(text: str, format_: Editor, at: int, row: Row, name: str, skip_bad: bool = False) -> Record:
    """Return an entry; what cannot be read is a bad one with ``skip_bad``."""
    if not row.whole:
        return Record(at, row.start, row.end, None, kind="bad", line=row.line)
    try:
        value = checked(text, row)
        entries = tuple(format_.entries(value))
        return Record(at, row.start, row.end, value, *format_.anatomy(value), entries, row.line)
    except ValueError as error:
        if skip_bad:
            return Record(at, row.start, row.end, None, kind="bad", line=row.line)
        hint = f"the format is taken for {format_.NAME}"
        raise Malformed(f"{name}: line {row.line}: {error}", hint=hint) from None


def _receipted(records: Sequence[Record]) -> list[Record]:
    """Leave the receipt of a response that is split over several entries to the last of them."""
    found: list[Record] = []
    seen: set[str] = set()
    for record in reversed(records):
        group = record.link.group if record.receipt and record.link else ""
        found.append(record._replace(receipt=None) if group in seen else record)
        seen |= {group} - {""}
    return found[::-1]


def _held(format_: Editor, records: Sequence[Record], around: Sequence[Any] = ()) -> Iterator[Record]:
    """Yield entries, sealed those that hold results of calls which the provider keeps: it waits for them."""
    if format_ is not responses or not responses.goes_on([*around, *(record.value for record in records)]):
        yield from records
        return
    known = {call.id for record in records for call in record.calls}
    for record in records:
        waited = any(result.id not in known for result in record.results)
        yield record._replace(sealed=True) if waited else record


def _marked(text: str, encoding: str) -> Transcript:
    found: list[Record] = []
    line, counted = 1, 0
    for at, (start, end, value) in enumerate(chatml.spans(text)):
        line += text.count("\n", counted, start)
        counted = start
        anatomy, entries = chatml.anatomy(value), tuple(chatml.messages(value))
        found.append(Record(at, start, end, value, *anatomy, entries, line))
    return Transcript(text, encoding, chatml, "marked", tuple(found))


def _unknown(name: str, value: Any = None) -> Malformed | Misuse:
    """Return the trouble of content in no format; a list of conversations has one, but not for us."""
    if isinstance(value, list) and _are_several(value):
        return Misuse(f"{name}: it holds several conversations, in one list", hint="pass them one at a time")
    return Malformed(f"{name}: no conversation is recognized", hint="--format says which format it is in")


def _are_several(values: Sequence[Any]) -> bool:
    return any(format_of([value]) for value in values[:SNIFFED] if isinstance(value, (dict, list)))
