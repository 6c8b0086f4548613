"""JSON: its shape as a schema, what is odd in it, and the lines or bytes of its parts."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ctxkit.core.brief.data import elements
from ctxkit.core.brief.data.chart import Chart
from ctxkit.core.brief.data.literals import quoted, step_of, stored
from ctxkit.core.brief.data.readable import NAMELESS
from ctxkit.core.brief.data.relaxed import SUFFIXES as COMMENTED
from ctxkit.core.brief.data.relaxed import relaxed
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.limits import WHOLE_DOCUMENT
from ctxkit.core.measure import plural
from ctxkit.core.positions import Broken, Member, Places, TooDeep, blank, decode, depth, partial

NAME = "json"
TYPES: Sequence[str] = ("geojson", "jsonc", "json5")
SUFFIXES = ("json", "geojson", "ipynb", "har", "webmanifest", "jsonld", "sarif", *COMMENTED)
WHOLE = 8 << 20
"""Bytes up to which JSON is read whole; of more, the elements of its array, one after another."""
LONG_LINES = 2_000
"""Bytes of a line, on average, from which on bytes say more than lines."""
TOKENS = re.compile(
    r'(?:\s+|[{}\[\],:]|"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null|NaN|-?Infinity)\b)*+'
)
BEGINS = re.compile(
    r"""^[^\S\n]*(?=\{\s*(?:"(?:[^"\\\n]|\\.)*"\s*:|\}\s*\Z)
    |\[\s*(?:[\[{"\]]|-?\d[\d.eE+-]*\s*[,\]]|(?:true|false|null)\b))""",
    re.MULTILINE | re.VERBOSE,
)
"""How JSON begins, on a line of its own."""
PREFACE = 4_000
"""Characters of other output, such as warnings, that may come before JSON."""


@dataclass(slots=True)
class Reading:
    """Hold the values of a JSON text, where each stands, and where it breaks, if it does.

    ``loose`` is the line on which strict JSON would break, 0 for none: comments and last commas were skipped then.
    """

    values: list[Any] = field(default_factory=list)
    roots: list[Member] = field(default_factory=list)
    broken: Broken | None = None
    path: str = ""
    before: int = 0
    after: int = 0
    loose: int = 0


def sniff(document: Document) -> float:
    """Return how sure it is that the document is JSON: its first 4,000 characters are nothing else."""
    sure = _sure(document, document.head)
    if not sure and (document.suffix in SUFFIXES or document.suffix in NAMELESS):
        head = document.head[: 2 * PREFACE]
        loose = relaxed(head)
        return _sure(document, loose) if loose != head else 0.0
    return sure


def _sure(document: Document, text: str) -> float:
    start = _begin(text)
    if start < 0:
        return 0.0
    head = text[start : start + 4_000]
    tokens = TOKENS.match(head)
    read = tokens.end() if tokens else 0
    cut = read == len(head) or (head.startswith(('"', "-"), read) and "\n" not in head[read:])
    if not cut and read < 3_900 and document.suffix not in SUFFIXES and not _is_followed(head, read):
        return 0.0
    named = document.suffix in SUFFIXES
    sure = 0.9 if named or head.startswith("{") or read > 40 else 0.7
    return sure if not text[:start].strip("\ufeff \t\r\n") else sure - 0.25


def _begin(text: str) -> int:
    """Return where JSON begins in a text, at its start or after a few lines of other output; or -1."""
    mark = 1 if text.startswith("\ufeff") else 0
    found = BEGINS.search(text[mark : PREFACE * 2])
    return mark + found.end() if found and found.end() <= PREFACE else -1


def _is_followed(head: str, read: int) -> bool:
    """Say whether what stops the tokens is text after a whole value, and less of it than of the value."""
    try:
        return len(head) <= 2 * decode(head, 0)[1] <= 2 * read
    except (Broken, TooDeep):
        return False


def outline(document: Document) -> list[Outline] | None:
    """Return the shape of the data and the places of its parts, or None when too little can be read."""
    if document.lines.size > WHOLE:
        made = elements.outline(document, NAME)
        if made or document.lines.size > WHOLE_DOCUMENT:
            return made
    text = document.read(0, document.lines.size).decode("utf-8", "surrogateescape")
    places = Places(text)
    try:
        reading = _read(text)
        if reading.broken or not reading.values:
            reading, places = _loosely(reading, places)
    except TooDeep:
        return _deep(places)
    if not reading.values or (reading.broken and reading.broken.position * 4 < len(text)):
        return None
    by_bytes = document.lines.size > LONG_LINES * max(document.lines.total, 1)
    summary = list(_summary(reading, places, by_bytes, document.lines.total))
    chart = Chart(places, reading.roots, reading.values, by_bytes=by_bytes)
    return chart.outlines(NAME, summary, document.target)


def _loosely(strict: Reading, places: Places) -> tuple[Reading, Places]:
    """Read JSON once more without comments and last commas, and keep that where it comes further."""
    text = relaxed(places.text)
    if text == places.text:
        return strict, places
    loose = _read(text)
    if not loose.values or (loose.broken and strict.broken and loose.broken.position <= strict.broken.position):
        return strict, places
    loose.loose = places.line(strict.broken.position) if strict.broken else 1
    return loose, Places(text, places.text)


def _read(text: str) -> Reading:
    """Read one JSON text, or several one after the other, as far as they go."""
    position = _begin(text)
    if position < 0:
        position = blank(text, 1 if text.startswith("\ufeff") else 0)
    reading = Reading(before=position)
    while position < len(text):
        try:
            value, end = decode(text, position)
        except Broken as error:
            if not text.startswith(("[", "{"), position):
                reading.after = position
                return reading
            reading.broken = error
            value, path = partial(text, position)
            reading.path = "".join(f"[{step}]" if isinstance(step, int) else step_of(step) for step in path)
            end = len(text)
        reading.values.append(value)
        reading.roots.append(Member(None, position, position, end))
        position = blank(text, end)
        if not text.startswith(("[", "{"), position):
            break
    reading.after = position
    return reading


def _summary(reading: Reading, places: Places, by_bytes: bool, total: int) -> Iterator[Entry]:
    yield from _around(reading, places, total)
    if len(reading.values) > 1:
        yield Entry(f"{plural(len(reading.values), 'JSON document')}, one after the other: the rows")
    if by_bytes:
        on = "on one line" if total == 1 else f"on {total:,} long lines"
        yield Entry(f"The JSON is {on}; bytes are counted from 1")
    if reading.loose:
        line = min(reading.loose, total)
        yield Entry("comments or commas before a closing bracket: no strict JSON from here on", line, line)
    yield from _twice(reading, places)
    if reading.broken:
        start = min(places.line(reading.broken.position), total)
        inside = f" inside {reading.path}" if reading.path else ""
        rest = "; nothing after it is in this map" if reading.broken.reason != "it ends too early" else ""
        at = places.byte(reading.broken.position) + 1
        yield Entry(f"BROKEN at byte {at}{inside}: {reading.broken.reason}{rest}", start, start)


def _twice(reading: Reading, places: Places) -> Iterator[Entry]:
    """Yield the keys at the top that stand there more than once, of which the last one counts."""
    if len(reading.values) == 1 and isinstance(reading.values[0], dict):
        found = [member.key or "" for member in places.members(reading.roots[0].start)]
        if len(found) > len(reading.values[0]):
            twice = [key for key, count in Counter(found).items() if count > 1]
            some = ", ".join(quoted(key, 40) for key in twice[:6])
            more = f", +{len(twice) - 6:,} more" if len(twice) > 6 else ""
            yield Entry(f"keys that stand there more than once (the last one counts here): {some}{more}")


def _around(reading: Reading, places: Places, total: int) -> Iterator[Entry]:
    """Yield the lines before and after the JSON, the first of each as it stands."""
    ends = ((0, reading.before, "before"), (reading.after, len(places.text), "after"))
    for start, end, side in ends:
        rest = places.text[start:end].rstrip()
        if rest.strip("\ufeff \t\r\n"):
            first, last = places.line(start), min(places.line(start + len(rest) - 1), total)
            said = rest.split("\n")[:1] if side == "after" else rest.removeprefix("\ufeff").split("\n")[:1]
            quotes = (quote(first, stored(said[0])),) if said[0].strip() and "\n" in places.text else ()
            yield Entry(f"{side} the JSON, not part of it", first, last, children=quotes)


def _deep(places: Places) -> list[Outline]:
    """Say of JSON nested too deeply to be read what can be said."""
    said = f"{depth(places.text):,} levels of arrays and objects: too deep to be mapped further"
    return [Outline(NAME, (Section("", (Entry(said),)),))]
