"""Tables are found among other lines."""

from ctxkit.core.brief.grids.tables import TableFinder
from tests.core.brief.kinds.test_table import document

ROWS = "NAME     STATE    AGE\n" + "".join(f"web-{n:<4} Running  {n}d\n" for n in range(8))


def find(text):
    finder = TableFinder()
    finder.read(document(text).lines)
    return finder


def test_a_table_has_its_columns_and_its_rows() -> None:
    (table,) = find(ROWS).tables
    assert table.layout.names == ("NAME", "STATE", "AGE")
    assert table.grid.fields[0].count == 8
    assert table.header.split() == ["NAME", "STATE", "AGE"]


def test_lines_around_a_table_are_others() -> None:
    finder = find(f"Context: prod\n\n{ROWS}\nDone.\n")
    assert len(finder.tables) == 1
    assert [text for _, text in finder.outside.first if text.strip()] == ["Context: prod", "Done."]


def test_a_header_that_comes_again_is_no_row() -> None:
    (table,) = find(ROWS + "\n" + ROWS).tables
    assert (table.repeat_count, table.grid.fields[0].count) == (1, 16)


def test_prose_holds_no_table() -> None:
    assert find("This is a text of several sentences.\nIt goes on for some lines.\nThen it ends here.\n").tables == []


def test_cells_wider_than_the_dashes_leave_the_other_boundaries() -> None:
    rows = [f"name{n}    1.{n}     /a/very/long/path pip" for n in range(4)]
    lines = ["Package  Version Location  By", "-------- ------- --------- ---", *rows, "A sentence that ends the table.", "Another longer sentence."]
    (table,) = find("\n".join(lines)).tables
    assert table.grid.rows == 4


def test_a_ruler_without_gaps_divides_the_header_and_the_total_from_the_rows() -> None:
    rows = [f"src/module_{n}.py      {n + 10}     {n}    {90 - n}%" for n in range(20)]
    lines = ["Name               Stmts  Miss  Cover", "-" * 40, *rows, "-" * 40, "TOTAL                390   190    51%"]
    (table,) = find("\n".join(lines)).tables
    assert table.layout.names == ("Name", "Stmts", "Miss", "Cover")
    assert (table.grid.rows, table.grid.first, table.grid.last, table.totals) == (20, 3, 22, [24])


def test_a_title_above_a_ruler_is_no_table() -> None:
    assert find("Release notes\n-------------\nThis is text of a page.\nAnd more of it is here.\n").tables == []


def test_cells_of_several_lines_are_one_row_as_psql_counts_them() -> None:
    rows = [
        "  Name   | Access            | Size",
        "---------+-------------------+------",
        " first   |                   | 1 kB",
        " second  | =c/owner         +| 2 kB",
        "         | owner=CTc/owner  +| ",
        "         | guest=c/owner     | ",
        " third   | =c/owner         +| 3 kB",
        "         | owner=CTc/owner   | ",
        "(3 rows)",
    ]
    (table,) = find("\n".join(rows)).tables
    assert (table.grid.rows, table.grid.first, table.grid.last) == (3, 3, 7)
    assert [cells[0] for cells in table.grid.row_index.cells] == ["first", "second", "third"]


def test_two_lines_of_one_cell_end_a_table_of_several_columns() -> None:
    rows = ["num   #instances  class name (module)", *(f"  {n}:        {n + 100}  java.util.Map{n}" for n in range(60))]
    finder = find("\n".join([*rows, "### VM.native_memory", "20920:", "Total: reserved=3KB"]))
    (table,) = finder.tables
    assert (table.grid.rows, table.grid.last) == (60, 61)
    assert [text for _, text in finder.outside.first] == ["### VM.native_memory", "20920:", "Total: reserved=3KB"]
