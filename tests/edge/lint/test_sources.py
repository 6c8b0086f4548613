import pytest

from ctxkit.core.trouble import Malformed, MissingInput
from ctxkit.edge.lint.sources import Target, held, listed, targets


def test_directories_are_linted_once_and_files_in_the_project_around_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "web").mkdir()
    (tmp_path / "web/A.md").touch()
    assert targets([]) == [Target(".")]
    assert targets(["web", "web/"]) == [Target("web", (), "web/")]
    assert targets(["web/A.md"]) == [Target(".", ("web/A.md",))]
    assert targets([f"{tmp_path}/web/A.md"]) == [Target(f"{tmp_path}/web", ("A.md",), f"{tmp_path}/web/")]
    with pytest.raises(MissingInput, match="gone"):
        targets(["gone"])


def test_a_list_has_lines_or_nuls():
    assert listed(b"a b\nc\n\n") == ["a b", "c"]
    assert listed(b"a\nb\0c\0") == ["a\nb", "c"]


def test_stdin_is_a_document_or_json_lines():
    assert held(b"# A\n", "X.md") == {"X.md": b"# A\n"}
    assert held(b"", "X.md") == {"X.md": b""}
    rows = b'{"path": "a/../B.md", "text": "x"}\n\n{"path": "C.md", "text": "y\\n"}'
    assert held(rows, "X.md") == {"B.md": b"x", "C.md": b"y\n"}
    with pytest.raises(Malformed, match="line 2"):
        held(b'{"path": "B.md", "text": "x"}\n{"path": 1}\n', "X.md")
