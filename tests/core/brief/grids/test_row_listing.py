"""Rows of a table by their lines."""

from ctxkit.core.brief.grids.row_listing import list_short_rows, lists_names, make_row_index, quote_samples
from ctxkit.core.brief.grids.table_model import FULL, DetailLevel, Table
from ctxkit.core.brief.grids.tables import TableFinder
from tests.core.brief.grids.test_table_outlines import outlines
from tests.core.brief.kinds.test_table import document

DENSE = 2


def table_of(rows, target=2_000):
    held = document("NAME     STATE    AGE\n" + "".join(rows), target)
    finder = TableFinder()
    finder.read(held.lines)
    return Table(finder.tables[0].grid, finder.tables[0].layout.split), held


def test_dense_levels_name_narrow_rows_by_their_first_cells() -> None:
    _, variants = outlines([f"pkg-{n:<6} 1.{n}      {n}\n" for n in range(40)])
    full, dense = (
        next(section for section in variant.sections if "ll rows" in section.title) for variant in (variants[0], variants[2])
    )
    assert full.title == "All rows"
    assert full.entries[0].label.startswith("pkg-0 1.0 0, pkg-1 1.1 1, ")
    assert dense.title == "First cells of all rows (NAME)"
    assert dense.entries[-1].label == ", ".join(f"pkg-{n}" for n in range(30, 40))
    assert (dense.entries[-1].start, dense.entries[-1].end) == (32, 41)


def test_short_rows_are_listed_in_runs_of_ten_without_the_columns_that_are_alike() -> None:
    table, held = table_of([f"web-{n:<4} Running  {n}d\n" for n in range(25)])
    runs = list(list_short_rows(table, held, DetailLevel(60, FULL, 8, 120)))
    assert [(run.start, run.end) for run in runs] == [(2, 11), (12, 21), (22, 26)]
    assert runs[2].label == "web-20 20d, web-21 21d, web-22 22d, web-23 23d, web-24 24d"


def test_few_rows_or_wide_rows_are_not_listed() -> None:
    level = DetailLevel(60, FULL, 8, 120)
    table, held = table_of([f"web-{n:<4} Running  {n}d\n" for n in range(9)])
    assert not list(list_short_rows(table, held, level))
    table, held = table_of([f"{'w' * 60}-{n} Running  {n}d\n" for n in range(25)])
    assert not list(list_short_rows(table, held, level))


def test_a_dense_level_lists_names_only_if_the_first_cells_are_names() -> None:
    dense = DetailLevel(40, DENSE, 4, 120)
    named, _ = table_of([f"web-{n:<4} Running  {n}d\n" for n in range(25)])
    numbered, _ = table_of([f"{n:<8} Running  {n}d\n" for n in range(25)])
    assert [lists_names(named, dense), lists_names(numbered, dense)] == [True, False]
    assert not lists_names(named, DetailLevel(60, FULL, 8, 120))


def test_an_index_has_a_range_on_a_line_or_the_key_of_each_first_row() -> None:
    table, held = table_of([f"web-{n:<4} Running  {n}d\n" for n in range(300)])
    full = list(make_row_index(table, DetailLevel(60, FULL, 8, 120), held))
    assert [(entry.label, entry.start, entry.end) for entry in full] == [
        ("NAME web-0 to web-119", 2, 121),
        ("NAME web-120 to web-239", 122, 241),
        ("NAME web-240 to web-299", 242, 301),
    ]
    dense = list(make_row_index(table, DetailLevel(40, DENSE, 4, 120), held))
    assert dense[0].label == "each line number is followed by the NAME there, the last to 301"
    assert [(entry.start, entry.label) for entry in dense[1:]] == [(2, "web-0"), (122, "web-120"), (242, "web-240")]


def test_samples_are_the_first_the_middle_and_the_last_row() -> None:
    table, held = table_of([f"web-{n:<4} Running  {n}d\n" for n in range(9)])
    assert [entry.start for entry in quote_samples(table.grid, 4, held)] == [2, 3, 6, 10]
    assert [entry.start for entry in quote_samples(table.grid, 1, held)] == [2]
