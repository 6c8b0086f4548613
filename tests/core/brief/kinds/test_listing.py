import base64
import random

import pytest

from ctxkit.core.brief.grids.file_listing import FileListing, detect_form, join_single_directories
from ctxkit.core.brief.kinds import listing as kind
from ctxkit.core.brief.kinds.listing import TreeNode, count_levels, make_tree_entries
from ctxkit.core.text import lines
from tests.core.brief.kinds.test_table import document, mapped

LONG = "total 8\n" + "".join(f"-rw-r--r-- 1 me us {n * 10:>6} Jan  2 03:04 f{n:03}.py\n" for n in range(1, 301))
ZIP = "Archive:  a.zip\n  Length      Date    Time    Name\n---------  ---------- -----   ----\n" + "".join(
    f"{n * 7:>9}  2024-01-02 03:04   dir/f{n}.txt\n" for n in range(9)
)


def read(text, form):
    return FileListing(form).read(lines.lines_from_bytes(text.encode()))


def test_totals_extensions_and_the_largest() -> None:
    text = mapped(LONG, 900).text
    assert "300 files, 441 KB in all (sizes as listed)\n" in text  # in one directory
    assert "- by extension: .py 300\n" in text
    assert "- 301: -rw-r--r-- 1 me us   3000 Jan  2 03:04 f300.py\n" in text
    assert ",122 from f121.py," in text


def test_no_extension_of_any_file_is_not_stated() -> None:
    assert "by extension" not in mapped("".join(f"{n + 4}K\t/usr/bin/f{n}\n" for n in range(200)), 700).text


def test_paths_are_counted_by_directory() -> None:
    text = mapped("".join(f"src/d{n // 50}/f{n}.c\n" for n in range(400)), 700).text
    assert "- Lines 1-400: src/ (400)\n" in text
    assert ",51 d1/ (50)," in text


def test_headings_of_a_recursive_listing_are_directories() -> None:
    listing = read(
        "./a:\ntotal 0\ndrwxr-xr-x 2 me us 60 Jan  2 03:04 b\n\n./a/b:\ntotal 0\n-rw-r--r-- 1 me us 5 Jan  2 03:04 c.d\n",
        "long",
    )
    root = join_single_directories(listing.tree.close())
    assert (root.name, root.start, root.end, root.count) == ("./a/", 3, 7, 2)
    assert [(child.name, child.start, child.end) for child in root.children] == [("b/", 7, 7)]


def test_entries_of_du_are_not_called_directories() -> None:
    text = mapped("".join(f"{n + 4}K\t./src/d{n // 50}/f{n}.c\n" for n in range(400)) + "9M\t./src\n9M\t.\n", 700).text
    assert "- Lines 1-402: 402 entries, at most 3 levels deep\n" in text
    assert "- Lines 1-401: src/ (400; 9M)\n- 1 d0/ (50),51 d1/ (50)," in text


COUNTS = "".join(f"{n % 97 + 1:>5} src/d{n // 50}/f{n}.c\n" for n in range(400))


def test_counts_before_names_are_summed_by_directory() -> None:
    text = mapped(f"{COUNTS}19352 total\n", 700).text
    total = sum(n % 97 + 1 for n in range(400))
    assert f"- Lines 1-401: 400 entries, {total:,} as the sum of the numbers before the names, at most 2 levels" in text
    assert "- 401: 19352 total\n" in text
    assert f",51 d1/ (50; {sum(n % 97 + 1 for n in range(50, 100)):,})," in text


def test_directories_of_a_sorted_listing_are_listed_without_lines() -> None:
    rows = sorted(COUNTS.splitlines(), key=lambda row: int(row.split()[0]))
    text = mapped("\n".join(rows), 500).text
    assert "## Directories, the largest first, with their number of entries and sum of the numbers" in text
    size = max(sum(n % 97 + 1 for n in range(start, start + 50)) for start in range(0, 400, 50))
    assert f"(50; {size:,})" in text.partition("## Directories")[2].splitlines()[2]


def test_long_runs_of_entries_begin_with_one_name() -> None:
    names = [f"./d{n // 3:04}/x" for n in range(1_500)] + [f"./z{n}" for n in range(400)]
    assert "from from" not in mapped("\n".join(names), 400).text


def test_base64_is_no_listing() -> None:
    text = base64.encodebytes(random.Random(7).randbytes(20_000)).decode()
    assert detect_form(text.split("\n"))[0] == ""


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (LONG, "long"),
        (ZIP, "zip"),
        ("12\t./a/b\n3\t./a\n15\t.\n" * 3, "du"),
        ("./a/b.c\n./a/d.c\n./e\n", "paths"),
        ("-rw-r--r-- me/us 12 2024-01-02 03:04 a/b.c\n" * 4, "long"),
    ],
)
def test_forms(text: str, form: str) -> None:
    assert detect_form(text.split("\n"))[0] == form


@pytest.mark.parametrize(
    "text",
    [
        "def a():\n    return b / c\n" * 9,
        "one / two\nthree / four\n" * 9,
        "",
        "a\nb\nc\nd\n",
        " " * 70_000 + "\n|" * 50,
    ],
)
def test_other_text_is_no_listing(text: str) -> None:
    assert kind.sniff(document(text)) == 0.0


def test_paths_in_the_first_of_several_cells_are_no_listing() -> None:
    assert kind.sniff(document("".join(f"src/f{n}.c,{n},{n % 7}\n" for n in range(90)))) == 0.0


