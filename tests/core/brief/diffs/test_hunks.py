"""Paths of a diff without the prefixes of its tools, and files counted by state."""

import pytest

from ctxkit.core.brief.diffs.hunks import FilePatch, count_states, parse_path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a/src/x.py", "src/x.py"),
        ("b/src/x.py\t2026-01-01 10:00:00", "src/x.py"),
        ('"b/caf\\303\\251.py"', "caf\\303\\251.py"),
        ("src/x.py", "src/x.py"),
        ("/dev/null", "/dev/null"),
        ("", ""),
        ('"', '"'),
    ],
)
def test_a_path_has_no_prefix_and_no_date(text: str, path: str) -> None:
    assert parse_path(text) == path


def test_each_state_is_counted_once_for_a_file() -> None:
    files = [FilePatch("a", 1, states=["new"]), FilePatch("b", 5, states=["renamed", "new"]), FilePatch("c", 9)]
    assert dict(count_states(files)) == {"new": 2, "renamed": 1}
