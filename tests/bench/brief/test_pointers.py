"""Tests of what benchmarks read off the dense rows of a map."""

from bench.brief.drill import _list_names, narrowest
from bench.brief.nav import list_claims

ROW = "## Structure\n- 3/12/31 open,9 x,20 main\n\nctxkit cache get a --lines 1:40"


def test_a_name_with_several_lines_is_claimed_on_each() -> None:
    assert list(list_claims(ROW)) == [(3, "open"), (12, "open"), (31, "open"), (9, "x"), (20, "main")]


def test_a_drill_reads_each_line_of_a_name() -> None:
    assert list(_list_names(ROW)) == [(3, 0), (12, 0), (31, 0), (9, 0), (20, 0)]


def test_a_reader_takes_what_is_named_up_to_the_next_name() -> None:
    text = "## Names, each up to the next, the last to 40\n- 3/12/31 open, 9 x, 20 main"
    assert [narrowest(text, line, (1, 40)) for line in (5, 9, 14, 45)] == [(3, 8), (9, 11), (12, 19), (31, 51)]
