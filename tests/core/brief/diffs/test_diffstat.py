import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.diffs import diffstat
from ctxkit.core.brief.kind_detection import rank_kinds
from tests.core.brief.kinds.test_table import document, mapped

CLOSING = " 40 files changed, 1090 insertions(+), 30 deletions(-)\n"
STAT = "".join(f" src/part/file{n:02}.c | {1000 if n == 20 else n + 1:>4} +-\n" for n in range(39))
STAT += " img/logo.png      |  Bin 0 -> 9 bytes\n"
NUMSTAT = "".join(f"{n}\t{n % 3}\tsrc/error/file{n}.c\n" for n in range(40)) + "-\t-\timg/logo.png\n"
RAW = "".join(f":100644 100644 8a599d76 cfdb1b8a M\tsrc/f{n}.c\n" for n in range(40))
RAW += ":000000 100644 00000000 4b5d6fbe A\tsrc/new.c\n:100644 100644 1111111 2222222 R095\told.c\tsrc/moved.c\n"
NAMES = "".join(f"M\tsrc/f{n}.c\n" for n in range(40)) + "D\tgone.c\nR100\told.c\tmoved.c\n"
PULL = "Updating a1b2c3d..b2c3d4e\nFast-forward\n" + STAT + CLOSING + " create mode 100644 img/logo.png\n"


@pytest.mark.parametrize(
    ("text", "form"),
    [(STAT + CLOSING, "stat"), (PULL, "stat"), (NUMSTAT, "numstat"), (RAW, "raw"), (NAMES, "name-status")],
)
def test_each_form_is_a_diff(text, form: str) -> None:
    assert diffstat.detect_form(document(text)) == form
    assert rank_kinds(document(text))[0][0].NAME == "diff"
    assert "diff)" in mapped(text).text.split("\n")[0]


def test_files_come_by_the_size_of_their_change_and_the_closing_line_as_it_stands() -> None:
    text = mapped(STAT + CLOSING).text
    assert "- 41: 40 files changed, 1090 insertions(+), 30 deletions(-)\n" in text
    rows = [row for row in text.split("\n") if "src/part/" in row]
    assert rows[0] == "- Line 21: src/part/file20.c 1000"
    assert rows[1] == "- Line 39: src/part/file38.c 39"


def test_a_small_map_names_the_largest_and_groups_the_rest() -> None:
    text = mapped("".join(f" d{n % 7}/f{n}.c | {n + 1} +-\n" for n in range(700)), 400).text
    assert "- Line 700: d6/f699.c 700\n" in text
    assert "## Files by directory" in text


def test_added_and_removed_lines_are_summed_up() -> None:
    assert "41 files changed, +780 -39; counted from the lines here" in mapped(NUMSTAT).text
    assert "src/error/file39.c +39 -0" in mapped(NUMSTAT).text


def test_states_are_counted_and_a_new_name_says_the_old_one() -> None:
    text = mapped(RAW).text
    assert "42 files changed, 40 modified, 1 added, 1 renamed; counted from the lines here" in text
    assert "src/moved.c renamed from old.c" in text
    assert "42 files changed, 40 modified, 1 deleted, 1 renamed" in mapped(NAMES).text


@pytest.mark.parametrize(
    "text",
    [
        "name | count\nann | 3\nbob | 4\neve | 9\n",
        "1\t2\t3\n4\t5\t6\n7\t8\t9\n",
        "A\tone\nB\ttwo\nC\tthree\nD\tfour\n",
        "| a | 1 |\n| b | 2 |\n",
        "",
    ],
)
def test_other_text_is_no_summary_of_a_diff(text: str) -> None:
    assert diffstat.detect_form(document(text)) == ""


@given(st.lists(st.tuples(st.integers(1, 10**6), st.integers(0, 10**6)), min_size=3, max_size=60))
def test_totals_are_those_of_the_lines(pairs) -> None:
    text = "".join(f"{added}\t{removed}\tsrc/f{n}.c\n" for n, (added, removed) in enumerate(pairs))
    said = mapped(text).text.split("\n")[2]
    assert f"+{sum(a for a, _ in pairs):,} -{sum(r for _, r in pairs):,}" in said


def test_a_count_beside_a_dash_is_no_row_of_numstat() -> None:
    assert diffstat.NUMBERS.fullmatch("4\t-\ta/b") is None
    assert diffstat.NUMBERS.fullmatch("-\t4\ta/b") is None
    assert diffstat.NUMBERS.fullmatch("-\t-\ta/b")
    assert diffstat.NUMBERS.fullmatch("1\t4\ta/b")
