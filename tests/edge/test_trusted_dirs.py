import os
from pathlib import Path

import pytest

from ctxkit.edge.trusted_dirs import find_fault, is_trusted, matches


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "src" / "mine" / "deep").mkdir(parents=True)
    (tmp_path / "evil").mkdir()
    (tmp_path / "src" / "link").symlink_to(tmp_path / "evil")
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "directory", "named"),
    [
        ("~/src/mine", "src/mine", True),
        ("~/src/mine/", "src/mine", True),
        ("~/src/mine", "src/mine/deep", False),
        ("~/src/mine", "src", False),
        ("~/src/*", "src/mine", True),
        ("~/src/*", "src/mine/deep", False),
        ("~/src/*", "src", False),
        ("~/src/*", "src/link", False),
        ("~/src/*", "evil", False),
        ("~/src/link", "evil", True),
        ("~/src/link", "src/link", True),
        ("~", ".", True),
        ("/*", "/", False),
        ("/", "/", True),
        ("~nobody-of-that-name/src", "src", False),
    ],
)
def test_a_pattern_names_one_directory_or_the_children_of_one(
    root: Path, pattern: str, directory: str, named: bool
) -> None:
    assert matches(pattern, os.path.join(root, directory)) is named


@pytest.mark.parametrize("pattern", ["~/*/src", "/a/b*", "/a/**", "src", "./src", "", "*", "/a\0b"])
def test_other_patterns_are_faults(pattern: str) -> None:
    assert find_fault(pattern)


@pytest.mark.parametrize("pattern", ["/a", "~/a", "~", "/a/*", "/a?[b]", "/"])
def test_directories_are_none(pattern: str) -> None:
    assert find_fault(pattern) == ""


def test_without_patterns_nobody_is_trusted(root: Path) -> None:
    assert not is_trusted(str(root), ())
    assert is_trusted(str(root / "src" / "mine"), ("/none", "~/src/mine"))
