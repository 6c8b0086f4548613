"""The services that the settings name are checked, and no others."""

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from ctxkit import __version__
from ctxkit.app import doctor
from ctxkit.app.doctor import (
    _format_value,
    check_owners,
    check_path,
    check_services,
    check_settings,
    check_values,
    find_owners,
    plan_removals,
)
from ctxkit.core.errors import MalformedInputError
from ctxkit.core.hosts.profiles import load_host
from ctxkit.edge.host_setup import HostSetup, find_settings
from ctxkit.edge.settings import Setting, Settings, load
from ctxkit.system.installation import DISTRIBUTION
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


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("redis://user:secret@host:6379/0", "redis://user:***@host:6379/0"),
        ("rediss://:secret@host", "rediss://:***@host"),
        ("https://host:8080/a@b", "https://host:8080/a@b"),
        (True, "true"),
        ("", "-"),
        (0, "-"),
        (0.95, "0.95"),
    ],
)
def test_a_value_is_shown_as_it_is_written_and_a_password_is_not(value, shown: str) -> None:
    assert _format_value(value) == shown


def test_without_model_or_window_nothing_is_in_force_and_that_is_no_fault() -> None:
    (found,) = (check for check in check_settings(Settings([]), [], {}) if check.name == "in use")
    assert (found.state, found.value) == ("absent", "no model and no window")


def test_a_name_that_is_another_spelling_is_shown_with_what_it_means() -> None:
    settings = Settings([{"model": Setting("qwen3:8b", "CTXKIT_MODEL")}])
    (found,) = (check for check in check_settings(settings, [], {}) if check.name == "in use")
    assert found.value.startswith("model qwen3:8b (qwen3-8b), window 40,960, ")


def check(tmp_path: Path, **variables: str):
    environ = {f"CTXKIT_{key.upper()}": value for key, value in variables.items()}
    return list(check_values(load(environ, str(tmp_path))))


def test_values_that_commands_can_use_are_no_problem(tmp_path: Path) -> None:
    events = str(tmp_path / "events.jsonl")
    values = {"tokenizer": "bytes/3", "reserve": "20%", "hint": "sed", "session": "s", "events": events}
    assert check(tmp_path, **values) == check(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["extract", "llama", "llama:a.gguf", "http://x:1", "https://x", "cmd:cat"])
def test_summarizers_that_there_are(tmp_path: Path, name: str) -> None:
    assert check(tmp_path, summarizer=name) == []


@pytest.mark.parametrize("name", ["extrakt", "cmd:", "http://", "ftp://x"])
def test_summarizers_that_there_are_not(tmp_path: Path, name: str) -> None:
    (wrong,) = check(tmp_path, summarizer=name)
    assert (wrong.state, wrong.value) == ("bad", f"CTXKIT_SUMMARIZER: summarizer: unknown summarizer: {name}")


def test_a_file_of_events_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path, why in ((tmp_path, "is a directory"), (tmp_path / "file" / "a", "is not a directory")):
        (wrong,) = check(tmp_path, events=str(path))
        assert (wrong.state, wrong.value.endswith(why)) == ("bad", True)


def test_control_characters_and_passwords_are_not_printed(tmp_path: Path) -> None:
    (wrong,) = check(tmp_path, tokenizer="\x1b[31m")
    assert "\x1b" not in wrong.value


def looked_at(**paths):
    settings = Settings([{f"{name}_dir": Setting(str(path), "test") for name, path in paths.items()}])
    return {check.name: check for check in doctor.check_directories(settings)}


def test_a_directory_that_is_not_there_yet_is_well_where_it_can_be_made(tmp_path: Path) -> None:
    found = looked_at(cache=tmp_path / "a" / "b", data=tmp_path)
    assert found["cache"].state == "ok"
    assert "created when it is needed" in found["cache"].value


