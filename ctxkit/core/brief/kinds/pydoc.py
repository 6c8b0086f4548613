"""Help of Python objects, as ``help()`` and pydoc print it: sections, classes, and the functions in them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.brief.texts.nesting import nest_entries
from ctxkit.core.brief.texts.parts import HeadingPart, make_entries

NAME = "pydoc"
TYPES: Sequence[str] = ()
LARGEST = 32 << 20
"""Maximum size in bytes of help that is read."""
INHERITED_LEVEL, INHERITED_RANK = 3, 9
"""Level of the headings of inherited members, and their rank, above that of members."""
PAGE = re.compile(r"Help on [a-z][\w -]{0,40} [\w.]+(?: in (?:module )?[\w.]+)?:$")
"""Pattern of the first line, as of ``pydoc.render_doc``."""
HEADING = re.compile(r"[A-Z][A-Z ]{2,40}$")
CLASS = re.compile(r"(?: {4})?(?P<title>(?:[\w.]+ = )?class [\w.]+(?:\([^()]{0,200}\))?)$")
INHERITED = re.compile(r" {0,4} \|  (?P<title>[A-Z][a-z ]{2,40} inherited from [\w.]+):$")
"""Pattern of the line above the members that a class inherits."""
MEMBER = re.compile(
    r"(?: {4}| {0,4} \|  )?(?P<name>[A-Za-z_][\w.]*)"
    r"(?P<rest> = [\w.]+\(.*|\(.*\)(?: -> .+| from \w.+| method of \w.+)?)$"
)
"""Pattern of the signature of a function or method."""
DESCRIPTOR = re.compile(r" {0,4} \|  (?P<name>[A-Za-z_]\w*)$")
BAR = re.compile(r" {0,4} \| {0,2}")


def sniff(document: InputDocument) -> float:
    """Return the confidence, from the first line and the heading or class below it."""
    rows = [row.rstrip() for row in document.head.split("\n")[:20] if row.strip()]
    return 0.95 if len(rows) > 1 and PAGE.match(rows[0]) and (HEADING.match(rows[1]) or CLASS.match(rows[1])) else 0.0


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the sections and classes with their functions, or None if there are none."""
    if document.lines.size > LARGEST:
        return None
    rows = [row.rstrip() for row in document.lines.texts()]
    parts = list(_find_parts(rows))
    if not any(part.terms for part in parts) and len(parts) < 2:
        return None
    first = next(number for number, row in enumerate(rows, 1) if row)
    classes = sum(CLASS.match(rows[part.start - 1]) is not None for part in parts)
    count = sum(len(part.terms) for part in parts)
    noun = "class" if classes == 1 else "classes"
    facts = f"{classes:,} {noun}; {count:,} signatures and names of members found"
    top = Section("", (quote(first, rows[first - 1], rank=0), Entry(facts)))
    forms = (parts, 120), (parts, 0), (list(map(_shorten_terms, parts)), 0)
    sections = (Section("Sections", nest_entries(_list_entries(*form)), noun="entries") for form in forms)
    return [Outline(NAME, (top, section)) for section in sections]


def _list_entries(parts: Sequence[HeadingPart], width: int) -> Iterator[tuple[int, Entry]]:
    """Yield the entries of the headings with their levels; inherited members come after all others."""
    for level, entry in make_entries(parts, width):
        yield level, replace(entry, rank=INHERITED_RANK) if level == INHERITED_LEVEL else entry


def _shorten_terms(part: HeadingPart) -> HeadingPart:
    """Return a part whose functions have no parameters."""
    return replace(part, terms=[(term.partition("(")[0].partition(" ")[0], number) for term, number in part.terms])


def _find_parts(rows: Sequence[str]) -> Iterator[HeadingPart]:
    """Yield the headings in order, each with its members or the first line of its text."""
    part: HeadingPart | None = None
    for number, row in enumerate(rows, 1):
        heading = _read_heading(row, number)
        if heading is not None:
            if part is not None:
                part.end = number - 1
                yield part
            part = heading
        elif part is not None and row.strip():
            _add_row(part, number, row, rows[number - 2])
    if part is not None:
        part.end = len(rows)
        yield part


def _read_heading(row: str, number: int) -> HeadingPart | None:
    if HEADING.match(row):
        return HeadingPart(row, 1, number)
    match = CLASS.match(row)
    if match:
        return HeadingPart(match["title"], 2, number)
    match = INHERITED.match(row)
    return HeadingPart(match["title"], INHERITED_LEVEL, number) if match else None


def _add_row(part: HeadingPart, number: int, row: str, before: str) -> None:
    """Add a member to a part, or the opening of its text; a member follows a blank line or its heading."""
    text = BAR.sub("", row, count=1)
    is_apart = not BAR.sub("", before, count=1).strip() or (part.title == "FUNCTIONS" and number == part.start + 1)
    match = MEMBER.match(row) or (part.level > 1 and DESCRIPTOR.match(row))
    if match and is_apart and part.title != "NAME":
        part.terms.append((match["name"] + match.groupdict().get("rest", ""), number))
    elif not part.opening[0] and text.strip():
        part.opening = (number, row)
