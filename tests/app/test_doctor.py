"""The services that the settings name are checked, and no others."""

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from ctxkit.app.doctor import check_services, plan_removals
from ctxkit.core.errors import MalformedInputError
from ctxkit.core.hosts.profiles import load_host
from ctxkit.edge.host_setup import HostSetup, find_settings
from ctxkit.edge.settings import load
from tests.conftest import Run


def names(tmp_path: Path, **environ: str) -> list[tuple[str, str]]:
    return [(check.name, check.state) for check in check_services(load(environ, str(tmp_path)))]


def test_without_a_setting_and_without_a_socket_nothing_is_checked(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert names(tmp_path) == names(tmp_path, CTXKIT_STORE="off", CTXKIT_SERVER="off") == []


def test_what_is_named_is_checked(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert names(tmp_path, CTXKIT_SERVER=str(tmp_path / "s")) == [("socket", "bad")]
    assert names(tmp_path, CTXKIT_STORE="redis://127.0.0.1:1") == [("shared store", "bad")]


WORD = "Zq9vTuniq77"
TEXT = f"{WORD} and a line of text\n" * 900
WINDOW = ("--window", "3000", "--tokenizer", "bytes/3")


@pytest.fixture
def user(run: Run, home: dict[str, str], tmp_path: Path) -> Path:
    """The directory of all files of a user who has used what keeps something."""
    talk = [{"role": ("user", "assistant")[n % 2], "content": f"Step {n} of src/{WORD}.py. " * 30} for n in range(40)]
    (tmp_path / "t.json").write_text(json.dumps(talk))
    event = {"hook_event_name": "PreCompact", "session_id": "abc", "transcript_path": str(tmp_path / "t.json"), "cwd": "/"}
    (tmp_path / "project").mkdir()
    for host, *options in (("codex",), ("claude-code", "--mcp"), ("claude-code", "--project")):
        run("init", host, *options, "--yes", cwd=tmp_path / "project")
    run("hook", "codex", stdin=json.dumps(event))
    run("gate", *WINDOW, "--session", "s", stdin=TEXT)
    run("gate", *WINDOW, stdin=TEXT, env={"XDG_CACHE_HOME": "/dev/null", "XDG_DATA_HOME": "/dev/null"})
    run("gate", "--model", "unheard-of", stdin="small\n")
    run("session", "append", "s", stdin=json.dumps({"role": "user", "content": WORD}) + "\n")
    run("snapshot", "save", "s", stdin=(tmp_path / "t.json").read_bytes())
    run("cache", "search", WORD)
    run("models", "update", "-", stdin=json.dumps([{"id": WORD, "context_length": 9000}]))
    return tmp_path / "user"


def list_files(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_symlink() or not path.is_dir()]


def test_nothing_is_left_of_what_ctxkit_kept(run: Run, user: Path, home: dict[str, str], tmp_path: Path) -> None:
    assert any(WORD.encode() in path.read_bytes() for path in list_files(user))
    settings = Path(home["XDG_CONFIG_HOME"], "ctxkit/config.toml")
    settings.write_text('model = "qwen3-8b"\n')
    (Path(home["XDG_CACHE_HOME"]) / "other").write_text("theirs\n")
    ran = run("doctor", "--purge", "--yes")
    assert (ran.status, ran.err) == (0, "")
    assert sorted(path.name for path in list_files(user)) == ["config.toml", "other"]
    assert list_files(tmp_path / "project") == []
    lines = ran.out.decode().splitlines()
    assert [line.rpartition("/")[2] for line in lines[:4]] == ["settings.json", ".claude.json", "settings.local.json", "hooks.json"]
    places = {line.rpartition(" from ")[2] for line in lines[4:]}
    assert {str(Path(home[f"XDG_{kind}_HOME"]) / "ctxkit") for kind in ("CACHE", "DATA", "CONFIG")} < places
    assert run("doctor", "--purge", "--yes").out == b"nothing is kept\n"
    assert json.loads(run("doctor", "--purge", "--yes", "--json").out) == {"hosts": [], "directories": [], "left": []}


def test_json_lists_the_same(run: Run, user: Path, home: dict[str, str]) -> None:
    ran = run("doctor", "--purge", "--yes", "--json")
    result = json.loads(ran.out)
    assert [row["host"] for row in result["hosts"]] == ["claude-code", "claude-code", "claude-code", "codex"]
    assert all(row["files"] > 0 < row["bytes"] for row in result["directories"])
    assert result["left"] == []
    assert list_files(user) == []


def test_without_a_terminal_it_needs_yes(run: Run, user: Path) -> None:
    before = list_files(user)
    ran = run("doctor", "--purge")
    assert (ran.status, ran.out) == (2, b"")
    assert "--purge needs --yes" in ran.err
    for wrong in (("--yes",), ("codex", "--purge", "--yes")):
        assert run("doctor", *wrong).status == 2
    assert list_files(user) == before


@pytest.mark.parametrize(("answer", "status"), [(b"n\n", 1), (b"y\n", 0)])
def test_on_a_terminal_it_asks(ctxkit: str, user: Path, home: dict[str, str], answer: bytes, status: int) -> None:
    before = list_files(user)
    ours, theirs = pty.openpty()
    os.write(ours, answer)
    done = subprocess.run([ctxkit, "doctor", "--purge"], env=home, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs)
    question = os.read(ours, 1 << 16)
    assert b"Remove the setup of Claude Code, the setup of Codex, " in question
    assert done.returncode == status
    assert list_files(user) == ([] if status == 0 else before)
    for end in (ours, theirs):
        os.close(end)


def test_settings_that_cannot_be_parsed_keep_everything(run: Run, user: Path, home: dict[str, str]) -> None:
    Path(home["HOME"], ".codex/hooks.json").write_text("{")
    before = list_files(user)
    ran = run("doctor", "--purge", "--yes")
    assert ran.status == 65
    assert list_files(user) == before


def test_a_link_stays_and_is_named(run: Run, user: Path, home: dict[str, str], tmp_path: Path) -> None:
    data = Path(home["XDG_DATA_HOME"], "ctxkit")
    (data / "histories").rename(tmp_path / "theirs")
    (data / "histories").symlink_to(tmp_path / "theirs")
    ran = run("doctor", "--purge", "--yes")
    assert ran.status == 1
    assert ran.err == f"ctxkit: warning: stays: {data}/histories\n"
    assert len(list_files(tmp_path / "theirs")) == 2
    assert [path.name for path in list_files(user)] == ["histories"]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return str(tmp_path / "data")


def set_up(data: str, host: str, scope: str = "user") -> str:
    setup, path = HostSetup(load_host(host), data), find_settings(load_host(host), scope)
    setup.apply_setup(setup.plan_setup(path))
    return path


def test_all_settings_that_name_ctxkit_are_changed_also_in_other_projects(data: str, tmp_path: Path) -> None:
    paths = [set_up(data, "codex"), set_up(data, "claude-code"), set_up(data, "claude-code", "project")]
    (tmp_path / "other").mkdir()
    os.chdir(tmp_path / "other")
    removals = plan_removals(data)
    assert [removal.setup.host.name for removal in removals] == ["claude-code", "codex"]
    assert sorted(plan.file.path for removal in removals for plan in removal.plans) == sorted(paths)
    assert all(removal.apply() for removal in removals)
    assert not any(map(os.path.exists, (*paths, data)))
    assert plan_removals(data) == []


def test_settings_that_cannot_be_parsed_are_an_error_if_ctxkit_changed_them(data: str) -> None:
    path = Path(set_up(data, "codex"))
    other = Path(find_settings(load_host("claude-code"), "user"))
    other.parent.mkdir()
    for file in (path, other):
        file.write_text("{")
    with pytest.raises(MalformedInputError, match=r"hooks\.json"):
        plan_removals(data)


def test_settings_whose_record_is_lost_are_changed_and_their_scripts_stay(data: str) -> None:
    path = Path(set_up(data, "claude-code"))
    path.write_text(json.dumps({**json.loads(path.read_text()), "theirs": 1}))
    Path(data, "hosts/claude-code/setup.json").unlink()
    (removal,) = plan_removals(data)
    assert not removal.apply()
    assert json.loads(path.read_text()) == {"theirs": 1}
    assert os.path.exists(f"{data}/hosts/claude-code/hook")
