"""HTML: headings with line ranges and opening words, landmarks, forms and tables."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.brief.texts.markup import (
    COLUMNS,
    HEADING,
    LANDMARKS,
    MarkupElement,
    count_elements,
    extract_opening,
    extract_text,
    nest_entries,
    parse_elements,
)
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.limits import HEADING_SPACE, HEADINGS, WHOLE_DOCUMENT
from ctxkit.core.text.positions import JsonPositions
from ctxkit.core.text.quantity import pluralize

NAME = "html"
TYPES: Sequence[str] = ("htm", "xhtml")
CLUES = Clues(("<",), suffixes=("html", "htm", "xhtml", "shtml"), unless_log=True)
SUFFIXES = ("html", "htm", "xhtml", "shtml")
BEGINNING = compile_lazily(
    r"\ufeff?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*+-->\s*+)*+(?:<!doctype html|<html[\s>])",
    re.IGNORECASE | re.DOTALL,
)
TAGS = compile_lazily(
    r"</?(?:div|span|p|a|ul|ol|li|table|tr|td|th|h[1-6]|head|body|script|style|meta|link|img|br)[\s>/]", re.IGNORECASE
)
ATTRIBUTE = compile_lazily(r"<html[^<>]*?\blang=[\"']?([\w-]+)", re.IGNORECASE)
DESCRIPTION = compile_lazily(
    r"<meta[^<>]{0,500}?name=[\"']description[\"'][^<>]{0,500}?content=(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE
)
WIDE_LINE = 2_000
"""Average line length in bytes above which places are given in bytes instead of lines."""
OPENINGS = (160, 80, 40, 0)
"""Numbers of characters quoted below each heading, for outlines of decreasing detail."""


@dataclass(frozen=True)
class HtmlPage:
    """Hold a page's text and convert its offsets to places in the document."""

    text: str
    places: JsonPositions
    by_bytes: bool

    def make_entry(self, label: str, start: int, end: int, rank: int) -> Entry:
        """Return an entry about the characters from ``start`` up to ``end``."""
        last = max(end - 1, start)
        if self.by_bytes:
            first, last = self.places.byte(start) + 1, self.places.byte(last) + 1
            return Entry(label, first, last, rank, in_bytes=True)
        return Entry(label, self.places.line(start), self.places.line(last), rank)


