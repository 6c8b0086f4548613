"""A chart is valid XML, whatever its names are."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.drawing.chart import Chart, Limit, Mark, Series
from ctxkit.core.drawing.svg import escape_xml, render_html, render_svg

HOSTILE = "</text><script>alert(1)</script>&\"'\x00\x1b[31m\u202e\ud800\ufffe"
SVG = "{http://www.w3.org/2000/svg}"


def make_chart(name="plain"):
    series = (Series(name, (5, 0, 7)), Series("other", (1, 2, 3)))
    return Chart(name, (name, "b", "c"), series, (Mark(1, name),), (Limit(9, name),), axis=name)


def test_an_svg_is_xml_and_scales() -> None:
    root = ElementTree.fromstring(render_svg(make_chart()).encode())
    assert root.tag == f"{SVG}svg"
    assert root.get("viewBox") == "0 0 400 320"
    assert root.get("width") is None
    assert len(root.findall(f"{SVG}path")) == 2
    assert "prefers-color-scheme:dark" in (root.findtext(f"{SVG}style") or "")


@pytest.mark.parametrize("render", [render_svg, render_html])
def test_hostile_names_are_text(render) -> None:
    page = render(make_chart(HOSTILE))
    assert "<script" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    page.encode("utf-8")


@given(st.text(st.characters(codec=None), max_size=80))
def test_any_name_gives_xml(name: str) -> None:
    ElementTree.fromstring(render_svg(make_chart(name)).encode())
    ElementTree.fromstring(f"<a b='{escape_xml(name)}'/>".encode())


@pytest.mark.parametrize("render", [render_svg, render_html])
def test_nothing_is_loaded_from_elsewhere(render) -> None:
    page = render(make_chart()).replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|src=|href=|url\(|@import|<script|<link", page)


def test_a_page_is_readable_on_a_phone_and_has_the_numbers() -> None:
    page = render_html(make_chart())
    assert 'name="viewport" content="width=device-width' in page
    assert "<td>7</td><td>3</td>" in page


def test_an_empty_chart_is_drawn() -> None:
    ElementTree.fromstring(render_svg(Chart("none", (), (Series("a", ()),))).encode())
