from time import process_time

import pytest

from ctxkit.core.lint.document.globs import matches


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.md", "a/b.md", True), ("/*.md", "a/b.md", False), ("docs", "docs/x/y.md", True), ("docs/", "a/docs/x", True),
        ("docs/*.md", "docs/a/b.md", False), ("docs/**/*.md", "docs/a/b.md", True), ("docs/**/*.md", "docs/b.md", True),
        ("[ab].md", "b.md", True), ("[!ab].md", "b.md", False), ("?.md", "ab.md", False), ("a+b", "a+b", True),
    ],
)  # fmt: skip
def test_patterns_are_as_gitignore_has_them(pattern: str, path: str, fits: bool) -> None:
    assert matches(pattern, path) is fits


def test_a_pattern_of_many_stars_is_matched_at_once() -> None:
    started = process_time()
    assert not matches("*a" * 50 + "b", "a" * 200)
    assert not matches("**/a/" * 30 + "b", "a/" * 100 + "c")
    assert matches("*a" * 50 + "*", "a" * 200)
    assert process_time() - started < 2


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        *(("*a*b*c*", "xaxbxc/d", True), ("*a*b*c*", "xax/bxc", False), ("/**/a/**/*b*", "x/a/y/z/bc", True)),
        *(("**/*.*.[!m]*", "x/a.b.cd", True), ("**/*.*.[!m]*", "x/a.b.md", False), ("a**b**c**d", "a/b/c/d", True)),
    ],
)
def test_many_stars_match_as_few_do(pattern, path, fits) -> None:
    assert matches(pattern, path) is fits