def sniff(document: InputDocument) -> float:
    """Return the confidence that the document is HTML, from its beginning, its suffix and the share of tags."""
    if BEGINNING.match(document.head[:4096]):
        return 0.95
    tags = len(TAGS.findall(document.head[:20_000]))
    if document.suffix in SUFFIXES:
        return 0.9 if tags else 0.6
    rows = [row for row in document.head[:20_000].split("\n") if row.strip()]
    led = sum(row.lstrip().startswith("<") for row in rows)
    return 0.6 if tags >= 10 and led * 2 > len(rows) and document.suffix in ("", "txt") else 0.0


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the title, counts, headings and other parts, or None if the page has none of them."""
    if document.lines.size > WHOLE_DOCUMENT:
        return None
    text = document.read(0, document.lines.size).decode("utf-8", "replace")
    page = HtmlPage(text, JsonPositions(text), document.lines.size > WIDE_LINE * max(document.lines.total, 1))
    page_elements = parse_elements(text)
    heads = [element for element in page_elements if HEADING.match(element.name) and element.text]
    if len(heads) > HEADINGS and len(heads) * HEADING_SPACE > document.lines.size:
        heads = []
    rest = (
        Section("Forms", tuple(_list_forms(page, page_elements)), noun="forms"),
        Section("Tables", tuple(_list_tables(page, page_elements)), noun="tables"),
        Section("Parts", tuple(_list_landmarks(page, page_elements)), noun="parts"),
    )
    filled_sections = [section for section in rest if section.entries]
    if not heads and not filled_sections:
        return None
    top = Section("", tuple(_summarize(page, page_elements)))
    chapters = (Section("Headings", _make_heading_entries(page, heads, width), noun="headings") for width in OPENINGS)
    return [Outline(NAME, (top, headings, *filled_sections)) for headings in chapters]


def _summarize(page: HtmlPage, page_elements: Sequence[MarkupElement]) -> Iterator[Entry]:
    """Yield the title, description, language and counts of the page."""
    title = next((element for element in page_elements if element.name == "title" and element.text), None)
    if title:
        yield page.make_entry(f"title: {title.text[:200]}", title.start, title.end, 0)
    described = DESCRIPTION.search(page.text[:65_536])
    if described and (description := extract_text(described[1] or described[2] or "")):
        yield page.make_entry(f"description: {description[:300]}", *described.span(), 1)
    language = ATTRIBUTE.search(page.text[:4096])
    facts = [f"language {language[1]}"] if language else []
    facts += [pluralize(number, noun) for number, noun in count_elements(page.text) if number]
    if facts:
        yield Entry(", ".join(facts))


def _make_heading_entries(page: HtmlPage, heads: Sequence[MarkupElement], width: int) -> tuple[Entry, ...]:
    """Return nested entries for the headings, each with the first words below it."""
    levels = sorted({head.name for head in heads})
    rows = []
    ends = _find_chapter_ends(heads, len(page.text))
    for place, head in enumerate(heads):
        own = heads[place + 1].start if place + 1 < len(heads) else len(page.text)
        end = ends[place]
        label = _format_heading(head) + _format_opening(page.text, head.end, own, width)
        level = levels.index(head.name)
        rows.append((level, page.make_entry(label, head.start, end, level)))
    return nest_entries(rows)


def _find_chapter_ends(heads: Sequence[MarkupElement], last: int) -> list[int]:
    """Return the offset where the chapter of each heading ends: at the next heading of the same or a higher level."""
    ends = [last] * len(heads)
    open_: list[int] = []
    for place, head in enumerate(heads):
        while open_ and heads[open_[-1]].name >= head.name:
            ends[open_.pop()] = head.start
        open_.append(place)
    return ends


def _format_heading(head: MarkupElement) -> str:
    anchor = head.attributes.get("id", "")
    return f"{head.name} {head.text[:160]}" + (f" (#{anchor})" if anchor else "")


def _format_opening(text: str, start: int, end: int, width: int) -> str:
    """Return the first words of a chapter, formatted to follow its heading."""
    first_words = extract_opening(text, start, end) if width else ""
    return f": {first_words[:width].rstrip()}{'...' if len(first_words) > width else ''}" if first_words else ""


def _list_forms(page: HtmlPage, page_elements: Sequence[MarkupElement]) -> Iterator[Entry]:
    for form in page_elements:
        if form.name == "form":
            method = form.attributes.get("method", "get").upper()
            label = f"form {method} {form.attributes.get('action', '')[:100]}".rstrip() + _format_names(
                "fields", form.parts
            )
            yield page.make_entry(label, form.start, form.end, 2)


def _list_tables(page: HtmlPage, page_elements: Sequence[MarkupElement]) -> Iterator[Entry]:
    for table in page_elements:
        if table.name == "table":
            label = f"table of {pluralize(table.rows, 'row')}" + _format_names("headed", table.parts)
            yield page.make_entry(label, table.start, table.end, 3)


def _format_names(noun: str, parts: Sequence[str]) -> str:
    names = [part[:40] for part in dict.fromkeys(parts) if part]
    more = f" and {len(names) - COLUMNS} more" if len(names) > COLUMNS else ""
    return f"; {noun} {', '.join(names[:COLUMNS])}{more}" if names else ""


def _list_landmarks(page: HtmlPage, page_elements: Sequence[MarkupElement]) -> Iterator[Entry]:
    """Yield the landmarks that have an id or a label, and every ``main`` and ``nav``."""
    for element in page_elements:
        labels = [f"#{element.attributes['id']}"] if element.attributes.get("id") else []
        labels += [element.attributes[key] for key in ("aria-label", "class") if element.attributes.get(key)][:1]
        if element.name in LANDMARKS and (labels or element.name in ("main", "nav")):
            label = " ".join([element.name, *labels])[:80]
            yield page.make_entry(label, element.start, element.end, 4)
