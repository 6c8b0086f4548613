from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief import brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.grids.tables import TableFinder
from ctxkit.core.brief.kinds import table as kind
from ctxkit.core.quick_dataclass import replace
from ctxkit.core.text import lines
from ctxkit.core.text.retrieval_hint import Hint
from tests.example_counts import count_examples


def count(text):
    return (len(text.encode()) + 2) // 3


def document(text, target=2_000):
    data = text.encode("utf-8", "replace")
    return InputDocument(lines.lines_from_bytes(data), lambda offset, length: data[offset : offset + length], count, target)


def mapped(text, target=2_000, content_type=""):
    held = replace(document(text, target), content_type=content_type)
    return brief_document(held, BriefingFrame("table", held.lines.total, held.lines.size, 0, True, Hint("{start}:{end}")))


def map_table(text, target=2_000):
    return mapped(text, target, "table")


def pods(rows=600, broken=()):
    yield f"{'NAME':<24}{'READY':<8}{'STATUS':<20}{'RESTARTS':<10}AGE"
    for number in range(rows):
        status = "CrashLoopBackOff" if number in broken else "Running"
        yield f"{f'pod-{number:04}':<24}{'1/1':<8}{status:<20}{number % 4:<10}{number % 30 + 1}d"


PODS = "\n".join(pods(broken=(199, 450))) + "\n"
MYSQL = "+----+-------+\n| id | name  |\n+----+-------+\n" + "".join(
    f"| {n:>2} | {'odd' if n == 40 else 'usual':<5} |\n" for n in range(10, 90)
)
PSQL = " id | name \n----+------\n" + "".join(f" {n} | n{n}\n" for n in range(10, 60)) + "(50 rows)\n"


@pytest.mark.slow
def test_a_rare_status_is_quoted_at_its_lines() -> None:
    text = map_table(PODS).text
    assert "- Lines 2-601: 600 rows, 5 columns: NAME, READY, STATUS, RESTARTS, AGE\n" in text
    assert '- Line 201: STATUS is "CrashLoopBackOff" in 2 of 600; also lines 452\n' in text
    assert "\n  - 452: pod-0450 " in text


@pytest.mark.slow
def test_the_interior_of_a_sorted_table_is_in_reach() -> None:
    assert "\n- Lines 242-361: NAME pod-0240 to pod-0359\n" in map_table(PODS).text


def test_a_full_disk_stands_out() -> None:
    rows = [f"/dev/sd{number}  {100 + number}G  {50 + number}G  {number % 40 + 10}% /mnt/{number}" for number in range(60)]
    rows[33] = "/dev/sd33  133G  133G  100% /mnt/33"
    text = map_table("Filesystem Size Used Use% Mounted\n" + "\n".join(rows) + "\n", 600).text
    assert "- Line 35: Use% is 100%\n  - 35: /dev/sd33  133G  133G  100% /mnt/33\n" in text


@pytest.mark.parametrize(("text", "rows", "columns"), [(MYSQL, 80, "id, name"), (PSQL, 50, "id, name")])
def test_boxes_of_databases_are_tables(text: str, rows: int, columns: str) -> None:
    assert kind.sniff(document(text)) > 0.7
    assert f"{rows} rows, 2 columns: {columns}" in map_table(text, 1_000).text


def test_a_header_that_comes_again_is_no_row() -> None:
    once = "r  b   swpd   free\n" + "1  0      0   1234\n" * 40
    text = map_table(once * 3, 500).text
    assert "120 rows, 4 columns: r, b, swpd, free\n" in text
    assert "the header comes again 2 times, at 42, 83" in text


@pytest.mark.parametrize(
    "text",
    [
        "Some text goes here and there\nthat nobody would ever call\na table of any sort at all\nthough it has some lines\n" * 9,
        "def one():\n    return 1\n\n\ndef two():\n    return 2\n" * 9,
        "2024-01-02 03:04:05 INFO started a thing\n" * 30,
        "a\n",
        "",
    ],
)
def test_other_text_is_no_table(text: str) -> None:
    assert kind.sniff(document(text)) == 0.0


@settings(max_examples=count_examples(60), deadline=None)
@given(st.text(alphabet="aB1 .|-+\n\t%", max_size=600), st.integers(60, 500))
def test_any_text_stays_within_its_target(text: str, target: int) -> None:
    held = document("NAME  SIZE\n" + text, target)
    for outline in kind.outline(held) or []:
        for section in outline.sections:
            for entry in section.entries:
                assert entry.start == entry.end == 0 or 1 <= entry.start <= entry.end <= held.lines.total


