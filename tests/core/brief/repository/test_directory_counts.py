"""Numbers of files in directories that a map does not open."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.repository.directory_counts import count_closed, format_closed, list_ancestors

DIRECTORIES = st.lists(st.sampled_from("abc"), max_size=4).map(lambda parts: "".join(f"{part}/" for part in parts))


def test_ancestors_end_with_the_repository() -> None:
    assert list(list_ancestors("a/b/")) == ["a/b/", "a/", ""]
    assert list(list_ancestors("")) == [""]


def test_files_count_in_the_largest_directory_that_contains_nothing_open() -> None:
    assert count_closed(["a/b/", "a/c/", "d/e/", "d/f/", "d/"], {"a/b/x/"}) == {"a/b/": 1, "a/c/": 1, "d/": 3}


@given(st.lists(DIRECTORIES, max_size=12), st.sets(DIRECTORIES, max_size=4))
def test_each_file_counts_once_and_around_it(directories: list[str], opened: set[str]) -> None:
    counts = count_closed(directories, opened)
    assert counts.total() == len(directories)
    for path in counts:
        assert any(directory.startswith(path) for directory in directories)
        assert path in directories or not any(inner.startswith(path) for inner in opened)


def test_the_largest_are_named_in_order_and_the_rest_are_counted() -> None:
    counts = Counter({"a/": 1, "b/": 5, "c c/": 3, "d/": 2})
    assert format_closed(counts, 2) == "b/ (5 files), 'c c/' (3 files), 2 more (3 files)"
    assert format_closed(counts, 0) == "4 directories (11 files)"
    assert format_closed(Counter({"": 1}), 1) == "./ (1 file)"
