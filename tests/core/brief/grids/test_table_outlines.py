"""Outlines of a table: columns first, then unusual rows, then an index."""

from ctxkit.core.brief.grids.grid import Grid
from ctxkit.core.brief.grids.table_outlines import Table, _title_outliers, build_table_outlines
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


def test_titles_of_tables_stand_above_quoted_rows() -> None:
    entries = [Entry("Value is text", 2, 2), Entry("| a | error |", 3, 3, verbatim=True)]
    titled = list(_title_outliers(Table(Grid(["a"], 1), str.split, title="Name table"), entries))
    assert [entry.label for entry in titled] == ["Name table: Value is text", "Name table: rows with error words"]
    assert [child.label for child in titled[1].children] == ["| a | error |"]


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


def test_a_small_map_names_each_of_many_tables_by_its_first_columns() -> None:
    texts = [f"NAME{letter}  AGE  A{letter}  B{letter}  C{letter}  D{letter}\n" + f"x{letter}  1  2  3  4  5\n" * 4 for letter in "abcdef"]
    held = document("\n".join(texts), 600)
    finder = TableFinder()
    finder.read(held.lines)
    tables = [Table(found.grid, found.layout.split) for found in finder.tables]
    assert len(tables) == 6
    (overview,) = build_table_outlines("table", tables, (), held)
    assert overview.sections[1].entries[0].label == "NAMEa, AGE, Aa, Ba, Ca (4 rows of 6 columns)"
