"""Manuals and other plain text with headings: man pages, --help, reStructuredText and RFCs, with option lines."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.brief.texts.nesting import nest_entries
from ctxkit.core.brief.texts.parts import OPENINGS, HeadingPart, make_entries
from ctxkit.core.text.measure import pluralize

NAME = "manual"
TYPES: Sequence[str] = ("man", "help", "rst")
SUFFIXES = ("rst", "1", "man")
LARGEST = 32 << 20
"""Maximum size in bytes of a manual that is read."""
PAGE = re.compile(r"\s*(?P<title>[\w.:+@-]+\(\d[a-z]*\)).*(?P=title)\s*$", re.IGNORECASE)
"""Pattern of the first line of a man page, with its title on both sides."""
CAPITALS = re.compile(r"(?=.*[A-Z]{2})(?!.* {3})[A-Z0-9][A-Z0-9 /&,'()_-]*$")
LABEL = re.compile(r" {0,2}[A-Z][A-Za-z0-9 ,/()-]{0,60}:$")
"""Pattern of a heading in --help output: ``Options:``."""
NUMBERED = re.compile(r"(\d+(?:\.\d+)*)\.?[ \t]{1,4}[A-Z][^.!?;{}=]*$")
"""Pattern of a heading of an RFC: ``3.2.  Terms``, but not a sentence or code."""
SUBHEADING = re.compile(r" {2,4}[A-Z][^.:;]{1,60}$")
"""Pattern of a subheading of a man page, indented by less than the text."""
DOTTED = re.compile(r"\.{4}|(?: \.){4}|(?<!\s)\s{3,}\d+$")
"""Pattern of a table of contents line."""
UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}\s*$")
DIRECTIVE = re.compile(r"^\.\. [\w:-]+::|^:\w+: |``\w|:\w+:`", re.MULTILINE)
USAGE = re.compile(r"\s*(?:usage|synopsis):?(?:\s|$)", re.IGNORECASE)
OPTION = re.compile(
    r"[ \t]{1,16}(?P<term>-{1,2}[A-Za-z0-9?@#\[][^\s,]*"
    r"(?:,? (?:(?:-{1,2}[\w\[]|[<\[=])[^\s,]*(?:,[^\s,]+)*|[A-Z][A-Z_.-]*\b))*"  # a comma at the end divides terms
    r"(?: [a-z][\w-]*(?=$))?)(?=,?[ \t]*$|[ \t]{2,}|\t|(?<=[>\]]) )"
)
COMMAND = re.compile(r"[ \t]{1,8}(?P<term>[a-z][\w:-]*(?:, [a-z][\w:-]*)*)[ \t]{2,}\S")
"""Pattern of a row in a list of commands, as in --help output."""
COMMAND_LINE = re.compile(r"[ \t]{1,10}(?P<term>[a-z][\w-]{0,40})(?: [A-Z\[{<|].{0,60})?$")
"""Pattern of a command on a line of its own above its description, as in the COMMANDS of a man page."""
COMMANDS = re.compile(r"(?:[A-Z][\w-]* ){0,4}[Cc]ommands?\b[^.]{0,40}$")
"""Pattern of the line above such a list."""


def sniff(document: InputDocument) -> float:
    """Return the confidence, from a man page's title line, a usage line with options, or reStructuredText markup."""
    rows = document.head.split("\n")[:400]
    first_rows = [row for row in rows if row.strip()][:4]
    if first_rows and PAGE.match(first_rows[0]):
        return 0.95
    options = sum(OPTION.match(row) is not None for row in rows)
    heads = sum(CAPITALS.match(row) is not None and _is_indented(after) for row, after in pairwise(rows))
    if any(map(USAGE.match, first_rows)) and options >= 2:
        return 0.85
    if heads >= 3 and heads + options > 5:
        return 0.8
    commands = sum(COMMAND.match(row) is not None for row in rows)
    if any(map(COMMANDS.match, rows)) and commands >= 8 and commands * 3 > sum(1 for row in rows if row.strip()):
        return 0.75
    return _score_rst(document, rows)


def _is_indented(row: str) -> bool:
    return row[:1] in (" ", "\t") and bool(row.strip())


def _score_rst(document: InputDocument, rows: Sequence[str]) -> float:
    """Return the confidence that the document is reStructuredText, or plain text underlined like it."""
    ruled = [title for title, under in pairwise(rows) if _is_title(title, under)]
    if document.suffix == "rst":
        return 0.9 if ruled else 0.6
    if document.suffix not in ("", "txt") or len(ruled) < 2:
        return 0.0
    return 0.8 if len(DIRECTIVE.findall(document.head)) >= 2 else 0.0


