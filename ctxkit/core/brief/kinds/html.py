"""HTML: headings with the lines of each and their opening words, landmarks, forms, tables, scripts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.brief.texts.markup import COLUMNS, HEADING, LANDMARKS, Element, counts, elements, opening, words
from ctxkit.core.brief.texts.nesting import nested
from ctxkit.core.limits import HEADING_SPACE, HEADINGS, WHOLE_DOCUMENT
from ctxkit.core.measure import plural, size_of
from ctxkit.core.positions import Places

NAME = "html"
TYPES: Sequence[str] = ("htm", "xhtml")
SUFFIXES = ("html", "htm", "xhtml", "shtml")
BEGINNING = re.compile(
    r"\ufeff?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*+-->\s*+)*+(?:<!doctype html|<html[\s>])",
    re.IGNORECASE | re.DOTALL,
)
TAGS = re.compile(
    r"</?(?:div|span|p|a|ul|ol|li|table|tr|td|th|h[1-6]|head|body|script|style|meta|link|img|br)[\s>/]", re.IGNORECASE
)
ATTRIBUTE = re.compile(r"<html[^<>]*?\blang=[\"']?([\w-]+)", re.IGNORECASE)
DESCRIPTION = re.compile(
    r"<meta[^<>]{0,500}?name=[\"']description[\"'][^<>]{0,500}?content=(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE
)
WIDE = 2_000
"""Bytes a line takes on average from which on bytes tell places better than lines."""
HEAVY = 2_000
"""Characters of a script, style or drawing that are worth a pointer."""
OPENINGS = (160, 80, 40, 0)
"""Characters of the words below each heading, in ever shorter maps."""


@dataclass(frozen=True)
class Page:
    """Hold a page's text, and turn places in it into what a map points at."""

    text: str
    places: Places
    octets: bool

    def entry(self, label: str, start: int, end: int, rank: int) -> Entry:
        """Return an entry about the characters from ``start`` up to ``end``."""
        last = max(end - 1, start)
        if self.octets:
            first, last = self.places.byte(start) + 1, self.places.byte(last) + 1
            return Entry(label, first, last, rank, octets=True)
        return Entry(label, self.places.line(start), self.places.line(last), rank)


def sniff(document: Document) -> float:
    """Return how sure it is that the document is HTML: by its beginning, its name, or by most lines being tags."""
    if BEGINNING.match(document.head[:4096]):
        return 0.95
    tags = len(TAGS.findall(document.head[:20_000]))
    if document.suffix in SUFFIXES:
        return 0.9 if tags else 0.6
    rows = [row for row in document.head[:20_000].split("\n") if row.strip()]
    led = sum(row.lstrip().startswith("<") for row in rows)
    return 0.6 if tags >= 10 and led * 2 > len(rows) and document.suffix in ("", "txt") else 0.0


def outline(document: Document) -> Sequence[Outline] | None:
    """Return title and counts, the headings, and what else is worth a pointer; None where there is nothing."""
    if document.lines.size > WHOLE_DOCUMENT:
        return None
    text = document.read(0, document.lines.size).decode("utf-8", "replace")
    page = Page(text, Places(text), document.lines.size > WIDE * max(document.lines.total, 1))
    found = elements(text)
    heads = [element for element in found if HEADING.match(element.name) and element.text]
    if len(heads) > HEADINGS and len(heads) * HEADING_SPACE > document.lines.size:
        heads = []
    rest = (
        Section("Forms", tuple(_forms(page, found)), noun="forms"),
        Section("Tables", tuple(_tables(page, found)), noun="tables"),
        Section("Parts", tuple(_parts(page, found)), noun="parts"),
        Section("Scripts, styles and drawings", tuple(_raw(page, found)), noun="blocks"),
    )
    said = [section for section in rest if section.entries]
    if not heads and not said:
        return None
    top = Section("", tuple(_top(page, found)))
    chapters = (Section("Headings", _chapters(page, heads, width), noun="headings") for width in OPENINGS)
    return [Outline(NAME, (top, headings, *said)) for headings in chapters]


