from ctxkit.core.brief.grids.table_layout import find_layout


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
