from pathlib import Path

import pytest

from ctxkit.core.errors import MalformedInputError, MissingInputError
from ctxkit.edge.lint.sources import Target, find_targets, parse_stdin


def test_directories_are_linted_once_and_files_in_the_project_around_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "web").mkdir()
    (tmp_path / "web/A.md").touch()
    assert find_targets([]) == [Target(".")]
    assert find_targets(["web", "web/"]) == [Target("web", (), "web/")]
    assert find_targets(["web/A.md"]) == [Target(".", ("web/A.md",))]
    assert find_targets([f"{tmp_path}/web/A.md"]) == [Target(f"{tmp_path}/web", ("A.md",), f"{tmp_path}/web/")]
    with pytest.raises(MissingInputError, match="gone"):
        find_targets(["gone"])


def test_stdin_is_a_document_or_json_lines() -> None:
    assert parse_stdin(b"# A\n", "X.md") == {"X.md": b"# A\n"}
    assert parse_stdin(b"", "X.md") == {"X.md": b""}
    rows = b'{"path": "a/../B.md", "text": "x"}\n\n{"path": "C.md", "text": "y\\n"}'
    assert parse_stdin(rows, "X.md") == {"B.md": b"x", "C.md": b"y\n"}
    with pytest.raises(MalformedInputError, match="line 2"):
        parse_stdin(b'{"path": "B.md", "text": "x"}\n{"path": 1}\n', "X.md")
