import pytest

from ctxkit.core.lint.globs import matches


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.md", "a/b.md", True), ("/*.md", "a/b.md", False), ("docs", "docs/x/y.md", True), ("docs/", "a/docs/x", True),
        ("docs/*.md", "docs/a/b.md", False), ("docs/**/*.md", "docs/a/b.md", True), ("docs/**/*.md", "docs/b.md", True),
        ("[ab].md", "b.md", True), ("[!ab].md", "b.md", False), ("?.md", "ab.md", False), ("a+b", "a+b", True),
    ],
)  # fmt: skip
def test_patterns_are_as_gitignore_has_them(pattern, path, fits):
    assert matches(pattern, path) is fits
