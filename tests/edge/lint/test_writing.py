"""A baseline replaces a baseline, and no other file."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from ctxkit.core.errors import InputOutputError, MalformedInputError, MissingInputError
from ctxkit.core.lint.run import replace_texts
from ctxkit.edge.lint.writing import diff_documents, read_baseline, write_baseline, write_documents
from tests.core.lint.places import workspace

TEXTS = (
    ("one\ntwo\nthree\n", "one\nthree\n"), ("one\r\ntwo\r\n", "one\r\n"), ("one\ntwo", "one\n"), ("one\ntwo", "two"),
    ("a\x0cb\u2028c\ntwo\n", "a\x0cb\u2028c\n"), ("\ufeffone\ntwo\n", "\ufeffone\n"), ("one", "one\n"), ("x\n", ""),
)  # fmt: skip


def pair(old, new, path="AGENTS.md"):
    before = workspace({path: old})
    return before, replace_texts(before, {before.documents[0].path: new.removeprefix("\ufeff")})


@pytest.mark.parametrize(("old", "new"), TEXTS)
@pytest.mark.parametrize("path", ["AGENTS.md", "a b/AGENTS.md"])
def test_git_takes_what_is_shown(old: str, new: str, path: str, tmp_path: Path) -> None:
    before, after = pair(old, new, path)
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_bytes(old.encode())
    patch = b"".join(diff_documents(before, after, ""))
    done = subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], cwd=tmp_path, input=patch, capture_output=True)
    left = (tmp_path / path).read_bytes() if (tmp_path / path).exists() else b""
    assert (done.returncode, done.stderr, left) == (0, b"", new.encode())


def test_a_secret_is_starred_and_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    before, after = pair("- key: sk-ant-api03-Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0\ntwo\n", "- key: sk-ant-api03-Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0\n")
    assert b"Kq2Lm9" not in b"".join(diff_documents(before, after, ""))
    assert "cannot be applied" in capsys.readouterr().err


def test_files_keep_their_permissions_and_links_lead_where_they_did(tmp_path: Path) -> None:
    (tmp_path / "real.md").write_bytes(b"one\ntwo\n")
    (tmp_path / "real.md").chmod(0o640)
    (tmp_path / "AGENTS.md").symlink_to("real.md")
    before, after = pair("one\ntwo\n", "one\n")
    assert write_documents(str(tmp_path), before, after) == 0
    assert (tmp_path / "AGENTS.md").is_symlink()
    assert (tmp_path / "real.md").read_bytes() == b"one\n"
    assert (tmp_path / "real.md").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["AGENTS.md", "real.md"]


def test_a_file_that_changed_meanwhile_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "AGENTS.md").write_bytes(b"other\n")
    before, after = pair("one\ntwo\n", "one\n")
    assert write_documents(str(tmp_path), before, after) == 1
    (tmp_path / "AGENTS.md").unlink()
    assert write_documents(str(tmp_path), before, after) == 1
    assert "changed meanwhile" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_new_baseline_can_be_read_and_replaced(tmp_path: Path) -> None:
    path = str(tmp_path / "known.json")
    for _ in range(2):
        write_baseline(path, [])
        assert json.loads(Path(path).read_bytes()) == {"version": 1, "findings": []}
        assert read_baseline(path) == {}


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"print('mine')\n", b"[]", b"{}", b'{"findings": 3}', b"[" * 99_999, b"\xff"),
        *(b'{"findings": [{"code": "x"}]}', b'{"name": "a package", "findings": []}'),
    ],
)
def test_a_file_that_is_not_a_baseline_stays(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "mine.json"
    file.write_bytes(content)
    with pytest.raises(MalformedInputError, match=r"mine\.json: is not a baseline"):
        write_baseline(str(file), [])
    assert (file.read_bytes(), os.listdir(tmp_path)) == (content, ["mine.json"])


def test_a_file_that_appears_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check is repeated right before the replacement."""
    file = tmp_path / "known.json"
    monkeypatch.setattr("ctxkit.edge.lint.writing.collect_beside", lambda _: file.write_text("mine"))
    with pytest.raises(MalformedInputError):
        write_baseline(str(file), [])
    assert (file.read_text(), os.listdir(tmp_path)) == ("mine", ["known.json"])


def test_a_baseline_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="none"):
        read_baseline(str(tmp_path / "none.json"))
    with pytest.raises(InputOutputError, match="no/known"):
        write_baseline(str(tmp_path / "no" / "known.json"), [])
