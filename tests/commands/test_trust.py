import json
import os
import pty
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    (made / "src").mkdir(parents=True)
    (made / ".ctxkit.toml").write_text('window = 9000\nevents = "log"\n\nsummarizer = "cmd:x\\u001b[2J"\ntrusted = ["/"]\n')
    return made


@pytest.fixture
def listed(home: dict[str, str]) -> Callable[[], list[str]]:
    """Return what the user's file lists."""
    file = Path(home["XDG_CONFIG_HOME"]) / "ctxkit" / "config.toml"
    return lambda: tomllib.loads(file.read_text())["trusted"] if file.exists() else []


def test_it_shows_what_it_unlocks_and_changes_nothing_without_a_yes(run: Run, project: Path, listed) -> None:
    done = run("trust", cwd=project / "src")
    file = project / ".ctxkit.toml"
    assert done.status == 1
    assert done.out.decode() == f"{file}:4: summarizer = cmd:x\\x1b[2J\n{file}:2: events = log\n"
    assert "--yes" in done.err
    assert listed() == []


def test_a_yes_on_the_line_trusts_and_a_second_one_changes_nothing(run: Run, project: Path, listed, tmp_path: Path) -> None:
    gate = ("gate", "--window", "900")
    before = run(*gate, stdin="x", cwd=project).err
    assert "because this project is not trusted: summarizer (" in before
    assert "only your own settings file may set it: trusted (" in before
    assert run("trust", project, "--yes").status == 0
    assert listed() == [str(project)]
    assert run(*gate, stdin="x", cwd=project).err == ""
    assert (project / "log").exists()
    again = run("trust", project, "--yes")
    assert (again.status, listed()) == (0, [str(project)])
    assert "already" in again.out.decode()
    assert run("trust", project).status == 0


def test_it_lists_and_removes(run: Run, project: Path, listed) -> None:
    run("trust", project, "--yes")
    assert str(project) in run("trust", "--list").out.decode()
    assert json.loads(run("trust", "--list", "--json").out)["trusted"] == [str(project)]
    assert run("trust", project, "--remove").status == 0
    assert listed() == []
    assert run("trust", project, "--remove").status == 0
    assert not (project / "log").exists()
    run("gate", "--window", "900", stdin="x", cwd=project)
    assert not (project / "log").exists()


def test_a_directory_that_is_gone_is_removed_too(run: Run, project: Path, listed) -> None:
    run("trust", project, "--yes")
    project.rename(project.with_name("gone"))
    assert run("trust", project, "--remove").status == 0
    assert listed() == []


def test_what_a_pattern_trusts_stays_trusted_and_that_is_said(run: Run, project: Path, home: dict[str, str]) -> None:
    file = Path(home["XDG_CONFIG_HOME"]) / "ctxkit" / "config.toml"
    file.parent.mkdir()
    file.write_text(f'trusted = ["{project.parent}/*"]\n')
    assert "already" in run("trust", project).out.decode()
    done = run("trust", project, "--remove")
    assert done.status == 1
    assert f"{project.parent}/*" in done.err
    assert file.read_text() == f'trusted = ["{project.parent}/*"]\n'


def test_json_is_one_object(run: Run, project: Path) -> None:
    done = run("trust", project, "--json")
    found = json.loads(done.out)
    assert (done.status, found["trusted"], found["changed"]) == (1, False, False)
    assert found["directory"] == str(project)
    assert [(row["key"], row["line"]) for row in found["unlocks"]] == [("summarizer", 4), ("events", 2)]
    found = json.loads(run("trust", project, "--json", "--yes").out)
    assert (found["trusted"], found["changed"]) == (True, True)
    assert json.loads(run("trust", project, "--json", "--yes").out)["changed"] is False


@pytest.mark.parametrize(
    ("args", "status"),
    [(("none",), 66), (("--list", "src"), 2), (("--remove", "--yes"), 2), (("a*",), 2), ((b"\xff",), 2)],
)
def test_what_cannot_be_trusted_is_refused(run: Run, project: Path, listed, args, status: int) -> None:
    for name in (b"a*", b"\xff"):
        os.mkdir(os.path.join(os.fsencode(project), name))
    assert run("trust", *args, cwd=project).status == status
    assert listed() == []


def test_a_broken_user_s_file_is_not_edited(run: Run, project: Path, home: dict[str, str]) -> None:
    file = Path(home["XDG_CONFIG_HOME"]) / "ctxkit" / "config.toml"
    file.parent.mkdir()
    file.write_text("window = = 1\n")
    assert run("trust", project, "--yes").status == 78
    assert file.read_text() == "window = = 1\n"


def test_what_is_wrong_with_the_project_s_file_is_told(run: Run, project: Path) -> None:
    (project / ".ctxkit.toml").write_text("window = = 1\n")
    done = run("trust", project)
    assert f"{project / '.ctxkit.toml'}:1: " in done.err


def read_terminal(terminal: int) -> str:
    """Return all that a terminal shows after its last process has ended; Linux reports the end as an error."""
    pieces = []
    try:
        while piece := os.read(terminal, 10_000):
            pieces.append(piece)
    except OSError:
        pass
    os.close(terminal)
    return b"".join(pieces).decode()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
@pytest.mark.parametrize(("answer", "trusted"), [(b"y\n", True), (b"\n", False), (b"\x04", False)])
def test_on_a_terminal_it_asks(ctxkit: str, home: dict[str, str], project: Path, listed, answer: bytes, trusted: bool) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen([ctxkit, "trust"], stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, env=home, cwd=project)
    os.close(theirs)
    os.write(ours, answer)
    out = process.communicate(timeout=60)[0]
    said = read_terminal(ours)
    assert b"summarizer = " in out
    assert f"Trust {project}" in said
    assert (process.returncode, listed()) == (0, [str(project)]) if trusted else (1, [])
