"""Outlines of a table: columns first, then unusual rows, then an index."""

from ctxkit.core.brief.grids.grid import FULL, DetailLevel, Grid, Table
from ctxkit.core.brief.grids.table_outlines import (
    _title_outliers,
    build_overview,
    build_table_outlines,
    list_short_rows,
    lists_names,
    make_row_index,
    quote_samples,
)
from ctxkit.core.brief.grids.tables import TableFinder
from ctxkit.core.brief.outline import Entry
from tests.core.brief.kinds.test_table import document


def outlines(rows, target=2_000):
    held = document("NAME     STATE    AGE\n" + "".join(rows), target)
    finder = TableFinder()
    finder.read(held.lines)
    tables = [Table(found.grid, found.layout.split) for found in finder.tables]
    return held, build_table_outlines("table", tables, (), held)


def entries(outline):
    waiting = [entry for section in outline.sections for entry in section.entries]
    for entry in waiting:
        yield entry
        waiting.extend(entry.children)


def test_the_odd_row_is_quoted_on_its_line() -> None:
    rows = [f"web-{n:<4} Running  {n}d\n" for n in range(40)]
    rows[17] = "web-17   Failed   17d\n"
    held, variants = outlines(rows)
    quoted = {entry.start: entry.label for entry in entries(variants[0]) if entry.verbatim}
    assert "Failed" in quoted[19]
    for outline in variants:
        assert all(held.lines.at(entry.start).strip().startswith(entry.label[:20]) for entry in entries(outline) if entry.verbatim)


def test_every_row_is_in_a_range() -> None:
    _, variants = outlines([f"web-{n:<4} Running  {n}d\n" for n in range(400)], 1_000)
    covered = set()
    for entry in entries(variants[0]):
        covered.update(range(entry.start, entry.end + 1))
    assert set(range(2, 402)) <= covered


def test_the_first_outline_describes_each_column_and_the_last_the_widest_ranges() -> None:
    _, variants = outlines([f"web-{n:<4} Running  {n}d\n" for n in range(600)], 300)
    columns = next(section for section in variants[0].sections if section.title.startswith("Columns"))
    assert [entry.label.partition(":")[0] for entry in columns.entries] == ["NAME", "STATE", "AGE"]
    sizes = [sum(1 for entry in entries(outline) if entry.start and not entry.verbatim) for outline in variants]
    assert sizes[0] > sizes[-1]
    assert variants[0].sections[0].entries[0].label == "600 rows, 3 columns: NAME, STATE, AGE"


def test_more_than_four_tables_are_listed() -> None:
    text = "".join(f"NAME     STATE{at}   AGE\n" + "web-1    Running  3d\nweb-2    Running  4d\n\n" for at in range(5))
    held = document(text)
    finder = TableFinder()
    finder.read(held.lines)
    outline, *rest = build_table_outlines("table", [Table(t.grid, t.layout.split) for t in finder.tables], (), held)
    assert not rest
    assert [section.title for section in outline.sections if section.entries][:2] == ["", "Tables"]


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


def test_titles_of_tables_stand_above_quoted_rows() -> None:
    entries = [Entry("Value is text", 2, 2), Entry("| a | error |", 3, 3, verbatim=True)]
    titled = list(_title_outliers(Table(Grid(["a"], 1), str.split, title="Name table"), entries))
    assert [entry.label for entry in titled] == ["Name table: Value is text", "Name table: rows with error words"]
    assert [child.label for child in titled[1].children] == ["| a | error |"]


def test_each_table_is_listed_with_its_columns_rows_and_lines() -> None:
    held = document("".join(f"NAME     STATE{at}   AGE\n" + "web-1    Running  3d\nweb-2    Running  4d\n\n" for at in range(3)))
    finder = TableFinder()
    finder.read(held.lines)
    tables = [(Table(table.grid, table.layout.split), ()) for table in finder.tables]
    outline = build_overview("table", tables, (), held)
    summary, listed = outline.sections[0].entries[0], outline.sections[1].entries
    assert (summary.label, summary.start, summary.end) == ("3 tables, 6 rows in all", 1, 12)
    assert [(entry.label, entry.start, entry.end) for entry in listed] == [
        (f"NAME, STATE{at}, AGE (2 rows)", 4 * at + 1, 4 * at + 3) for at in range(3)
    ]


def test_a_small_map_names_each_of_many_tables_by_its_first_columns() -> None:
    texts = [f"NAME{letter}  AGE  A{letter}  B{letter}  C{letter}  D{letter}\n" + f"x{letter}  1  2  3  4  5\n" * 4 for letter in "abcdef"]
    held = document("\n".join(texts), 600)
    finder = TableFinder()
    finder.read(held.lines)
    tables = [Table(found.grid, found.layout.split) for found in finder.tables]
    assert len(tables) == 6
    (overview,) = [build_overview("table", [(table, ()) for table in tables], (), held)]
    assert overview.sections[1].entries[0].label == "NAMEa, AGE, Aa, Ba, Ca (4 rows of 6 columns)"


def test_the_caption_of_a_table_names_it() -> None:
    table = "  Name   STATE{}   AGE\n" + "  web-1    Running  3d\n  web-2    Running  4d\n"
    captions = ("      List of databases\n", "(3 rows)\n", "   host   value\n", "")
    held = document("\n".join(caption + table.format(at) for at, caption in enumerate(captions)))
    finder = TableFinder()
    finder.read(held.lines)
    tables = [(Table(found.grid, found.layout.split), ()) for found in finder.tables]
    first, *others = build_overview("table", tables, (), held).sections[1].entries
    assert (first.label, first.start, first.end) == ("List of databases: Name, STATE0, AGE (2 rows)", 1, 4)
    assert [entry.label for entry in others] == [f"Name, STATE{at}, AGE (2 rows)" for at in (1, 2, 3)]
