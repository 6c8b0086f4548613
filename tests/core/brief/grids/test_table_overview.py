"""The outline of many tables: a list, then the unusual rows of each."""

from ctxkit.core.brief.grids.grid import Grid
from ctxkit.core.brief.grids.table_model import Table
from ctxkit.core.brief.grids.table_overview import _title_outliers, build_overview
from ctxkit.core.brief.grids.tables import TableFinder
from ctxkit.core.brief.outline import Entry
from tests.core.brief.kinds.test_table import document


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
