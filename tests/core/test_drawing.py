"""The layout of a chart."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.drawing import (
    Chart,
    Limit,
    Mark,
    Series,
    escape_xml,
    format_short,
    list_ticks,
    pick_labels,
    render_html,
    render_svg,
)


@given(st.integers(1, 10**15))
def test_ticks_are_round_and_reach_the_top(top: int) -> None:
    ticks = list_ticks(top)
    assert ticks[-1] >= top
    assert 2 <= len(ticks) <= 6
    assert str(ticks[1]).rstrip("0") in ("1", "2", "5")


def test_numbers_are_short() -> None:
    assert [format_short(number) for number in (0, 999, 1000, 1500, 2_000_000)] == ["0", "999", "1k", "1.5k", "2M"]


def test_a_long_chart_keeps_its_peaks_and_marks() -> None:
    values = tuple(9000 if at == 777 else 1 for at in range(1000))
    chart = Chart("t", tuple(map(str, range(1000))), (Series("a", values),), (Mark(500, "compaction"),)).shorten(100)
    assert len(chart.labels) == 100
    assert chart.labels[77] == "777"
    assert chart.series[0].values[77] == 9000
    assert chart.marks == (Mark(50, "compaction"),)


@given(st.integers(0, 500))
def test_the_first_and_the_last_label_are_shown(size: int) -> None:
    shown = list(pick_labels(["x"] * size))
    assert len(shown) == min(size, 6)
    assert not size or (shown[0], shown[-1]) == (0, size - 1)


def test_the_top_includes_limits() -> None:
    assert Chart("t", ("a",), (Series("a", (3,)),), limits=(Limit(9, "full"),)).top == 9
    assert Chart("t", (), (Series("a", ()),)).top == 1


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