def test_texts_about_paths_are_no_listing() -> None:
    counts = "".join(f"src/a{n}.py:{n}\n" for n in range(90))
    variables = "".join(f"NAME_{n}=/usr/lib/{n}\n" for n in range(90))
    warnings = "".join(f"./a{n}.pp - WARNING: no file in modules/ on line {n}\n" for n in range(90))
    encoded = "".join(f"{'aB+/9zQ' * 10}{n:06}\n" for n in range(90))
    assert [kind.sniff(document(text)) for text in (counts, variables, warnings, encoded)] == [0.0] * 4


def test_rows_of_cells_between_colons_are_no_paths() -> None:
    users = "".join(f"user{at}:x:{at}:{at}:a name:/home/user{at}:/bin/sh\n" for at in range(20))
    assert kind.sniff(document(users)) == 0.0
    assert kind.sniff(document("".join(f"src/dir{at % 3}/file{at}.py\n" for at in range(20)))) > 0.7


@pytest.mark.slow
def test_a_level_of_too_many_directories_shows_the_large_ones_and_where_the_others_begin() -> None:
    sizes = [60 if at == 500 else 3 for at in range(900)]
    rows = [f"./share/doc/pkg{at:03}/file{number}" for at, size in enumerate(sizes) for number in range(size)]
    text = mapped("\n".join(["./share/README", *rows]), 500).text
    assert "1502 pkg500/ (60)" in text
    assert "2 from pkg000/file0" in text
    assert "122 from pkg040/file0" in text


def test_results_of_checks_of_files_are_no_listing() -> None:
    checks = "".join(f"/usr/lib/pkg/file{n}.so{' ' * 20}{'FAILED' if n == 7 else 'OK'}\n" for n in range(60))
    assert kind.sniff(document(checks)) == 0
    assert kind.sniff(document(checks.replace("OK", "").replace("FAILED", ""))) > 0


@pytest.mark.parametrize(
    "message",
    [
        "find: './data/private': Permission denied",
        "tar: Exiting with failure status due to previous errors",
        "rsync error: some files/attrs were not transferred (code 23) at main.c(1338)",
        "du: cannot read directory './a': Permission denied",
    ],
)
def test_what_the_command_says_between_the_paths_is_quoted_and_no_entry(message: str) -> None:
    rows = [f"./src/d{n // 50}/f{n}.c\n" for n in range(400)]
    text = mapped("".join([*rows[:200], f"{message}\n", *rows[200:]]), 700).text
    assert "400 entries" in text
    assert f"- 201: {message}\n" in text


def test_findings_of_a_compiler_are_no_paths_and_colours_are_not_read() -> None:
    errors = "ts/f1.ts(1,17): error TS2307: Cannot find module './m1'.\n"
    text = mapped(errors + "".join(f"/w/lib/f{n}.d.ts\n" for n in range(200)), 700).text
    assert "- Lines 1-201: 200 entries" in text
    assert f"- 1: {errors}" in text
    coloured = "".join(f"-rwxr-xr-x 1 me us 25 Jan  2 03:04 \x1b[01;32mf{n}.conf\x1b[0m\n" for n in range(200))
    assert "- by extension: .conf 200\n" in mapped(coloured, 700).text


def test_a_colon_in_a_name_makes_no_message() -> None:
    assert read("./a: b c\n./d/e\nf:g h.txt\n", "paths").files == 3


def test_files_of_a_tree_of_git_and_below_a_date_are_listed() -> None:
    git = "".join(f"100644 blob {n:040x} {n * 10:>7}\tsrc/{'ab'[n % 2]}/f{n}.ts\n" for n in range(1, 300))
    assert detect_form(git.splitlines()) == ("git", 1.0)
    text = mapped(git + "160000 commit " + "a" * 40 + "       -\tvendor/lib\n", 900).text
    assert "300 files, 438 KB in all (sizes as listed)" in text
    assert f"- 299: 100644 blob {299:040x}    2990\tsrc/b/f299.ts" in text
    dated = "".join(f"2026-11-29 18:50 {n * 10:>9} 644 root /srv/app/f{n}.py\n" for n in range(1, 300))
    assert detect_form(dated.splitlines()) == ("dates", 1.0)
    assert "find: '/root/x': No such file" in mapped(dated + "find: '/root/x': No such file or directory\n", 600).text
    log = [f"2026-11-29 18:50:01 4411 worker request to /srv/{n} took 3 ms" for n in range(50)]
    assert detect_form(log)[0] == ""


def test_levels_that_fit() -> None:
    assert count_levels([1, 3, 9, 27], 13) == 3
    assert count_levels([1, 30], 5) == 2
    assert count_levels([], 5) == 1


def test_many_children_are_grouped_by_line() -> None:
    children = [TreeNode(f"n{at}", at * 10, at * 10 + 9) for at in range(1, 101)]
    root, *groups = make_tree_entries([TreeNode("root", 1, 1009, 100, children)], 5)
    assert (root.label, root.dense) == ("root", False)
    assert [group.label for group in groups][:2] == ["from n1", "from n13"]
    assert sum(len(group.children) for group in groups) == 100


def test_a_path_that_two_commands_list_is_said_to_count_twice() -> None:
    found = "".join(f"  {n}  4 -rw-r--r--  1 a  a  9 Nov 30 11:38 ./docs/f{n}.md\n" for n in range(9))
    listed = "docs:\n" + "".join(f"-rw-r--r-- 1 a a 9 Nov 30 11:38 f{n}.md\n" for n in range(8))
    assert "\n- 8 lines with a path that another line names too, counted again\n" in mapped(found + listed).text
    assert "names too" not in mapped(found).text
