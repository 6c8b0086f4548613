"""Paths and commands with placeholders, and their examples."""

import pytest

from ctxkit.core.lint.similarity.placeholders import MAX_LENGTH, is_instance, is_same_pattern


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("docs/sprint-n/feedback.md", "docs/sprint-1/feedback.md", True),
        ("git check-ignore -v <filename>", "git check-ignore -v <path>", True),
        ("https://host.example/models/<repo>/tree", "https://host.example/models/a/b-7/tree", True),
        ("memory/yyyy-mm-dd.md", "memory/2026-03-01.md", True),
        ("/downloads/{id}/file-[name]", "/downloads/7/file-x", True),
        ("docs/sprint-n/feedback.md", "docs/sprint-1/review.md", False),
        ("docs/sprint-n/feedback.md", "docs/sprint-/feedback.md", False),
        ("git show <commit>", "git show a b c", False),
        ("head -n 5 log.txt", "head -c 5 log.txt", False),
        ("<a>/<b>", "x/y", False),
        ("docs/sprint-1/feedback.md", "docs/sprint-1/feedback.md", False),
        ("docs/sprint-n/" + "x" * MAX_LENGTH, "docs/sprint-1/" + "x" * MAX_LENGTH, False),
    ],
)
def test_an_example_has_the_parts_of_the_pattern_and_something_between_them(pattern, name, expected) -> None:
    assert is_instance(pattern, name) is expected
    names = ("other/file.md", name)
    assert is_same_pattern(pattern, names) is (is_instance(pattern, name) or is_instance(name, pattern))
    assert is_same_pattern(name, ("other/file.md", pattern)) is expected
