"""Tables are found among other lines."""

from ctxkit.core.brief.grids.tables import TableFinder, find_layout
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


def test_a_ruler_below_a_header_makes_a_layout() -> None:
    lines = ["a    b", "---  ---", "1    x", "2    y"]
    layout, _ = find_layout(lines, 0)
    assert layout.names == ("a", "b")


def test_columns_that_are_mostly_empty_are_none() -> None:
    header = "There is NO warranty; not even for MERCHANTABILITY or FITNESS FOR A"
    rows = [f"including file number {number} of the settings {number * 7}" for number in range(40)]
    assert find_layout([header, *rows], 0)[0] is None


def test_rows_below_a_header_in_capitals_may_lack_values() -> None:
    rows = [f"loop{number}                            " for number in range(9)]
    lines = ["NAME   FSTYPE FSVER LABEL MOUNTPOINTS", *rows, "vda    ext4   1.0   root  /", "vdb    ext4   1.0   data  /d"]
    layout = find_layout(lines, 0)[0]
    assert layout is not None
    assert layout.names == ("NAME", "FSTYPE", "FSVER", "LABEL", "MOUNTPOINTS")


def test_a_number_above_the_first_column_is_no_name() -> None:
    rows = [f"{number:<7} E{number} a message of words" for number in range(2, 30)]
    assert find_layout(["1       E1 a message of words", *rows], 0)[0] is None


def test_values_of_a_row_are_no_names() -> None:
    stats = [f"Lookaside failures {number}:          {number}" for number in range(30)]
    assert find_layout(["Largest Allocation:          87200 bytes", *stats], 0)[0] is None
    limits = [f"Max open files {number}          {number}            unlimited            bytes" for number in range(12)]
    assert find_layout(["Max address space         unlimited            unlimited            bytes", *limits], 0)[0] is None


def test_the_header_of_another_table_ends_the_rows() -> None:
    processes = [f"root     {number}  0.{number % 10}  0.0 [sh]" for number in range(30)]
    memory = ["               total        used        free", "Mem:           24105        1724       12607"]
    layout = find_layout(["USER       PID %CPU %MEM COMMAND", *processes, *memory * 9], 0)[0]
    assert layout is not None
    assert layout.names == ("USER", "PID", "%CPU", "%MEM", "COMMAND")


def test_lines_without_the_numbers_of_the_rows_end_a_table() -> None:
    rows = [f"root  {n + 100}  {n}.5  {n * 40}  /bin/daemon --{n}" for n in range(30)]
    after = ["top - 11:45 up two days", "Tasks: many total, some running, few sleeping", "Swap: none in use of all"]
    finder = find("\n".join(["USER  PID  %CPU  RSS  COMMAND", *rows, *after]))
    (table,) = finder.tables
    assert (table.grid.rows, table.grid.last) == (30, 31)
    assert [text for _, text in finder.outside.first] == after


def test_a_row_without_values_does_not_end_a_table() -> None:
    rows = [f"disk{n}    {n + 10}    {n}    {n * 3}" for n in range(8)] + ["disk8    -    -    -", "disk9    -    -    -", "disk10    1    2    3"]
    (table,) = find("\n".join(["NAME    SIZE    USED    FREE", *rows])).tables
    assert table.grid.rows == 11


def test_a_column_of_a_drawn_tree_moves_to_the_right() -> None:
    branches = ["init", " \\_ shell", " |   \\_ sleep 9", " |       \\_ worker of the sleeper", " \\_ editor a.txt"] * 4
    rows = [f"root {n:>7} {n}.0 {n * 10:>6} ?   Ss   07:35 {branch}" for n, branch in enumerate(branches)]
    (table,) = find("\n".join(["USER     PID %CPU   RSS TTY STAT START COMMAND", *rows])).tables
    assert table.layout.names == ("USER", "PID", "%CPU", "RSS", "TTY", "STAT", "START", "COMMAND")


def test_wrapped_cells_of_a_drawn_box_are_one_row() -> None:
    lines = [
        "\u250f\u2501\u2501\u2501\u2501\u2501\u2501\u2533\u2501\u2501\u2501\u2501\u2501\u2501\u2513",
        "\u2503 Name \u2503 Text \u2503",
        "\u2521\u2501\u2501\u2501\u2501\u2501\u2501\u2547\u2501\u2501\u2501\u2501\u2501\u2501\u2529",
        "\u2502 a    \u2502 one  \u2502",
        "\u2502      \u2502 more \u2502",
        "\u2502      \u2502      \u2502",
        "\u2502 b    \u2502 two  \u2502",
        "\u2514\u2500\u2500\u2500\u2500\u2500\u2500\u2534\u2500\u2500\u2500\u2500\u2500\u2500\u2518",
    ]
    (table,) = find("\n".join(lines)).tables
    assert table.grid.rows == 2
