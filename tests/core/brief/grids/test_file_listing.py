"""Paths and sizes are read from listings of any form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.grids.file_listing import (
    DirectoryTree,
    FileListing,
    count_by_level,
    describe_directory,
    detect_form,
    is_scattered,
    iter_gaps,
    join_single_directories,
    merge_runs,
)
from tests.core.brief.kinds.test_table import document

LONG = "\n".join(f"-rw-r--r-- 1 root root {size} Mar  1 10:00 f{size}.py" for size in (10, 2000, 300)) + "\n"
DU = "4.0K\t./src/a\n12K\t./src\n16K\t.\n"
PATHS = "".join(f"src/{name}/{number}.py\n" for name in "ab" for number in range(4))
ROWS = "".join(f"{size:9}  2026-03-01 10:00   a/x{size}.py\n" for size in range(10, 90, 10))
ZIP = f"  Length      Date    Time    Name\n---------  ---------- -----   ----\n{ROWS}"


@pytest.mark.parametrize(("text", "form"), [(LONG, "long"), (DU, "du"), (PATHS, "paths"), (ZIP, "zip")])
def test_the_form_of_a_listing_is_told_by_its_lines(text, form: str) -> None:
    detected, share = detect_form(text.splitlines())
    assert detected == form
    assert share > 0.8


def test_prose_has_no_form() -> None:
    assert detect_form(["This is a sentence of some words.", "And another one, a bit longer."] * 4)[1] < 0.5


def test_a_long_listing_is_counted_with_its_sizes() -> None:
    listing = FileListing("long").read(document(LONG).lines)
    assert (listing.files, listing.directories, listing.size, listing.sized) == (3, 0, 2310, 3)
    assert listing.extensions == {".py": 3}
    assert [line for _, line in listing.largest] == [2, 3, 1]


def test_a_zip_listing_leaves_its_header_out() -> None:
    listing = FileListing("zip").read(document(ZIP).lines)
    assert (listing.files, listing.size) == (8, 360)


def test_lines_that_are_no_paths_are_kept_as_others() -> None:
    listing = FileListing("long").read(document(f"{LONG}ls: cannot open directory 'x': Permission denied\n").lines)
    assert listing.others == [(4, "ls: cannot open directory 'x': Permission denied")]


def test_hard_links_of_an_archive_are_files() -> None:
    rows = "".join(f"hrw-r--r-- me/us     0 2024-03-01 18:35 a/l{n} link to a/f\n-rw-r--r-- me/us     7 2024-03-01 18:35 b/f{n}\n" for n in range(9))
    assert detect_form(rows.splitlines())[0] == "long"
    listing = FileListing("long").read(document(rows).lines)
    assert (listing.files, listing.directories, listing.unknown) == (18, 0, 0)


def test_numbers_before_more_columns_are_no_sizes() -> None:
    rows = [f"755 root {at * 7} 2025-04-07 /usr/share/doc/p{at}" for at in range(9)]
    assert detect_form(rows) == ("", 0.0)


def test_paths_with_values_are_no_listing() -> None:
    rows = ["/files/etc/php", *(f'/files/etc/php/php.ini/PHP/limit_{number} = "{number}M"' for number in range(20))]
    assert detect_form(rows) == ("", 0.0)


def test_fields_and_sentences_below_paths_are_no_paths() -> None:
    paths = [f"/usr/share/doc/git/part{n}.txt" for n in range(40)]
    others = ["Package: git", "Homepage: https://git-scm.com/", " /etc/bash_completion.d/git a1b2", "a system of versions"]
    listing = FileListing("paths").read(document("\n".join([*paths, *others, "/usr/my file"])).lines)
    assert [text for _, text in listing.others] == others


def build(*directories):
    tree = DirectoryTree()
    for number, directory in enumerate(directories, 1):
        tree.add_row(directory, number, 10)
    return join_single_directories(tree.close())


def test_directories_below_are_included() -> None:
    root = build("a/b", "a/b", "a", "a/c/d")
    assert [describe_directory(root), *map(describe_directory, root.children)] == [
        "a/ (4; 40 bytes)",
        "b/ (2; 20 bytes)",
        "c/d/ (1; 10 bytes)",
    ]
    assert count_by_level([root]) == [1, 2]


def test_a_size_after_the_entries_is_noted() -> None:
    tree = DirectoryTree()
    tree.add_row("a/b", 1, -1)
    tree.add_row("a", 2, -1)
    tree.set_size("a/b/", 2, "5.0M")
    assert describe_directory(join_single_directories(tree.close()).children[0]) == "b/ (1; 5.0M)"


def test_gaps_are_the_lines_of_no_directory_below() -> None:
    root = build("a", "a", "a/b", "a", "a")
    assert list(iter_gaps(root, root.children, 2)) == [(1, 2), (4, 5)]


@given(st.lists(st.sampled_from(("", "a", "a/b", "a/b/c", "b", "b/a")), min_size=1, max_size=40))
def test_all_rows_are_counted(directories: list[str]) -> None:
    root = build(*directories)
    assert root.count == len(directories)
    for node in root.children:
        assert 1 <= node.start <= node.end <= len(directories)


def test_runs_of_a_directory_are_merged() -> None:
    tree = DirectoryTree()
    for number in range(40):
        tree.add_row(("a", "b", "a/c")[number % 3], number + 1, 10)
    root = tree.close()
    merged = merge_runs(root)
    assert is_scattered(root, merged)
    assert not is_scattered(merged, merged)
    assert [describe_directory(node) for node in merged.children] == ["a/ (27; 270 bytes)", "b/ (13; 130 bytes)"]
    assert [describe_directory(node) for node in merged.children[0].children] == ["c/ (13; 130 bytes)"]