@pytest.mark.slow
def test_what_is_no_table_is_soon_known_to_be_none() -> None:
    rows = [f"{number * 7919 % 65_536:08x} commit about {'abc'[number % 3]} and other parts" for number in range(20_000)]
    finder = TableFinder()
    begin = process_time()
    finder.read(lines.lines_from_bytes("\n".join(rows).encode()))
    assert process_time() - begin < 3
    assert (finder.tables, finder.outside.count) == ([], 20_000)


def test_a_line_that_sets_parts_off_is_no_ruler_of_columns() -> None:
    text = "====== Done:  one  two\n======------------\n" + "Compiling  a/b.c\n" * 60
    assert kind.sniff(document(text)) == 0.0


def test_keys_with_values_are_no_table() -> None:
    assert kind.sniff(document("".join(f"Key{n}:   {n * 7}  kB\n" for n in range(60)))) == 0.0




def format_row(*cells):
    return f"{cells[0]:<5}" + "".join(f"{cell:>8}" for cell in cells[1:]) + "\n"


FRAME = (
    format_row("", "ts", "city", "temp")
    + "".join(format_row(at, f"09:{at}0", city, f"{at}.25") for at, city in enumerate(("Wien", "Graz", "Linz")))
    + "temp    0\ncity    1\n"
    + format_row("", "temp", "rain")
    + "city\n"
    + "".join(format_row(city, f"{at}.25", f"{at}.5") for at, city in enumerate(("Graz", "Linz", "Wien")))
)
SAR = "Linux 6.1 (vm)\n\n" + "".join(
    f"10:00:0{n}        CPU     %usr    %idle\n10:00:0{n + 1}        all     1.0{n}    98.00\n\n"
    f"10:00:0{n}       proc/s   cswch/s   forks\n10:00:0{n + 1}         0.00     43.00    1.{n}\n\n"
    for n in range(6)
) + "Average:        CPU     %usr    %idle\nAverage:        all     1.05    98.00\n"


def find(text):
    finder = TableFinder()
    finder.add_lines(text.split("\n"), last=True)
    return finder


def test_data_frames_follow_each_other_without_a_blank_line() -> None:
    finder = find(FRAME)
    assert [(table.layout.names, table.grid.rows) for table in finder.tables] == [
        (("label", "ts", "city", "temp"), 3),
        (("city", "temp", "rain"), 3),
    ]
    assert [number for number, _ in finder.outside.first] == [5, 6]


def test_a_header_with_another_time_is_the_same() -> None:
    tables = find(SAR).tables
    assert [(table.layout.names, table.grid.rows, len(table.blocks)) for table in tables] == [
        (("time", "CPU", "%usr", "%idle"), 7, 7),
        (("time", "proc/s", "cswch/s", "forks"), 6, 6),
    ]


def test_other_text_below_a_ruled_table_is_not_in_it() -> None:
    rows = "".join(f"lib{n:<7} {n}.0.1\n" for n in range(9))
    finder = find("Package    Version\n---------- -------\n" + rows + '{\n  "a key that is long": 1,\n  "another long key": 2\n}\n')
    assert finder.tables[0].grid.rows == 9
    assert finder.outside.count == 4


def test_short_rows_are_listed_in_runs() -> None:
    text = map_table("Package    Version\n---------- -------\n" + "".join(f"lib{n:<7} {n}.0.1\n" for n in range(30)), 700).text
    assert "- Lines 3-12: lib0 0.0.1, lib1 1.0.1, " in text


def test_many_tables_are_listed() -> None:
    text = map_table("".join(f"{name.upper()}    COUNT   SIZE\na    {n}   7\nb    {n + 1}   9\n\n" for n, name in enumerate(("one", "two", "three", "four", "five"))), 700).text
    assert "- Lines 1-20: 5 tables, 10 rows in all\n" in text
    assert "- Lines 5-7: TWO, COUNT, SIZE (2 rows)\n" in text


def test_equal_cells_are_left_out_of_short_rows() -> None:
    rows = "".join(f"lib{n:<7} {n}.0.1   /opt/venv/lib\n" for n in range(130))
    text = map_table("Package    Version Location\n---------- ------- -------------\n" + rows, 900).text
    assert "- Lines 3-122: from lib0 0.0.1\n  - Lines 3-12: lib0 0.0.1, lib1 1.0.1, " in text
    assert "Version is a number" not in text