def _is_title(title: str, under: str) -> bool:
    """Return whether ``under`` underlines ``title``: at least as long, and not much longer."""
    bare = title.rstrip()
    fits = bool(bare) and len(bare) <= len(under.rstrip()) <= len(bare) + 8 and len(bare) < 120
    return fits and bare[0].isalnum() and UNDERLINE.match(under) is not None and not UNDERLINE.match(bare)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the headings with their options and commands, or None if there are neither."""
    if document.lines.size > LARGEST:
        return None
    rows = document.lines.texts()
    parts = _find_parts(rows, _read_underlined_heading if _score_rst(document, rows[:400]) else _read_heading)
    if len(parts) < 2 and not any(part.terms for part in parts):
        return None
    terms = sum(len(part.terms) for part in parts)
    heads = sum(part.level > 0 for part in parts)
    facts = [pluralize(heads, "heading") if heads else "", f"{terms:,} options and commands" if terms else ""]
    first = next((number for number, row in enumerate(rows, 1) if row.strip()), 1)
    top = Section("", (quote(first, rows[first - 1], rank=0), Entry(", ".join(filter(None, facts)))))
    sections = (Section("Sections", nest_entries(make_entries(parts, width)), noun="entries") for width in OPENINGS)
    return [Outline(NAME, (top, section)) for section in sections]


def _find_parts(
    rows: Sequence[str], read_heading: Callable[[Sequence[str], int, list[str]], tuple[str, int]]
) -> list[HeadingPart]:
    """Return the headings in order, and the text before the first heading if it has options or commands."""
    parts = [HeadingPart("", 0, 1)]
    styles: list[str] = []
    for number, row in enumerate(rows, 1):
        title, level = read_heading(rows, number, styles) if row.strip() else ("", 0)
        if level:
            parts[-1].end = number - 1
            parts.append(HeadingPart(title, level, number))
        elif row.strip():
            before, after = rows[number - 2] if number > 1 else "", rows[number] if number < len(rows) else ""
            if not _add_command(parts[-1], number, row, before, after):
                _add_line(parts[-1], number, row, before)
    parts[-1].end = len(rows)
    return [part for part in parts if part.level or part.terms]


def _read_underlined_heading(rows: Sequence[str], number: int, styles: list[str]) -> tuple[str, int]:
    """Return the title on a line that the next line underlines, and its level by the order of underline styles."""
    row, after = rows[number - 1], rows[number] if number < len(rows) else ""
    if not _is_title(row, after):
        return "", 0
    if after[0] not in styles:
        styles.append(after[0])
    return row.strip(), 1 + styles.index(after[0])


def _read_heading(rows: Sequence[str], number: int, styles: list[str]) -> tuple[str, int]:
    """Return the title on a line and its level, or 0 if the line is not a heading."""
    del styles
    row, after = rows[number - 1].rstrip(), rows[number] if number < len(rows) else ""
    if CAPITALS.match(row) and (_is_indented(after) or not after.strip()):
        return row, 1
    if LABEL.match(row) and _is_indented(after):
        return row.strip().removesuffix(":"), 1
    before = rows[number - 2] if number > 1 else ""
    if SUBHEADING.match(row) and not before.strip() and _count_indent(after) > _count_indent(row):
        return row.strip(), 2
    match = NUMBERED.match(row)
    if match and not DOTTED.search(row) and not after.strip():
        return row, 1 + match[1].count(".")
    return "", 0


def _add_command(part: HeadingPart, number: int, row: str, before: str, after: str) -> bool:
    """Add a command that stands alone above its deeper description to its part; return whether there is one."""
    match = COMMAND_LINE.match(row)
    apart = not before.strip() or _count_indent(before) < _count_indent(row)
    if not match or not part.level or not apart or _count_indent(after) < _count_indent(row) + 2:
        return False
    part.terms.append((match["term"], number))
    return True


def _add_line(part: HeadingPart, number: int, row: str, before: str) -> None:
    """Add a line below a heading to its part: an option, a command, or the opening of its text.

    A line that continues a paragraph is not an option, even if it looks like one.
    """
    match = OPTION.match(row) or ("command" in part.title.lower() and COMMAND.match(row)) or None
    apart = (
        not before.strip()
        or _count_indent(before) != _count_indent(row)
        or OPTION.match(before)
        or before.strip()[-1:] == ":"
    )
    if match and (apart or part.terms[-1:] == [(part.terms[-1][0], number - 1)] if part.terms else apart):
        part.terms.append((match["term"].replace(",", ""), number))
    elif not part.opening[0] and not UNDERLINE.match(row.strip()):
        part.opening = (number, row)


def _count_indent(row: str) -> int:
    return len(row) - len(row.lstrip())
