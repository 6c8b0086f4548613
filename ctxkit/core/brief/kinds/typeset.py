"""Sources of text formatters (roff, LaTeX, Texinfo): headings and defined terms."""

import re
from collections.abc import Iterator, Mapping, Sequence
from re import Match, Pattern

from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line, quote
from ctxkit.core.brief.texts.markup import nest_entries
from ctxkit.core.languages.language_names import LANGUAGES
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.limits import HEADING_SPACE, HEADINGS
from ctxkit.core.text.quantity import pluralize

_FONT = compile_lazily(r"\\f(?:[BIRP1-4]|\(\w\w|\[\w*\])|\\&|^\.[A-Z][A-Z]? +|\\s-?\d")
"""Pattern of roff's font and size commands."""
_COMMAND = compile_lazily(r"\\(?:text\w\w|emph|texorpdfstring|protect|label\{[^}]*)\b|[{}]")
"""Pattern of LaTeX commands inside a title, and of its braces."""


@dataclass(frozen=True, slots=True)
class MarkupFormat:
    """Describe the source format of a text formatter.

    ``heading`` has the groups ``mark`` and ``title``. ``levels`` maps marks to levels; the level of another mark is its
    length. An empty title is on the next line. ``term`` matches a definition, with the group ``term``, which is empty
    if the name is on the next line. ``fence`` opens literal text up to ``fence_end``. ``signs`` matches lines that only
    this format has. ``suffixes`` are file suffixes.
    """

    name: str
    suffixes: frozenset[str]
    signs: Pattern[str]
    heading: Pattern[str]
    levels: Mapping[str, int]
    term: Pattern[str] | None = None
    fence: Pattern[str] | None = None
    fence_end: Pattern[str] | None = None

    def find_level(self, match: Match[str]) -> int:
        """Return the level of a heading, 1 at the top."""
        return self.levels.get(match["mark"], len(match["mark"]))


FORMATS = (
    MarkupFormat(
        "roff",
        frozenset((*"123456789nl", "man", "mdoc", "roff", "ms", "nr")),
        compile_lazily(r"^[.'](?:TH|SH|SS|TP|IP|PP|LP|Dd|Dt|Sh|Ss|It|Pp|NH|RS|RE)\b", re.MULTILINE),
        compile_lazily(r"\.(?P<mark>SH|SS|Sh|Ss|NH)\b(?P<title>.*)"),
        {"SH": 1, "Sh": 1, "NH": 1, "SS": 2, "Ss": 2},
        compile_lazily(
            r"\.(?:TP\b.*(?P<term>)|It +(?:Fl|Cm|Ar|Ic|Va|Pa) (?P<named>.*)|IP +(?P<quoted>\"[^\"]+\"|(?!\\)\w\S+))"
        ),
    ),
    MarkupFormat(
        "latex",
        frozenset(("tex", "latex", "ltx", "cls", "sty", "dtx")),
        compile_lazily(
            r"^[^\S\n]*\\(?:documentclass|usepackage|(?:sub)*section|chapter|begin\{|newcommand|input\{|NeedsTeXFormat"
            r"|ProvidesClass|RequirePackage)",
            re.MULTILINE,
        ),
        compile_lazily(
            r"\s*\\(?P<mark>part|chapter|section|subsection|subsubsection|paragraph)\*?(?:\[[^\]]*\])?"
            r"\{(?P<title>(?!.*#\d|\\begin).*\S).*"
        ),
        {"part": 1, "chapter": 2, "section": 3, "subsection": 4, "subsubsection": 5, "paragraph": 6},
        compile_lazily(
            r"\s*(?:\\(?:re|provide)?newcommand\*?\{?(?P<term>\\[\w@]+)|\\(?:[egx]?def|let)(?P<named>\\[\w@]+)"
            r"|\\(?:re)?newenvironment\*?\{(?P<quoted>[\w*]+)\}"
            r"|\\begin\{(?P<begun>(?:abstract|figure|table|algorithm|theorem|lemma|definition)\*?)\}).*"
        ),
        compile_lazily(r"\s*\\begin\{(?:verbatim|lstlisting|minted)\*?\}"),
        compile_lazily(r"\s*\\end\{(?:verbatim|lstlisting|minted)\*?\}"),
    ),
    MarkupFormat(
        "texinfo",
        frozenset(("texi", "texinfo", "txi")),
        compile_lazily(r"^(?:@(?:node|chapter|section|menu|settitle|deffn|table|end) |\\input texinfo)", re.MULTILINE),
        compile_lazily(
            r"@(?P<mark>top|chapter|unnumbered|appendix|section|unnumberedsec|appendixsec|heading|subsection"
            r"|unnumberedsubsec|appendixsubsec|subheading|subsubsection|unnumberedsubsubsec) +(?P<title>.*)"
        ),
        dict.fromkeys(("top", "chapter", "unnumbered", "appendix"), 1)
        | dict.fromkeys(("section", "unnumberedsec", "appendixsec", "heading"), 2)
        | dict.fromkeys(("subsection", "unnumberedsubsec", "appendixsubsec", "subheading"), 3)
        | dict.fromkeys(("subsubsection", "unnumberedsubsubsec"), 4),
        compile_lazily(r"@(?:def\w+|anchor)\b[ {]*(?P<term>.*)"),
    ),
)
"""All formats, in the order in which they are tried."""
_OPENINGS = (160, 80, 0)
"""Numbers of characters quoted below each heading, for outlines of decreasing detail."""