def test_errors_outside_tables_are_collected():
    block = " id | name\n----+--------\n  1 | a\n  2 | b\n  3 | c\n(3 rows)\n\n"
    finder = TableFinder()
    finder.add_lines(f"{block}ERROR:  column x does not exist\n{block}fine".split("\n"), last=True)
    assert finder.outside.errors == [(8, "ERROR:  column x does not exist")]


def test_a_repeated_table_says_where_its_last_block_is(trial):
    rows = "".join(f"CPU     %usr    %idle\nall     {at * 7 % 5}.50     {9 - at}.25\nnode    1.00     2.00\n\n" for at in range(9))
    text = trial(kind).map(rows)
    assert "9 blocks with this header; the last block is lines 33 to 35" in text


def test_text_between_tables_is_listed_by_its_titles(trial):
    block = " id | name\n----+--------\n" + "".join(f"  {n} | a{n}\n" for n in range(30))
    log = "== slow\n" + "".join(f"# Query time {n} of user root, at host {n}\nselect {n};\n" for n in range(8))
    text = map_table(f"{block}\nshow it\n\n{block.replace('name', 'size')}--------------\nbye {{}}\n--------------\n{log}", 400).text
    assert "- Lines 71-87: == slow" in text
    assert ": ------" not in text


def test_rows_that_only_mention_errors_are_not_quoted() -> None:
    rows = [f"{n:<8}package-{n:<20}{n}.0.{n % 7:<8}A small library of number {n}" for n in range(200)]
    rows[50] = f"{50:<8}{'libgpg-error-dev':<28}50.0.1    GnuPG development runtime library"
    rows[90] = f"{90:<8}{'package-90':<28}90.0.6    failed: broken"
    text = map_table("ID      NAME                        VERSION   DESCRIPTION\n" + "\n".join(rows), 600).text
    assert "92: 90      package-90" in text
    assert "libgpg-error-dev" not in text.partition("## Rows that differ")[2].partition("## Columns")[0]


def test_a_header_that_comes_again_without_a_blank_line_begins_a_block() -> None:
    header = "% time     seconds  usecs/call     calls    errors syscall"
    rows = [f" 1.0{n}    0.10446{n}          1{n}      532{n}           read" for n in range(8)]
    finder = TableFinder()
    finder.add_lines([header, *rows[:5], header, *rows[5:]], last=True)
    (table,) = finder.tables
    assert (table.blocks, table.repeat_count, table.repeat_lines) == ([(1, 6), (7, 10)], 1, [7])


def test_a_phrase_above_rows_names_no_columns() -> None:
    rows = "".join(f"verbose 0.{n:04} Checking for the file number {n}\n" for n in range(60))
    assert kind.sniff(document("yarn install v1.22.22\n" + rows)) == 0.0


def test_another_header_begins_another_table() -> None:
    first = "NAME     PID    FD\n" + "".join(f"proc{n:<5}{n + 100:<7}{n % 7}\n" for n in range(40))
    second = "USER     RSS    CPU\n" + "".join(f"root     {n * 8:<7}{n % 3}\n" for n in range(40))
    text = map_table(first + second, 1_500).text
    assert "2 tables" in text or "40 rows, 3 columns: NAME, PID, FD" in text
    assert "40 rows, 3 columns: USER, RSS, CPU" in text
    assert "text in 1 of" not in text


def test_another_header_between_rulers_begins_another_table() -> None:
    ruler = "-----------------------\n"
    first = "LINES   CCN   location\n" + ruler + "".join(f"{n:>5} {n % 9:>5}   f{n}@a.c\n" for n in range(40))
    second = ruler + "LINES   Avg   file\n" + ruler + "".join(f"{n:>5}  {n % 9}.5   dir/{n}.c\n" for n in range(40))
    text = map_table(first + second, 1_500).text
    assert "text in 1 of" not in text
    assert "LINES, Avg, file" in text


def test_the_rows_of_a_table_of_totals_are_quoted() -> None:
    rows = "LINES  CCN   location\n" + "".join(f"{n:>5} {n % 9:>5}   function_{n}@src/a.c\n" for n in range(90))
    text = map_table(rows + "\nTOTAL  CCN  WARNINGS\n 4005  4.5       12\n", 400).text
    assert "4005  4.5       12\n" in text
