"""The picture of the README shows what the commands print, and is safe and small."""

from xml.etree import ElementTree

import pytest

pytest.importorskip("tools.demo_svg", reason="the tools are in the repository alone")

from tools.demo_svg import COLUMNS, Pane, draw, draw_files, record_panes, shorten

SVG = "{http://www.w3.org/2000/svg}"
MOST = 30_000
"""Bytes that the picture may take in a page."""


@pytest.fixture(scope="module")
def panes():
    return record_panes()


def texts(picture):
    return [element.text for element in ElementTree.fromstring(picture).iter(f"{SVG}text")]


@pytest.mark.slow
def test_a_second_run_draws_the_same_picture(panes) -> None:
    assert draw_files() == {"demo.svg": draw(panes)}
    assert len(draw(panes).encode()) < MOST


@pytest.mark.slow
def test_the_panes_show_the_log_and_its_map(panes) -> None:
    before, after = panes
    assert before.lines[-1].strip("= ") == "80 failed, 171 passed in 66.76s (0:01:06)"
    assert before.lines[-1] in after.lines[2]
    assert after.lines[-1].startswith("To read a part: ctxkit cache get ")


def test_every_text_of_the_picture_is_a_line_of_the_run_or_the_beginning_of_one(panes) -> None:
    printed = [line for pane in panes for line in (pane.title, f"$ {pane.command}", *pane.lines) if line]
    shown = texts(draw(panes))
    assert len(shown) == len(printed)
    for text, line in zip(shown, printed, strict=True):
        assert text == line or (len(text) == COLUMNS and line.startswith(text.removesuffix("\u2026")))


@pytest.mark.slow
def test_the_picture_holds_text_boxes_and_one_style_that_loads_nothing(panes) -> None:
    elements = list(ElementTree.fromstring(draw(panes)).iter())
    assert {element.tag.removeprefix(SVG) for element in elements} == {"svg", "style", "rect", "text"}
    assert not {"href", "onload", "style"} & {name for element in elements for name in element.attrib}
    style = next(element.text for element in elements if element.tag == f"{SVG}style")
    assert "prefers-color-scheme: dark" in style
    assert "url(" not in style
    assert "@import" not in style


def test_text_of_any_kind_is_shown_as_text() -> None:
    hostile = '<script>&amp;"\x1b[31m\x00'
    assert texts(draw([Pane("t", "c", [hostile])])) == ["t", "$ c", '<script>&amp;"\ufffd[31m\ufffd']


def test_lines_that_are_left_out_are_counted() -> None:
    assert shorten("1\n2\n3\n4\n5\n", 1, 2) == ["1", "\u22ee 2 more lines", "4", "5"]
    assert shorten("1\n2\n3\n", 1, 1) == ["1", "2", "3"]
    assert shorten("1\n2\n3\n", 1, 0) == ["1", "\u22ee 2 more lines"]
