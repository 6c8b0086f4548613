"""Tests of what benchmarks read off the dense rows of a map."""

from bench.brief.drill import _list_names
from bench.brief.nav import list_claims
from bench.brief.scoring import Pointer, pointers

ROW = "## Structure\n- 3/12/31 open,9 x,20 main\n\nctxkit cache get a --lines 1:40"


def test_a_name_with_several_lines_is_claimed_on_each() -> None:
    assert list(list_claims(ROW)) == [(3, "open"), (12, "open"), (31, "open"), (9, "x"), (20, "main")]


def test_a_drill_reads_each_line_of_a_name() -> None:
    assert list(_list_names(ROW)) == [(3, 0), (12, 0), (31, 0), (9, 0), (20, 0)]


def test_a_pointer_ends_before_the_next_one() -> None:
    text = "## Names, each up to the next, the last to 40\n- 3/12/31 open, 9 x, 20 main"
    ends = {pointer.start: pointer.end for pointer in pointers(text)}
    assert list(ends) == [3, 12, 31, 9, 20]
    assert [ends[line] for line in (3, 9, 12, 20, 31)] == [8, 11, 19, 30, 40]
    assert Pointer(12, 19, " open") in list(pointers(text))
