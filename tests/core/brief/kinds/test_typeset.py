"""Headings and terms of the formats of text formatters."""

import pytest

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import typeset
from ctxkit.core.brief.kinds.typeset import FORMATS, HeadingPart, make_entries, strip_markup
from ctxkit.core.text import lines

ROFF = """.TH TOOL 1 "2026"
.SH NAME
tool \\- do things
.SH "OPTIONS"
.TP
.B \\-\\-all
Everything.
.IP "\\fB-q\\fR, \\fB--quiet\\fR"
Nothing.
.SS Rare ones
Text.
"""
LATEX = """\\documentclass{article}
\\usepackage{amsmath}
\\newcommand{\\half}{0.5}
\\begin{document}
\\section{One \\emph{thing}}
Words.
\\begin{verbatim}
\\section{not this}
\\end{verbatim}
\\subsection*{Inner}
\\begin{figure}
\\end{figure}
\\end{document}
"""
TEXINFO = "\\input texinfo\n@node Top\n@top Tool\n@menu\n@end menu\n@chapter First\nWords.\n@section Inner\n@deffn Command run\n@end deffn\n"


def document(text, name="", forced=""):
    content = lines.lines_from_bytes(text.encode())
    return InputDocument(content, content.read, len, 2000, name, forced)


def headings(text, name=""):
    (top, sections) = typeset.outline(document(text, name))[-1].sections
    found = []

    def walk(entries, depth):
        for entry in entries:
            found.append((depth, entry.label, entry.start, entry.end))
            walk(entry.children, depth + 1)

    walk(sections.entries, 0)
    return top.entries[0].label, found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (ROFF, "tool.1"),
        (LATEX, "a.tex"),
        (TEXINFO, "a.texi"),
    ],
)
def test_each_format_is_known_by_name_and_without(text: str, name: str) -> None:
    assert typeset.sniff(document(text, name)) == 0.92
    assert typeset.sniff(document(text, "a.c")) == 0
    assert typeset.sniff(document(text)) == 0.83


@pytest.mark.parametrize(
    "text", ["# Title\n\n* one\n* two\n\nTitle\n=====\n", "a = 1\nb = 2\n", "== x ==\n", "=== FAILURES ===\n" * 9, "\\n\n"]
)
def test_other_texts_are_none_of_them(text: str) -> None:
    assert typeset.sniff(document(text)) == 0


def test_roff_names_options() -> None:
    said, found = headings(ROFF, "tool.1")
    assert said == "roff, 3 headings, 2 terms"
    assert found == [
        (0, "NAME", 2, 3),
        (0, "OPTIONS", 4, 11),
        (1, "--all", 5, 7),
        (1, "-q, --quiet", 8, 9),
        (1, "Rare ones", 10, 11),
    ]


def test_latex_names_sections_and_what_is_defined() -> None:
    said, found = headings(LATEX, "a.tex")
    assert said == "latex, 2 headings, 2 terms"
    assert [label for _, label, *_ in found] == ["(before the first heading)", "\\half", "One thing", "Inner", "figure"]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (TEXINFO, "a.texi", ["Tool", "First", "Inner", "Command run"]),
    ],
)
def test_headings_are_in_order_and_literal_text_holds_none(text: str, name: str, expected) -> None:
    assert [label for _, label, *_ in headings(text, name)[1]] == expected


def test_a_kind_that_is_named_is_taken() -> None:
    assert typeset.outline(document(ROFF, forced="roff")) is not None
    assert typeset.outline(document("nothing\n", forced="latex")) is None


BY_NAME = {markup.name: markup for markup in FORMATS}


@pytest.mark.parametrize(
    ("name", "line", "level", "title"),
    [
        ("roff", ".SH NAME", 1, "NAME"),
        ("roff", '.SS "Exit status"', 2, "Exit status"),
        ("latex", r"\section{Intro \emph{now}}", 3, "Intro now"),
        ("texinfo", "@section Files", 2, "Files"),
    ],
)
def test_a_heading_has_a_level_and_a_title(name: str, line: str, level: int, title: str) -> None:
    markup = BY_NAME[name]
    match = markup.heading.fullmatch(line)
    assert (markup.find_level(match), strip_markup(match["title"])) == (level, title)


@pytest.mark.parametrize("markup", FORMATS, ids=lambda markup: markup.name)
def test_prose_has_no_headings(markup) -> None:
    assert not markup.heading.fullmatch("This is an ordinary sentence.")
    assert not markup.signs.search("This is an ordinary sentence.\nAnd another one.\n")


PARTS = [
    HeadingPart("NAME", 1, 1, 4, opening=(2, "ctxkit - fit content")),
    HeadingPart("OPTIONS", 1, 5, 20, terms=[("--model", 6), ("--window", 10)]),
    HeadingPart("Exit status", 2, 12, 20, opening=(13, "0 for success")),
]


def test_a_part_ends_before_the_next_of_its_level() -> None:
    entries = [entry for _, entry in make_entries(PARTS, 80)]
    assert [(entry.label, entry.start, entry.end) for entry in entries] == [("NAME", 1, 4), ("OPTIONS", 5, 20), ("Exit status", 12, 20)]
    assert [entry.rank for entry in entries] == [0, 0, 1]


def test_terms_replace_the_opening_and_reach_to_the_next_term() -> None:
    name, options, _ = [entry for _, entry in make_entries(PARTS, 80)]
    assert [child.label for child in name.children] == ["ctxkit - fit content"]
    assert [(child.label, child.start, child.end) for child in options.children] == [("--model", 6, 9), ("--window", 10, 20)]


def test_without_a_width_nothing_is_quoted() -> None:
    assert [entry.children for _, entry in make_entries(PARTS[:1], 0)] == [()]
