"""Tests of facts: what states one, and which pointer leads to one."""

import pytest

from bench.brief.facts import LOST, REACHED, STATED, Fact, find_places, score_lines, score_map, unfold
from bench.brief.fresh import cut_end

MAP = """# stdin (900 lines): a map, not the content

## Steps
- Lines 100-180: compile
  - 140: cc -c a.c
- Lines 1-900: everything

To read a part: ctxkit cache get 0 --lines 1:2
"""


@pytest.mark.parametrize(
    ("fact", "score"),
    [
        (Fact("flag", "cc -c", 140, "cc"), STATED),
        (Fact("inside a labelled range", "no such text", 170, "compile"), REACHED),
        (Fact("near a quotation", "no such text", 155, "cc"), REACHED),
        (Fact("another label", "no such text", 170, "link"), LOST),
        (Fact("too wide a range", "no such text", 500, "everything"), LOST),
        (Fact("a place", None, 100, "compile"), STATED),
        (Fact("a place too far", None, 300, "compile"), LOST),
        (Fact("nowhere", "no such text", None, None), LOST),
    ],
)
def test_score_map(fact: Fact, score: int) -> None:
    assert score_map(MAP, fact, find_places(MAP)) == score


def test_excerpts_state_what_they_hold() -> None:
    lines = [f"row {number}" for number in range(1, 200)]
    head, tail = cut_end(lines, 30, first=True), cut_end(lines, 30, first=False)
    assert score_lines(head.text, head.spans, Fact("", "row 1$", 1, None)) == LOST
    assert score_lines(head.text, head.spans, Fact("", r"row 1\n", 1, None)) == STATED
    assert score_lines(tail.text, tail.spans, Fact("", None, 199, None)) == STATED
    assert score_lines(tail.text, tail.spans, Fact("", None, 9, None)) == LOST


def test_of_a_long_line_its_characters() -> None:
    assert cut_end(["a" * 900], 10, first=True).text == "a" * 30


def test_names_in_braces_are_read_in_full_where_a_range_has_several() -> None:
    rows = "- Lines 1-9: a > b of {x, y}\n- Lines 2-3: t[{a; b}]; u"
    assert unfold(rows) == rows
    full = "- Lines 1-9: a > b of x, a > b of y\n- Lines 2-3: t[a]; t[b]; u"
    assert unfold(f"## Failures, several to a range\n{rows}") == f"## Failures, several to a range\n{full}"
