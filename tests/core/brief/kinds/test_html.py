from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import html
from ctxkit.core.text import lines

PAGE = """<!doctype html>
<html lang="de"><title>Guide</title>
<meta name="description" content="All about it">
<h1>Guide</h1>
<p>How to begin.
<h2 id="install">Install</h2>
<p>Run <code>pip</code>.
<a href="x">x</a>
<h2>Use</h2>
<form action="/go"><input name="q"></form>
"""


def document(text, name=""):
    content = lines.lines_from_bytes(text.encode())
    return InputDocument(content, content.read, len, 2000, name)


def entries(sections):
    found = {}

    def walk(entry):
        found[entry.label] = (entry.start, entry.end)
        for child in entry.children:
            walk(child)

    for section in sections:
        for entry in section.entries:
            walk(entry)
    return found


def test_headings_have_the_lines_up_to_the_next_of_their_level_and_the_words_that_follow() -> None:
    richest, *_ = html.outline(document(PAGE))
    found = entries(richest.sections)
    assert found["h1 Guide: How to begin."] == (4, 10)
    assert found["h2 Install (#install): Run pip. x"] == (6, 8)
    assert found["h2 Use"] == (9, 10)


def test_the_poorest_map_has_no_words_but_the_headings() -> None:
    *_, poorest = html.outline(document(PAGE))
    found = entries(poorest.sections)
    assert found["h1 Guide"] == (4, 10)
    assert found["form GET /go; fields q"] == (10, 10)
    assert found["title: Guide"] == (2, 2)
    assert found["description: All about it"] == (3, 3)
    assert found["language de, 1 link, 2 paragraphs"] == (0, 0)


def test_a_page_on_one_line_is_placed_by_bytes() -> None:
    text = "<html><body>" + "<h2>Überschrift</h2><p>" + "wort " * 2000 + "<h2>Ende</h2><p>x"
    *_, poorest = html.outline(document(text))
    first, last = poorest.sections[1].entries
    assert first.in_bytes
    data = text.encode()
    assert data[first.start - 1 : first.end].decode() == text[text.index("<h2>") : text.index("<h2>Ende")]
    assert data[last.start - 1 : last.end].decode() == "<h2>Ende</h2><p>x"


def test_a_page_is_told_by_its_beginning_its_name_or_its_tags() -> None:
    assert html.sniff(document(PAGE)) > 0.9
    assert html.sniff(document("<!-- c -->\n<!DOCTYPE HTML>\n")) > 0.9
    assert html.sniff(document("<div>\n" * 30)) >= 0.5
    assert html.sniff(document("<p>x</p>", "a.html")) > 0.8


def test_other_texts_are_none() -> None:
    assert html.sniff(document("# Title\n\n<p align=center>logo</p>\n\nText\n" * 3)) == 0
    assert html.sniff(document("<?xml version='1.0'?>\n<rss><channel><item>x</item></channel></rss>\n")) == 0
    assert html.sniff(document("2026-01-01 INFO <div> closed\n" * 40)) == 0
    assert html.sniff(document("const a = <div><p>x</p></div>;\n" * 20, "a.tsx")) == 0


def test_a_page_without_anything_to_point_at_has_no_map() -> None:
    assert html.outline(document("<html><p>text</p></html>")) is None