def test_others_must_not_write_to_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    check = looked_at(cache=tmp_path, data=tmp_path)["cache"]
    assert (check.state, check.hint) == ("bad", f"chmod 700 {tmp_path}")
    tmp_path.chmod(0o755)
    assert looked_at(cache=tmp_path, data=tmp_path)["cache"].state == "ok"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_that_cannot_be_written_is_bad(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    check = looked_at(cache=tmp_path, data=tmp_path)["cache"]
    tmp_path.chmod(0o700)
    assert (check.state, check.hint) == ("bad", "set CTXKIT_CACHE_DIR to a directory of yours")


def test_a_file_or_a_dangling_link_in_its_place_is_bad(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    found = looked_at(cache=tmp_path / "file", data=tmp_path / "link" / "below")
    assert (found["cache"].state, found["data"].state) == ("bad", "bad")


def test_little_space_is_bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "SCARCE", 1 << 62)
    check = looked_at(cache=tmp_path, data=tmp_path)["cache"]
    assert check.state == "bad"
    assert "only" in check.value


def test_missing_pages_are_named_with_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    first, second, third, pages = doctor.check_program()
    assert (first.value, second.value.endswith(sys.executable), third.name) == (__version__, True, "platform")
    assert pages.state == "absent"
    assert all(name in pages.value for name, _ in doctor.PAGES)
    assert str(tmp_path) in pages.hint


def test_installed_pages_are_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    for _, path in doctor.PAGES:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    assert [check.state for check in doctor.check_program()] == ["ok"] * 4


def add_distribution(folder: Path, name: str, version: str, record: str = "ctxkit/__init__.py,,\n") -> None:
    """Add the metadata of a distribution that owns the package ctxkit."""
    place = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    place.mkdir(parents=True)
    (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (place / "RECORD").write_text(record)


def write_program(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_this_environment_has_one_owner() -> None:
    assert find_owners() == {DISTRIBUTION: __version__}
    assert check_owners(find_owners()) == ("program", "distribution", f"{DISTRIBUTION} {__version__}", "ok", "")


def test_another_distribution_of_the_same_files_is_an_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ctxkit").mkdir()
    add_distribution(tmp_path, "ctxkit", "2.2.5")
    add_distribution(tmp_path, "other", "1.0", "other/__init__.py,,\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert find_owners(str(tmp_path / "ctxkit")) == {DISTRIBUTION: __version__, "ctxkit": "2.2.5"}
    assert find_owners() == {DISTRIBUTION: __version__}, "its files are in another place"


def test_an_editable_installation_of_the_old_name_is_an_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_distribution(tmp_path, "ctxkit", "0.1.0", "_editable_impl_ctxkit.pth,,\n../../../bin/ctxkit,,\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert find_owners() == {DISTRIBUTION: __version__, "ctxkit": "0.1.0"}


def test_two_owners_are_a_problem_and_both_are_removed() -> None:
    check = check_owners({"ctxkit": "0.1.0", DISTRIBUTION: "0.1.0"})
    assert (check.state, check.value) == ("bad", "ctxkit 0.1.0 and ctxkit-cli 0.1.0 own the same files: to remove one deletes those of the other")
    assert check.hint == f"{sys.executable} -m pip uninstall ctxkit ctxkit-cli; then install ctxkit-cli again from its source"


def test_a_stranger_as_the_only_owner_is_a_problem() -> None:
    check = check_owners({"ctxkit": "2.2.5"})
    assert (check.state, check.value) == ("bad", "ctxkit 2.2.5 owns the package, not ctxkit-cli")
    assert "uninstall ctxkit;" in check.hint


def test_a_source_tree_has_no_owner_and_no_problem() -> None:
    assert check_owners({}).state == "ok"


def test_the_first_program_on_path_is_this_one_through_a_link(tmp_path: Path) -> None:
    own = write_program(tmp_path / "venv" / "bin" / "ctxkit", "exit 9")
    (tmp_path / "ctxkit").symlink_to(own)
    assert check_path(str(tmp_path / "ctxkit"), own).state == "ok"
    assert check_path(own, own).value == f"{own} is the first ctxkit"


@pytest.mark.parametrize(
    ("text", "state", "words"),
    [
        (f"echo 'ctxkit {__version__} (commit 3f9a2c81, 2026-11-23)'", "ok", "it has the version of"),
        ("echo ctxkit, version 2.2.5", "bad", "is the first ctxkit: ctxkit, version 2.2.5, not"),
        ("exit 3", "bad", "is the first ctxkit: another program, not"),
        ("kill -9 $$", "bad", "is the first ctxkit: another program, not"),
    ],
)
def test_another_program_on_path_is_a_problem_unless_it_has_this_version(tmp_path: Path, text: str, state: str, words: str) -> None:
    first, own = write_program(tmp_path / "first" / "ctxkit", text), str(tmp_path / "own" / "ctxkit")
    check = check_path(first, own)
    assert (check.state, words in check.value) == (state, True)
    assert state == "ok" or check.hint == f"put {tmp_path}/own before {tmp_path}/first in PATH"


def test_a_program_that_does_not_end_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "SECONDS", 0.1)
    assert check_path(write_program(tmp_path / "ctxkit", "exec sleep 60"), "/own/ctxkit").state == "bad"


def test_a_program_of_the_current_directory_is_not_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_program(tmp_path / "ctxkit", f"touch started; echo 'ctxkit {__version__} (commit 1)'")
    monkeypatch.chdir(tmp_path)
    assert check_path("./ctxkit", "/own/ctxkit").state == "bad"
    assert not (tmp_path / "started").exists()


def test_no_program_on_path_is_no_problem() -> None:
    check = check_path(None, "/own/bin/ctxkit")
    assert (check.state, check.hint.split(":")[0]) == ("absent", "add /own/bin to PATH")


def examine(home: Mapping[str, str], code: str = "", **variables: str) -> tuple[int, dict[str, dict[str, str]]]:
    """Run doctor with the smallest vocabulary; return its status and its checks of this topic."""
    lines = (
        code,
        "from ctxkit.app import checkup",
        'checkup.VOCABULARIES = {"bytes/3": checkup.VOCABULARIES["bytes/3"]}',
        "from ctxkit.main import main",
        'main(["doctor", "--json"])',
    )
    command = [sys.executable, "-c", "\n".join(lines)]
    done = subprocess.run(command, env={**home, **variables}, capture_output=True, text=True)
    assert done.stderr == ""
    return done.returncode, {check["name"]: check for check in json.loads(done.stdout)["checks"] if check["topic"] == "program"}


def test_doctor_reports_both_with_status_1(home: dict[str, str], tmp_path: Path) -> None:
    status, checks = examine(home, PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert (status, checks["distribution"]["state"], checks["PATH"]["state"]) == (0, "ok", "ok")
    write_program(tmp_path / "bin" / "ctxkit", "echo ctxkit 2.2.5")
    add_distribution(tmp_path / "site", "ctxkit", "0.1.0", "_editable_impl_ctxkit.pth,,\n")
    code = f"import sys; sys.path.append({str(tmp_path / 'site')!r})"
    status, checks = examine(home, code, PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    assert (status, checks["distribution"]["state"], checks["PATH"]["state"]) == (1, "bad", "bad")


def test_every_extra_is_looked_at_and_what_is_missing_comes_with_a_command() -> None:
    checks = {check.name: check for check in doctor.check_extras()}
    assert list(checks) == ["langs", "hf", "redis", "redact", "serve", "mcp", "llama"]
    for check in checks.values():
        assert check.state == "ok" or re.search(r"install '\S+>=[\d.]+'", check.hint)
        assert "ctxkit-cli" not in check.hint


def test_a_missing_package_alone_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "is_installed", lambda package: package != "redis")
    checks = {check.name: check for check in doctor.check_extras()}
    assert [name for name, check in checks.items() if check.state == "absent"] == ["redis"]
    assert checks["redis"].value == f"{doctor.PURPOSES['redis']}: lacks redis"
    assert checks["redis"].hint.endswith(" install 'redis>=5.2'")
