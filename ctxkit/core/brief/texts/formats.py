"""Patterns of headings and defined terms in the sources of text formatters other than Markdown."""

import re
from collections.abc import Mapping
from re import Match, Pattern

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass

FONT = compile_lazily(r"\\f(?:[BIRP1-4]|\(\w\w|\[\w*\])|\\&|^\.[A-Z][A-Z]? +|\\s-?\d")
"""Pattern of roff's font and size commands."""
COMMAND = compile_lazily(r"\\(?:text\w\w|emph|texorpdfstring|protect|label\{[^}]*)\b|[{}]")
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


def strip_markup(title: str) -> str:
    """Return a heading or a term without font markup."""
    title = FONT.sub("", title).replace("\\-", "-").replace("\\(aq", "'")
    title = title if "@" in title else COMMAND.sub("", title)
    return title.strip().strip('"').strip()


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
