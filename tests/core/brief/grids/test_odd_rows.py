"""Rows of a table that differ from the others."""

import pytest

from ctxkit.core.brief.grids.fields import Field
from ctxkit.core.brief.grids.odd_rows import MAX_ERROR_ROWS, find_outliers, list_odd_rows, quote_lines
from tests.core.brief.grids.test_table_outlines import table_of
from tests.core.brief.kinds.test_table import document


def rows_with(value, places, total=60):
    return [f"web-{n:<4} {value if n in places else 'Running':<8} {n % 7}d\n" for n in range(total)]


def test_a_rare_value_has_its_lines_and_the_first_rows_with_it() -> None:
    table, held = table_of(rows_with("Failed", (17, 40)))
    entry = list_odd_rows(table, held)[0]
    assert (entry.label, entry.start) == ('STATE is "Failed" in 2 of 60; also lines 42', 19)
    assert [(child.start, child.verbatim) for child in entry.children] == [(19, True), (42, True)]


def test_rows_that_state_an_error_are_quoted_unless_they_are_common() -> None:
    table, held = table_of([f"web-{n:<4} Running  {'error: no disk' if n == 5 else f'{n % 7}d'}\n" for n in range(60)])
    assert any(row.start == 7 for entry in list_odd_rows(table, held) for row in (entry, *entry.children))
    rows = [f"web-{n:<4} Running  {'error: no disk' if n % 4 else 'ok'}\n" for n in range(60)]
    table, held = table_of(rows)
    assert sum("error" in rows[1] for rows in held.lines.enumerate_lines()) > MAX_ERROR_ROWS
    assert not [entry for entry in list_odd_rows(table, held) if entry.verbatim]


def test_each_row_is_quoted_once_and_cut_by_the_target() -> None:
    held = document("head\n\n" + "x" * 300 + "\n", 600)
    done = {1}
    quotes = list(quote_lines([1, 2, 3, 3], held, done))
    assert [entry.start for entry in quotes] == [3]
    assert quotes[0].label == "x" * 100 + " [+200 chars]"
    assert done == {1, 3}


def test_a_description_that_mentions_errors_states_none() -> None:
    rows = [f"lib-{n:<4} 1.{n}      {'finds typographic errors in text' if n == 5 else 'a library for text'}\n" for n in range(60)]
    table, held = table_of(rows)
    assert not [entry for entry in list_odd_rows(table, held) if entry.verbatim]


def outliers(cells, name="state"):
    column = Field(name)
    column.add_cells(list(cells), list(range(2, len(cells) + 2)))
    return [(outlier.text, outlier.lines[0]) for outlier in find_outliers([column])]


def test_an_alarming_state_comes_first() -> None:
    cells = ["Running"] * 30 + ["CrashLoopBackOff"] + ["Running"] * 30 + ["Pending"]
    assert outliers(cells)[0] == ('state is "CrashLoopBackOff" in 1 of 62', 32)


def test_text_among_numbers_is_an_outlier() -> None:
    assert outliers([*map(str, range(1, 40)), "n/a"], "count")[0] == ("count is text in 1 of 40; most are numbers", 41)


def test_a_number_far_from_the_others_is_an_outlier() -> None:
    cells = [str(20 + number * 7 % 5) for number in range(60)]
    cells[17] = "9000"
    text, line = outliers(cells, "ms")[0]
    assert text.startswith("ms is 9000; most are")
    assert line == 19


@pytest.mark.parametrize(("form", "usual"), [("{:.6f}", "0.000002..0.000004"), ("{:.0e}", "2e-06..4e-06")])
def test_small_numbers_are_written_as_the_cells_write_them(form: str, usual: str) -> None:
    cells = [form.format((1 + number * 7 % 5) / 1e6) for number in range(60)]
    cells[17] = form.format(0.9)
    assert outliers(cells, "s")[0][0].endswith(f"; most are {usual}")


def test_a_share_near_all_is_an_outlier() -> None:
    assert outliers([f"{number * 7 % 40}%" for number in range(20)] + ["97%"], "use")[0] == ("use is 97%", 22)


def test_of_coverage_the_lowest_numbers_are_outliers() -> None:
    cells = [f"{100 - number * 7 % 40}%" for number in range(20)] + ["3%", "100%"]
    assert outliers(cells, "Cover") == [("Cover is lowest, 3% to 70%", 22)]
    assert outliers(["100%"] * 30, "Cover") == []


@pytest.mark.parametrize("cells", [["a"] * 30, [str(number) for number in range(30)], ["/var/lib/failed/x", "/var/lib/y"] * 20])
def test_an_even_column_has_none(cells) -> None:
    assert outliers(cells) == []


def test_times_and_dates_are_no_rare_values() -> None:
    assert outliers(["Nov22"] * 40 + ["02:15", "2026-11-23 02:15:07", "10:01"], "START") == []
