from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.grids.directory_tree import (
    DirectoryTree,
    count_by_level,
    describe_directory,
    is_scattered,
    iter_gaps,
    join_single_directories,
    merge_runs,
)


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
