"""JSON: its shape as a schema, what is odd in it, and the lines or bytes of its parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from re import compile
from typing import Any

from ctxkit.core.brief.dataset import Parts, outlines
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.extents import Extents
from ctxkit.core.brief.oddities import Oddity, oddities
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.brief.positions import BLANK, Broken, Member, Places, TooDeep, decode, depth, partial
from ctxkit.core.brief.schema import step_of
from ctxkit.core.brief.shape import Shape
from ctxkit.core.measure import plural

NAME = "json"
TYPES: Sequence[str] = ("geojson", "ipynb")
SUFFIXES = ("json", "geojson", "ipynb", "har", "webmanifest", "jsonld", "sarif")
LARGEST = 32 << 20
"""Bytes up to which JSON is read whole."""
LONG_LINES = 2_000
"""Bytes of a line, on average, from which on bytes say more than lines."""
TOKENS = compile(
    r'(?:\s+|[{}\[\],:]|"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null|NaN|-?Infinity)\b)*+'
)
BEGINS = compile(r'\ufeff?\s*(?:\{\s*(?:"(?:[^"\\\n]|\\.)*"\s*:|\})|\[\s*(?:[\[{"\]]|-?\d[\d.eE+-]*\s*[,\]]|true|false|null))')


@dataclass(slots=True)
class Reading:
    """Hold the values of a JSON text, where each stands, and where it breaks, if it does."""

    values: list[Any] = field(default_factory=list)
    roots: list[Member] = field(default_factory=list)
    broken: Broken | None = None
    path: str = ""


def sniff(document: Document) -> float:
    """Return how sure it is that the document is JSON: its first 4,000 characters are nothing else."""
    head = document.head
    if not BEGINS.match(head):
        return 0.0
    start = head[:4_000].removeprefix("\ufeff")
    read = TOKENS.match(start).end()  # type: ignore[union-attr]
    if read < len(start) and not (len(start) == 4_000 and start.startswith(('"', "-"), read)) and read < 3_900:
        cut = start.startswith('"', read) and "\n" not in start[read:]
        if not cut and document.suffix not in SUFFIXES:
            return 0.0
    return 0.9 if ":" in start[:read] or document.suffix in SUFFIXES else 0.7


def outline(document: Document) -> list[Outline] | None:
    """Return the shape of the data and the places of its parts, or None when too little can be read."""
    if document.lines.size > LARGEST:
        return None
    text = document.read(0, document.lines.size).decode("utf-8", "surrogateescape")
    places = Places(text)
    try:
        reading = _read(text)
    except TooDeep:
        return _deep(document, places)
    if not reading.values or reading.broken and reading.broken.position * 4 < len(text):
        return None
    many = len(reading.values) > 1
    root = Shape(many)
    root.add(reading.values, range(len(reading.values)))
    by_bytes = document.lines.size > LONG_LINES * max(document.lines.total, 1)
    extents = Extents(places, reading.roots, root, by_bytes=by_bytes)
    odd = [_odd(oddity, extents, many) for oddity in oddities(root)[: max(document.target // 20, 8)]]
    summary = list(_summary(reading, places, by_bytes, document.lines.total))
    parts = Parts("Where", "parts", extents.entries, extents.place)
    return outlines(NAME, summary, odd, root, parts, document.target)


def _read(text: str) -> Reading:
    """Read one JSON text, or several one after the other, as far as they go."""
    reading = Reading()
    position = BLANK(text, 1 if text.startswith("\ufeff") else 0).end()  # type: ignore[union-attr]
    while position < len(text):
        try:
            value, end = decode(text, position)
        except Broken as error:
            reading.broken = error
            if text.startswith(("[", "{"), position):
                value, path = partial(text, position)
                reading.values.append(value)
                reading.roots.append(Member(None, position, position, len(text)))
                reading.path = "".join(f"[{step}]" if isinstance(step, int) else step_of(step) for step in path)
            return reading
        reading.values.append(value)
        reading.roots.append(Member(None, position, position, end))
        position = BLANK(text, end).end()  # type: ignore[union-attr]
    return reading


def _summary(reading: Reading, places: Places, by_bytes: bool, total: int) -> Iterator[Entry]:
    if len(reading.values) > 1:
        yield Entry(f"{plural(len(reading.values), 'JSON document')}, one after the other; a row is one of them")
    if by_bytes:
        on = "on one line" if total == 1 else f"on {total:,} long lines"
        yield Entry(f"The JSON is {on}: read parts by bytes (ctxkit cache get REF --bytes A:B, from 1, inclusive)")
    if reading.broken:
        start = min(places.line(reading.broken.position), total)
        inside = f" inside {reading.path}" if reading.path else ""
        rest = "; nothing after it is in this map" if reading.broken.reason != "it ends too early" else ""
        at = places.byte(reading.broken.position) + 1
        yield Entry(f"BROKEN at byte {at}{inside}: {reading.broken.reason}{rest}", start, start)


def _odd(oddity: Oddity, extents: Extents, many: bool) -> Entry:
    """Return an entry about one oddity, at the lines it is on."""
    spot, row = oddity.spot, oddity.row
    text = f"{spot.path or 'the element'} {oddity.text}"
    steps: list[str | int | None] = list(spot.steps)
    if many:
        roots = extents.roots[row : row + 1]
        text += f" (here in document {row})"
    else:
        roots = extents.roots
        first = steps.index(None)
        steps[first] = row
        text += f" (here {_here(extents, roots[0], steps[: first + 1])})"
    found = next((extents.places.find(root, steps, oddity.test) for root in roots), None)
    return extents.entry(found, text, 10) if found else Entry(text, rank=10)


def _here(extents: Extents, root: Member, steps: Sequence[str | int | None]) -> str:
    """Name the row that the last of ``steps`` numbers."""
    found = extents.places.find(root, steps, lambda value: True)
    before = "".join(step_of(step) for step in steps[:-1] if isinstance(step, str))
    return before + (f"[{steps[-1]}]" if found is None or found.key is None else step_of(found.key))


def _deep(document: Document, places: Places) -> list[Outline]:
    """Say of JSON nested too deeply to be read what can be said."""
    said = f"{depth(places.text):,} levels of arrays and objects: too deep to be mapped further"
    return [Outline(NAME, (Section("", (Entry(said),)),))]
