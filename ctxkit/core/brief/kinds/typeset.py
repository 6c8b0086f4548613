"""Sources of text formatters (roff, LaTeX, Texinfo): headings and defined terms."""

from collections.abc import Sequence

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.brief.texts.formats import FORMATS, MarkupFormat, strip_markup
from ctxkit.core.brief.texts.nesting import nest_entries
from ctxkit.core.brief.texts.parts import OPENINGS, HeadingPart, make_entries
from ctxkit.core.languages.language_names import LANGUAGES
from ctxkit.core.text.limits import HEADING_SPACE, HEADINGS
from ctxkit.core.text.quantity import pluralize

NAME = "typeset"
TYPES: Sequence[str] = (*(form.name for form in FORMATS if form.name not in LANGUAGES), "tex")
CLUES = Clues((".SH", ".Sh", ".TP", ".IP", "\\", "@node", "@chapter"), unless_log=True)
LARGEST = 32 << 20
"""Maximum size in bytes of a source that is read."""
SIGNS_NEEDED = 4
"""Number of format-specific lines that identify a format without a suffix."""
PLAIN = ("", "txt", "in")
"""Suffixes that do not indicate a format."""
DEEP = 9
"""Level of the part that covers a document without headings."""


def sniff(document: InputDocument) -> float:
    """Return the confidence, from the suffix with one format-specific line, or from several such lines."""
    form = _detect_format(document)
    return 0.0 if form is None else 0.92 if document.suffix in form.suffixes else 0.83


def _detect_format(document: InputDocument) -> MarkupFormat | None:
    if "\0" in document.head or document.head.startswith("#!"):
        return None
    rows = document.head.split("\n")
    for form in FORMATS:
        own = document.suffix in form.suffixes
        if not own and document.suffix not in PLAIN:
            continue
        signs = len(form.signs.findall(document.head))
        signed = signs >= SIGNS_NEEDED and signs * 40 >= len(rows)
        if (own and signs and _has_structure(form, rows)) or (
            signed and _has_heading(form, rows)
        ):
            return form
    return None


def _has_heading(form: MarkupFormat, rows: Sequence[str]) -> bool:
    return any(form.heading.fullmatch(row.rstrip()) for row in rows)


def _has_structure(form: MarkupFormat, rows: Sequence[str]) -> bool:
    """Return whether there is a heading or a definition."""
    return _has_heading(form, rows) or (form.term is not None and any(map(form.term.match, rows)))


def _find_named_format(document: InputDocument) -> MarkupFormat | None:
    word = "latex" if document.content_type == "tex" else document.content_type
    return next((form for form in FORMATS if form.name == word), None)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the headings with their terms or openings, or None if there is no structure."""
    form = _find_named_format(document) or _detect_format(document)
    if form is None or document.lines.size > LARGEST:
        return None
    parts = _find_parts(document.lines.texts(), form)
    heads = sum(part.level < DEEP for part in parts)
    terms = sum(len(part.terms) for part in parts)
    if heads < 2 and not terms:
        return None
    if len(parts) > HEADINGS and len(parts) * HEADING_SPACE > document.lines.size:
        return None
    facts = (form.name, pluralize(heads, "heading") if heads else "", pluralize(terms, "term") if terms else "")
    top = Section("", (Entry(", ".join(filter(None, facts))),))
    sections = (Section("Sections", nest_entries(make_entries(parts, width)), noun="entries") for width in OPENINGS)
    return [Outline(NAME, (top, section)) for section in sections]


def _find_parts(rows: Sequence[str], form: MarkupFormat) -> list[HeadingPart]:
    """Return the headings in order, and the text before the first heading if it defines terms."""
    parts = [HeadingPart("", DEEP, 1)]
    literal = False
    for number, row in enumerate(rows, 1):
        if form.fence and form.fence_end and (form.fence_end if literal else form.fence).match(row):
            literal = not literal
            continue
        row = row.lstrip("\ufeff")
        match = None if literal else form.heading.fullmatch(row.rstrip())
        after = rows[number] if number < len(rows) else ""
        if match:
            parts[-1].end = number - 1
            parts.append(
                HeadingPart(strip_markup(match["title"]) or strip_markup(after), form.find_level(match), number)
            )
        elif not literal:
            _add_line(parts[-1], number, row, after, form)
    parts[-1].end = len(rows)
    return [part for part in parts if part.level < DEEP or part.terms]


def _add_line(part: HeadingPart, number: int, row: str, after: str, form: MarkupFormat) -> None:
    """Add a line below a heading to its part: a defined term, or the opening of its text."""
    match = form.term.match(row) if form.term else None
    if match:
        term = next(filter(None, match.groups()), "") or after
        if strip_markup(term):
            part.terms.append((strip_markup(term), number))
    elif not part.opening[0] and row.strip()[:1].isalnum() and strip_markup(row) != part.title:
        part.opening = (number, row)
