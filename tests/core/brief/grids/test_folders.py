"""Paths are grouped by the directories that they share."""

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.grids.folders import PathItem, _cut_path, group_by_directory, make_directory_entries

paths = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join), min_size=1, max_size=20)


def items(names):
    return [PathItem(name, at + 1, at + 1, weight=at) for at, name in enumerate(names)]


@given(paths, st.integers(1, 6))
def test_every_path_is_in_one_group_below_its_directory(names, most: int) -> None:
    groups = group_by_directory(items(names), most)
    assert [item.path for _, run in groups for item in run] == names
    assert all(item.path.startswith(directory) for directory, run in groups for item in run)
    assert len(groups) <= most


def test_groups_are_as_deep_as_their_number_allows() -> None:
    names = ["src/a/x.py", "src/a/y.py", "src/b/z.py", "docs/i.md"]
    assert [name for name, _ in group_by_directory(items(names), 9)] == ["src/a/", "src/b/", "docs/"]
    assert [name for name, _ in group_by_directory(items(names), 2)] == ["src/", "docs/"]


def test_small_neighbours_are_joined_where_not_all_directories_fit() -> None:
    names = ["README", "a/1", "b/1", *(f"src/core/{at}" for at in range(9)), *(f"src/edge/{at}" for at in range(9)), "z/1"]
    assert [(name, len(run)) for name, run in group_by_directory(items(names), 3)] == [("", 3), ("src/", 18), ("z/", 1)]
    assert [len(run) for _, run in group_by_directory(items(names), 4)] == [3, 9, 9, 1]


def test_no_group_has_more_runs_than_asked_for_and_files_in_no_directory_are_called_so() -> None:
    entries = make_directory_entries(items(["x", "y", *(f"src/{at}" for at in range(5))]), 2, lambda run: "")
    assert [entry.label for entry in entries] == ["(no directory) (2 files)", "src/ (5 files)"]


def test_a_directory_holds_its_files_and_their_total() -> None:
    entries = make_directory_entries(items(["src/x.py", "src/y.py", "z.md"]), 5, lambda run: f"+{len(run)}")
    assert [(entry.label, entry.start, entry.end) for entry in entries] == [("src/ (2 files, +2)", 1, 2), ("z.md", 3, 3)]
    assert [child.label for child in entries[0].children] == ["x.py", "y.py"]
    assert entries[0].children[1].rank < entries[0].children[0].rank


def test_groups_of_one_directory_are_called_by_their_first_and_last_path() -> None:
    names = [f"{chr(97 + at % 7)}/f{at}.py" for at in range(150)]
    entries = make_directory_entries(items(names), 3, lambda run: "")
    assert [entry.label for entry in entries] == [
        "a/f0.py to a/f49.py (50 files)",
        "b/f50.py to b/f99.py (50 files)",
        "c/f100.py to c/f149.py (50 files)",
    ]
    assert all(entry.counts_children for entry in entries)


def test_long_paths_are_cut_in_the_middle() -> None:
    assert _cut_path("a" * 40 + "b" * 40) == "a" * 25 + "..." + "b" * 25
    assert _cut_path("a" * 50) == "a" * 50
