"""Rows of a table that differ from the others."""

from ctxkit.core.brief.grids.odd_rows import MAX_ERROR_ROWS, list_odd_rows, quote_lines
from tests.core.brief.grids.test_row_listing import table_of
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
