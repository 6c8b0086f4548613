"""JSON: its schema, its anomalies, and the line or byte ranges of its parts."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.data.literals import decode_surrogates, format_step, quote_string
from ctxkit.core.brief.document import HEAD_BYTES, Clues, InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.json_value import SUFFIXES as COMMENTED
from ctxkit.core.text.json_value import JsonValue, make_strict_json
from ctxkit.core.text.limits import WHOLE_DOCUMENT
from ctxkit.core.text.positions import (
    InvalidJsonError,
    JsonMember,
    JsonPositions,
    JsonTooDeepError,
    decode_partial,
    decode_value,
    measure_depth,
    skip_blanks,
)
from ctxkit.core.text.quantity import pluralize

NAME = "json"
TYPES: Sequence[str] = ("geojson", "jsonc", "json5")
CLUES = Clues(("{", "["), unless_log=True)
SUFFIXES = ("json", "geojson", "ipynb", "har", "webmanifest", "jsonld", "sarif", *COMMENTED)
GENERIC_SUFFIXES = ("", "txt", "text", "out", "output", "stdout", "lock")
"""Suffixes that do not indicate a format."""
WHOLE_BYTES = 8 << 20
"""Maximum size in bytes of JSON that is parsed whole; larger JSON is read in parts if it is a long list."""
LONG_LINES = 2_000
"""Average line length in bytes above which places are given in bytes instead of lines."""
TOKENS = compile_lazily(
    r'(?:\s+|[{}\[\],:]|"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null|NaN|-?Infinity)\b)*+'
)
BEGINS = compile_lazily(
    r"""^[^\S\n]*(?=\{\s*(?:"(?:[^"\\\n]|\\.)*"\s*:|\}\s*\Z)
    |\[\s*(?:[\[{"\]]|-?\d[\d.eE+-]*\s*[,\]]|(?:true|false|null|NaN|-?Infinity)\b))""",
    re.MULTILINE | re.VERBOSE,
)
"""Pattern of the beginning of JSON, at the start of a line."""
PREFACE = 4_000
"""Number of characters of other output, such as warnings, that may precede the JSON."""


@dataclass(slots=True)
class JsonReading:
    """Hold the values of a JSON text, their places, and the error that ends it, if there is one.

    ``relaxed_from`` is the line where strict JSON fails, or 0: the reader skipped comments and trailing commas.
    """

    values: list[JsonValue] = field(default_factory=list)
    roots: list[JsonMember] = field(default_factory=list)
    broken: InvalidJsonError | None = None
    path: str = ""
    before: int = 0
    after: int = 0
    relaxed_from: int = 0


def sniff(document: InputDocument) -> float:
    """Return the confidence that the document is JSON, from its first 4,000 characters."""
    confidence = _score_text(document, document.head)
    if not confidence and (document.suffix in SUFFIXES or document.suffix in GENERIC_SUFFIXES):
        head = document.head[: 2 * PREFACE]
        relaxed_head = make_strict_json(head)
        return _score_text(document, relaxed_head) if relaxed_head != head else 0.0
    return confidence


def _score_text(document: InputDocument, text: str) -> float:
    start = _find_start(text)
    if start < 0:
        return 0.0
    head = text[start : start + 4_000]
    tokens = TOKENS.match(head)
    read = tokens.end() if tokens else 0
    named = document.suffix in SUFFIXES
    if read < 3_900 and not (named or _is_cut(head, read) or _is_followed(head, read)):
        return 0.0
    confidence = 0.9 if named or head.startswith("{") or read > 40 else 0.7
    return confidence if not text[:start].strip("\ufeff \t\r\n") else confidence - 0.25


def _is_cut(head: str, read: int) -> bool:
    """Return whether the text ends with the tokens, or within a string or number after them."""
    return read == len(head) or (head.startswith(('"', "-"), read) and "\n" not in head[read:])


def _find_start(text: str) -> int:
    """Return the offset where JSON begins, at the start or after a few lines of other output, or -1."""
    mark = 1 if text.startswith("\ufeff") else 0
    match = BEGINS.search(text[mark : PREFACE * 2])
    return mark + match.end() if match and match.end() <= PREFACE else -1


def _is_followed(head: str, read: int) -> bool:
    """Return whether the tokens are a complete value, and the text after it is shorter than the value."""
    try:
        return len(head) <= 2 * decode_value(head, 0)[1] <= 2 * read
    except (InvalidJsonError, JsonTooDeepError):
        return False


def outline(document: InputDocument) -> list[Outline] | None:
    """Return outlines of the data's shape and the places of its parts, or None if too little of it can be read."""
    from ctxkit.core.brief.data.data_outliner import DataOutliner

    if document.lines.size > WHOLE_BYTES:
        outlines = _outline_large(document)
        if outlines or document.lines.size > WHOLE_DOCUMENT:
            return outlines
    text = document.read(0, document.lines.size).decode("utf-8", "surrogateescape")
    places = JsonPositions(text)
    try:
        reading = _read_values(text)
        if reading.broken or not reading.values:
            reading, places = _read_relaxed(reading, places)
    except JsonTooDeepError:
        return _outline_too_deep(places)
    if not reading.values or (reading.broken and not _is_read_far(reading, reading.broken, len(text))):
        return None
    more = BEGINS.search(text, reading.after)
    if more and len(text) - reading.after > reading.after - reading.before:
        return None  # most of the text is further JSON, with other text between
    by_bytes = _has_long_lines(document)
    summary = list(_summarize(reading, places, by_bytes, document.lines.total))
    chart = DataOutliner(places, reading.roots, reading.values, by_bytes=by_bytes)
    return chart.build_outlines(NAME, summary, document.target)


def _is_read_far(reading: JsonReading, broken: InvalidJsonError, size: int) -> bool:
    """Return whether a quarter of the text from where JSON begins is read; ``[[178  0`` of numpy is none."""
    return (broken.position - reading.before) * 4 >= size - reading.before


def _outline_large(document: InputDocument) -> list[Outline] | None:
    """Return outlines of a document that is read in parts, or None if little of it can be read."""
    from ctxkit.core.brief.data.data_outliner import LargeText, build_large_outlines

    head = document.read(0, HEAD_BYTES).decode("utf-8", "surrogateescape")
    start = _find_start(head)
    if start < 0:
        start = skip_blanks(head, 1 if head.startswith("\ufeff") else 0)
    before = len(head[:start].encode("utf-8", "surrogateescape"))
    only_lists = document.lines.size <= WHOLE_DOCUMENT
    return build_large_outlines(LargeText(document, before), NAME, _has_long_lines(document), only_lists=only_lists)


def _has_long_lines(document: InputDocument) -> bool:
    return document.lines.size > LONG_LINES * max(document.lines.total, 1)


def _read_relaxed(strict: JsonReading, places: JsonPositions) -> tuple[JsonReading, JsonPositions]:
    """Read JSON again without comments and trailing commas; return this reading if it gets further."""
    text = make_strict_json(places.text)
    if text == places.text:
        return strict, places
    relaxed_reading = _read_values(text)
    if not relaxed_reading.values or (
        relaxed_reading.broken and strict.broken and relaxed_reading.broken.position <= strict.broken.position
    ):
        return strict, places
    relaxed_reading.relaxed_from = places.line(strict.broken.position) if strict.broken else 1
    return relaxed_reading, JsonPositions(text, places.text)


def _read_values(text: str) -> JsonReading:
    """Read one or more consecutive JSON texts, up to the first error."""
    position = _find_start(text)
    if position < 0:
        position = skip_blanks(text, 1 if text.startswith("\ufeff") else 0)
    reading = JsonReading(before=position)
    while position < len(text):
        try:
            value, end = decode_value(text, position)
        except InvalidJsonError as error:
            if not text.startswith(("[", "{"), position):
                reading.after = position
                return reading
            reading.broken = error
            value, path = decode_partial(text, position)
            reading.path = "".join(f"[{step}]" if isinstance(step, int) else format_step(step) for step in path)
            end = len(text)
        reading.values.append(value)
        reading.roots.append(JsonMember(None, position, position, end))
        position = skip_blanks(text, end)
        if not text.startswith(("[", "{"), position):
            break
    reading.after = position
    return reading


def _summarize(reading: JsonReading, places: JsonPositions, by_bytes: bool, total: int) -> Iterator[Entry]:
    yield from _describe_surroundings(reading, places, total)
    if len(reading.values) > 1:
        yield Entry(f"{pluralize(len(reading.values), 'JSON document')}, one after the other: the rows")
    if by_bytes:
        on = "on one line" if total == 1 else f"on {total:,} long lines"
        yield Entry(f"The JSON is {on}; bytes are counted from 1")
    if reading.relaxed_from:
        line = min(reading.relaxed_from, total)
        yield Entry("comments or commas before a closing bracket: no strict JSON from here on", line, line)
    yield from _list_duplicate_keys(reading, places)
    if reading.broken:
        start = min(places.line(reading.broken.position), total)
        inside = f" inside {reading.path}" if reading.path else ""
        rest = "; nothing after it is in this map" if reading.broken.reason != "it ends too early" else ""
        at = places.byte(reading.broken.position) + 1
        rows = () if by_bytes or reading.relaxed_from else _quote_broken_line(places, reading.broken.position)
        yield Entry(f"BROKEN at byte {at}{inside}: {reading.broken.reason}{rest}", start, start, children=rows)


def _quote_broken_line(places: JsonPositions, position: int) -> tuple[Entry, ...]:
    """Return a quotation of the line of an error, or of the last line that is not blank before it."""
    text = places.text
    position = min(position, len(text) - 1)
    while position > 0 and text[position].isspace():
        position -= 1
    begin, end = text.rfind("\n", 0, position) + 1, text.find("\n", position)
    return (quote(places.line(position), decode_surrogates(text[begin : end if end >= 0 else len(text)])),)


def _list_duplicate_keys(reading: JsonReading, places: JsonPositions) -> Iterator[Entry]:
    """Yield an entry on duplicate keys at the top level; the last value of a key counts."""
    if len(reading.values) == 1 and isinstance(reading.values[0], dict):
        keys = [member.key or "" for member in places.members(reading.roots[0].start)]
        if len(keys) > len(reading.values[0]):
            duplicates = [key for key, count in Counter(keys).items() if count > 1]
            some = ", ".join(quote_string(key, 40) for key in duplicates[:6])
            more = f", +{len(duplicates) - 6:,} more" if len(duplicates) > 6 else ""
            yield Entry(f"keys that stand there more than once (the last one counts here): {some}{more}")


def _describe_surroundings(reading: JsonReading, places: JsonPositions, total: int) -> Iterator[Entry]:
    """Yield entries on the lines before and after the JSON, each with its first line quoted."""
    ends = ((0, reading.before, "before"), (reading.after, len(places.text), "after"))
    for start, end, side in ends:
        rest = places.written[start:end].rstrip()
        if places.text[start:end].strip("\ufeff \t\r\n"):
            first, last = places.line(start), min(places.line(start + len(rest) - 1), total)
            first_rows = rest.split("\n")[:1] if side == "after" else rest.removeprefix("\ufeff").split("\n")[:1]
            quotes = (
                (quote(first, decode_surrogates(first_rows[0])),)
                if first_rows[0].strip() and "\n" in places.text
                else ()
            )
            yield Entry(f"{side} the JSON, not part of it", first, last, children=quotes)


def _outline_too_deep(places: JsonPositions) -> list[Outline]:
    """Return an outline with the nesting depth of JSON that is too deep to parse."""
    text = f"{measure_depth(places.text):,} levels of arrays and objects: too deep to be mapped further"
    return [Outline(NAME, (Section("", (Entry(text),)),))]