@dataclass(slots=True)
class HeadingPart:
    """Hold one heading with its level, and the terms (options, commands, definitions) below it."""

    title: str
    level: int
    start: int
    end: int = 0
    terms: list[tuple[str, int]] = field(default_factory=list)
    opening: tuple[int, str] = (0, "")


NAME = "typeset"
TYPES: Sequence[str] = (*(form.name for form in FORMATS if form.name not in LANGUAGES), "tex")
CLUES = Clues((".SH", ".Sh", ".TP", ".IP", "\\", "@node", "@chapter"), unless_log=True)
_LARGEST = 32 << 20
"""Maximum size in bytes of a source that is read."""
_SIGNS_NEEDED = 4
"""Number of format-specific lines that identify a format without a suffix."""
PLAIN = ("", "txt", "in")
"""Suffixes that do not indicate a format."""
_DEEP = 9
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
        signed = signs >= _SIGNS_NEEDED and signs * 40 >= len(rows)
        if (own and signs and _has_structure(form, rows)) or (signed and _has_heading(form, rows)):
            return form
    return None


def _has_heading(form: MarkupFormat, rows: Sequence[str]) -> bool:
    return any(form.heading.fullmatch(row.rstrip()) for row in rows)


def _has_structure(form: MarkupFormat, rows: Sequence[str]) -> bool:
    """Return whether there is a heading or a definition."""
    return _has_heading(form, rows) or (form.term is not None and any(map(form.term.match, rows)))


def _find_format(document: InputDocument) -> MarkupFormat | None:
    """Return the format that the caller names, or else the detected one."""
    word = "latex" if document.content_type == "tex" else document.content_type
    return next((form for form in FORMATS if form.name == word), None) or _detect_format(document)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the headings with their terms or openings, or None if there is no structure."""
    form = _find_format(document)
    if form is None or document.lines.size > _LARGEST:
        return None
    parts = _find_parts(document.lines.texts(), form)
    heads = sum(part.level < _DEEP for part in parts)
    terms = sum(len(part.terms) for part in parts)
    if heads < 2 and not terms:
        return None
    if len(parts) > HEADINGS and len(parts) * HEADING_SPACE > document.lines.size:
        return None
    facts = (pluralize(count, noun) for count, noun in ((heads, "heading"), (terms, "term")) if count)
    top = Section("", (Entry(", ".join([form.name, *facts])),))
    indexes = (nest_entries(make_entries(parts, width)) for width in _OPENINGS)
    return [Outline(NAME, (top, Section("Sections", index, noun="entries"))) for index in indexes]


def _find_parts(rows: Sequence[str], form: MarkupFormat) -> list[HeadingPart]:
    """Return the headings in order, and the text before the first heading if it defines terms."""
    parts = [HeadingPart("", _DEEP, 1)]
    literal = False
    for number, row in enumerate(rows, 1):
        fence = form.fence_end if literal else form.fence
        if fence and fence.match(row):
            literal = not literal
        elif not literal:
            _add_row(parts, number, row.lstrip("\ufeff"), rows[number] if number < len(rows) else "", form)
    parts[-1].end = len(rows)
    return [part for part in parts if part.level < _DEEP or part.terms]


def _add_row(parts: list[HeadingPart], number: int, row: str, after: str, form: MarkupFormat) -> None:
    """Begin the part of a heading, or add a line to the last part."""
    match = form.heading.fullmatch(row.rstrip())
    if match is None:
        _add_line(parts[-1], number, row, after, form)
        return
    parts[-1].end = number - 1
    parts.append(HeadingPart(strip_markup(match["title"]) or strip_markup(after), form.find_level(match), number))


def _add_line(part: HeadingPart, number: int, row: str, after: str, form: MarkupFormat) -> None:
    """Add a line below a heading to its part: a defined term, or the opening of its text."""
    match = form.term.match(row) if form.term else None
    if match:
        term = next(filter(None, match.groups()), "") or after
        if strip_markup(term):
            part.terms.append((strip_markup(term), number))
    elif not part.opening[0] and row.strip()[:1].isalnum() and strip_markup(row) != part.title:
        part.opening = (number, row)


def strip_markup(title: str) -> str:
    """Return a heading or a term without font markup."""
    title = _FONT.sub("", title).replace("\\-", "-").replace("\\(aq", "'")
    title = title if "@" in title else _COMMAND.sub("", title)
    return title.strip().strip('"').strip()


def make_entries(parts: Sequence[HeadingPart], width: int) -> Iterator[tuple[int, Entry]]:
    """Yield the headings with their levels; deeper ones have a higher rank. Each has its terms or its first line."""
    levels = sorted({part.level for part in parts})
    for place, part in enumerate(parts):
        rank = levels.index(part.level)
        end = next((later.start - 1 for later in parts[place + 1 :] if later.level <= part.level), parts[-1].end)
        opens = width and part.opening[0] and not part.terms
        inner = [quote(*part.opening, rank=rank + 8, width=width)] if opens else []
        inner += _make_term_entries(part, rank + 4)
        title = clean_line(part.title, 120) or ("(before the first heading)" if len(parts) > 1 else "(no heading)")
        yield part.level, Entry(title, part.start, max(end, part.start), rank, children=tuple(inner))


def _make_term_entries(part: HeadingPart, rank: int) -> Iterator[Entry]:
    """Yield dense entries for the terms, each with lines up to the next term."""
    ends = [number - 1 for _, number in part.terms[1:]] + [part.end]
    for (term, number), end in zip(part.terms, ends, strict=False):
        yield Entry(clean_line(term, 60), number, max(end, number), rank, dense=True)
