"""Headings and terms of the formats of text formatters."""

import pytest

from ctxkit.core.brief.texts.formats import FORMATS, strip_markup

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
