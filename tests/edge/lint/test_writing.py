import subprocess
from pathlib import Path

import pytest

from ctxkit.core.lint.run import replace_texts
from ctxkit.edge.lint.writing import diff_documents, write_documents
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