def _top(page: Page, found: Sequence[Element]) -> Iterator[Entry]:
    """Yield what is true of the whole page."""
    title = next((element for element in found if element.name == "title" and element.text), None)
    if title:
        yield page.entry(f"title: {title.text[:200]}", title.start, title.end, 0)
    described = DESCRIPTION.search(page.text[:65_536])
    if described and (said := words(described[1] or described[2] or "")):
        yield page.entry(f"description: {said[:300]}", *described.span(), 1)
    language = ATTRIBUTE.search(page.text[:4096])
    facts = [f"language {language[1]}"] if language else []
    facts += [plural(number, noun) for number, noun in counts(page.text) if number]
    if facts:
        yield Entry(", ".join(facts))


def _chapters(page: Page, heads: Sequence[Element], width: int) -> tuple[Entry, ...]:
    """Return the headings, each below the one it belongs to, with the first words that follow it."""
    levels = sorted({head.name for head in heads})
    rows = []
    ends = _ends(heads, len(page.text))
    for place, head in enumerate(heads):
        own = heads[place + 1].start if place + 1 < len(heads) else len(page.text)
        end = ends[place]
        label = _label(head) + _opening(page.text, head.end, own, width)
        level = levels.index(head.name)
        rows.append((level, page.entry(label, head.start, end, level)))
    return nested(rows)


def _ends(heads: Sequence[Element], last: int) -> list[int]:
    """Return where each heading's chapter ends: before the next heading of its level or a higher one."""
    ends = [last] * len(heads)
    open_: list[int] = []
    for place, head in enumerate(heads):
        while open_ and heads[open_[-1]].name >= head.name:
            ends[open_.pop()] = head.start
        open_.append(place)
    return ends


def _label(head: Element) -> str:
    named = head.attributes.get("id", "")
    return f"{head.name} {head.text[:160]}" + (f" (#{named})" if named else "")


def _opening(text: str, start: int, end: int, width: int) -> str:
    """Return the first words of a chapter, to be put after its heading."""
    said = opening(text, start, end) if width else ""
    return f": {said[:width].rstrip()}{'...' if len(said) > width else ''}" if said else ""


def _forms(page: Page, found: Sequence[Element]) -> Iterator[Entry]:
    for form in found:
        if form.name == "form":
            method = form.attributes.get("method", "get").upper()
            label = f"form {method} {form.attributes.get('action', '')[:100]}".rstrip() + _named("fields", form.parts)
            yield page.entry(label, form.start, form.end, 2)


def _tables(page: Page, found: Sequence[Element]) -> Iterator[Entry]:
    for table in found:
        if table.name == "table":
            label = f"table of {plural(table.rows, 'row')}" + _named("headed", table.parts)
            yield page.entry(label, table.start, table.end, 3)


def _named(what: str, parts: Sequence[str]) -> str:
    names = [part[:40] for part in dict.fromkeys(parts) if part]
    more = f" and {len(names) - COLUMNS} more" if len(names) > COLUMNS else ""
    return f"; {what} {', '.join(names[:COLUMNS])}{more}" if names else ""


def _parts(page: Page, found: Sequence[Element]) -> Iterator[Entry]:
    """Yield the landmarks that have a name, or of which there is one only."""
    for element in found:
        told = [f"#{element.attributes['id']}"] if element.attributes.get("id") else []
        told += [element.attributes[key] for key in ("aria-label", "class") if element.attributes.get(key)][:1]
        if element.name in LANDMARKS and (told or element.name in ("main", "nav")):
            label = " ".join([element.name, *told])[:80]
            yield page.entry(label, element.start, element.end, 4)


def _raw(page: Page, found: Sequence[Element]) -> Iterator[Entry]:
    """Yield long blocks that are no text of the page, so that a reader can go around them."""
    for element in found:
        size = element.end - element.start
        if element.name in ("script", "style", "svg", "template") and size >= HEAVY:
            told = [element.attributes[key] for key in ("id", "type", "src") if element.attributes.get(key)]
            yield page.entry(" ".join([element.name, *told])[:80] + f", {size_of(size)}", element.start, element.end, 5)
