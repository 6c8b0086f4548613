"""Sources of text formatters: roff, LaTeX, Texinfo, AsciiDoc, Org, wikitext, POD; headings, and what is defined."""

from collections.abc import Sequence

from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.brief.texts.formats import FORMATS, Format, cleared
from ctxkit.core.brief.texts.nesting import nested
from ctxkit.core.brief.texts.parts import OPENINGS, Part, entries
from ctxkit.core.languages import LANGUAGES
from ctxkit.core.limits import HEADING_SPACE, HEADINGS
from ctxkit.core.measure import plural

NAME = "typeset"
TYPES: Sequence[str] = (*(form.name for form in FORMATS if form.name not in LANGUAGES), "tex", "adoc")
LARGEST = 32 << 20
"""Bytes up to which such a text is read."""
SEEN = 4
"""Lines that no other format has, from which on their format is known without a name."""
PLAIN = ("", "txt", "in")
"""Extensions that say nothing of a format."""
DEEP = 9
"""Level of a heading that stands for the whole where there is no heading."""


def sniff(document: Document) -> float:
    """Return how sure it is: by extension and one sign, or by signs alone."""
    form = _format(document)
    return 0.0 if form is None else 0.92 if document.suffix in form.suffixes else 0.83


def _format(document: Document) -> Format | None:
    if "\0" in document.head or document.head.startswith("#!"):
        return None
    rows = document.head.split("\n")
    for form in FORMATS:
        own = document.suffix in form.suffixes
        if not own and document.suffix not in PLAIN:
            continue
        signs = len(form.signs.findall(document.head))
        signed = signs >= SEEN and signs * 40 >= len(rows)
        if (own and (signs or form.name == "wikitext") and _lays_out(form, rows)) or (signed and _heads(form, rows)):
            return form
    return None


def _heads(form: Format, rows: Sequence[str]) -> bool:
    return any(form.heading.fullmatch(row.rstrip()) for row in rows)


def _lays_out(form: Format, rows: Sequence[str]) -> bool:
    """Tell whether there is a heading, or a definition, as in what others build on."""
    return _heads(form, rows) or (form.term is not None and any(map(form.term.match, rows)))


def _forced(document: Document) -> Format | None:
    word = {"tex": "latex", "adoc": "asciidoc"}.get(document.forced, document.forced)
    return next((form for form in FORMATS if form.name == word), None)


def outline(document: Document) -> Sequence[Outline] | None:
    """Return the headings with what is defined below each, or how it begins; None where there are none."""
    form = _forced(document) or _format(document)
    if form is None or document.lines.size > LARGEST:
        return None
    parts = _parts(document.lines.texts(), form)
    heads = sum(part.level < DEEP for part in parts)
    terms = sum(len(part.terms) for part in parts)
    if heads < 2 and not terms:
        return None
    if len(parts) > HEADINGS and len(parts) * HEADING_SPACE > document.lines.size:
        return None
    facts = (form.name, plural(heads, "heading") if heads else "", plural(terms, "term") if terms else "")
    top = Section("", (Entry(", ".join(filter(None, facts))),))
    sections = (Section("Sections", nested(entries(parts, width)), noun="entries") for width in OPENINGS)
    return [Outline(NAME, (top, section)) for section in sections]


def _parts(rows: Sequence[str], form: Format) -> list[Part]:
    """Return the headings in order, and the text before the first one if something is defined there."""
    parts = [Part("", DEEP, 1)]
    literal = False
    for number, row in enumerate(rows, 1):
        if form.fence and form.fenced and (form.fenced if literal else form.fence).match(row):
            literal = not literal
            continue
        row = row.lstrip("\ufeff")
        found = None if literal else form.heading.fullmatch(row.rstrip())
        after = rows[number] if number < len(rows) else ""
        if found:
            parts[-1].end = number - 1
            parts.append(Part(cleared(found["title"]) or cleared(after), form.level(found), number))
        elif not literal:
            _inside(parts[-1], number, row, after, form)
    parts[-1].end = len(rows)
    return [part for part in parts if part.level < DEEP or part.terms]


def _inside(part: Part, number: int, row: str, after: str, form: Format) -> None:
    """Note a line below a heading: what it defines, or how the text begins."""
    found = form.term.match(row) if form.term else None
    if found:
        named = next(filter(None, found.groups()), "") or after
        if cleared(named):
            part.terms.append((cleared(named), number))
    elif not part.opening[0] and row.strip()[:1].isalnum() and cleared(row) != part.title:
        part.opening = (number, row)
