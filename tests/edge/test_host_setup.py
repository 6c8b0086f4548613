"""The conversation with Codex's app-server; a small program stands for it."""

import json
import os
import sys
from pathlib import Path

import pytest

from ctxkit.core.errors import MissingDependencyError, UsageError
from ctxkit.core.hosts.claude_code import HOST
from ctxkit.edge.host_setup import (
    HostSetup,
    check_project_file,
    find_own_path,
    find_settings,
    find_version,
    trust_hooks,
)


@pytest.fixture(autouse=True)
def _directory_of_the_host(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))


def find_script() -> str:
    return os.path.join(os.environ["CLAUDE_CONFIG_DIR"], "ctxkit-prefix")


def test_a_record_that_cannot_be_read_costs_no_removal(tmp_path: Path) -> None:
    setup, path = HostSetup(HOST, str(tmp_path)), tmp_path / "settings.json"
    path.write_text('{"a": 1}')
    setup.apply_setup(setup.plan_setup(str(path)))
    assert setup.is_set_up(str(path))
    Path(setup.directory, "setup.json").write_text("[")
    assert not setup.apply_removal(setup.plan_removal(str(path)))
    assert path.read_text() == '{"a": 1}'
    assert not setup.is_set_up(str(path))


def test_scripts_stay_while_the_settings_that_name_them_are_unknown(tmp_path: Path) -> None:
    setup = HostSetup(HOST, str(tmp_path))
    user, project = str(tmp_path / "user.json"), str(tmp_path / "project.json")
    for path in (user, project):
        setup.apply_setup(setup.plan_setup(path))
    Path(setup.directory, "setup.json").unlink()
    assert not setup.apply_removal(setup.plan_removal(user))
    assert setup.is_set_up(project)
    assert os.access(find_script(), os.X_OK)
    assert os.access(os.path.join(setup.directory, "hook"), os.X_OK)
    setup.apply_setup(setup.plan_setup(user))
    assert not setup.apply_removal(setup.plan_removal(user))
    assert setup.is_set_up(project)
    assert os.access(find_script(), os.X_OK)


def test_scripts_go_with_the_last_settings_that_name_them(tmp_path: Path) -> None:
    setup = HostSetup(HOST, str(tmp_path))
    paths = [str(tmp_path / name) for name in ("a.json", "b.json")]
    for path in (*paths, paths[0]):
        setup.apply_setup(setup.plan_setup(path))
    assert setup.apply_removal(setup.plan_removal(paths[0]))
    assert os.access(find_script(), os.X_OK)
    assert setup.apply_removal(setup.plan_removal(paths[1]))
    assert not os.path.exists(setup.directory)


def test_settings_of_another_setup_keep_the_script(tmp_path: Path) -> None:
    setup = HostSetup(HOST, str(tmp_path))
    paths = [str(tmp_path / name) for name in ("a.json", "b.json")]
    for path in paths:
        setup.apply_setup(setup.plan_setup(path))
    setup.apply_removal(setup.plan_removal(paths[0]))
    assert os.path.exists(find_script())
    assert setup.is_set_up(paths[1])


def test_settings_that_cannot_be_read_are_not_set_up(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text("{")
    assert not HostSetup(HOST, str(tmp_path)).is_set_up(str(tmp_path / "s.json"))
    assert not HostSetup(HOST, str(tmp_path)).is_set_up(str(tmp_path))


def test_a_conflict_has_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text('{"env": {"CLAUDE_CODE_SHELL_PREFIX": "/other"}}')
    with pytest.raises(UsageError) as error:
        HostSetup(HOST, str(tmp_path)).plan_setup(str(path))
    assert error.value.hint == "remove CLAUDE_CODE_SHELL_PREFIX from the file to have ctxkit there"


def test_places_follow_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/u")
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    assert find_settings(HOST, "user") == "/home/u/.claude/settings.json"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/etc/claude")
    assert find_settings(HOST, "user") == "/etc/claude/settings.json"
    assert find_settings(HOST, "project") == str(tmp_path / ".claude" / "settings.local.json")


@pytest.mark.parametrize("link", [".claude", ".claude/settings.local.json"])
def test_a_link_out_of_the_project_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, link: str) -> None:
    project = tmp_path / "project"
    (project / link).parent.mkdir(parents=True)
    (project / link).symlink_to(tmp_path / "elsewhere")
    monkeypatch.chdir(project)
    with pytest.raises(UsageError, match="is a link out of the project"):
        check_project_file(find_settings(HOST, "project"))
    assert not (tmp_path / "elsewhere").exists()


def test_the_program_is_named_by_the_link_that_an_upgrade_keeps(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    beside = os.path.join(os.path.dirname(sys.executable), "ctxkit")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_own_path() == beside
    (tmp_path / "ctxkit").symlink_to(beside)
    assert find_own_path() == str(tmp_path / "ctxkit")


def test_the_script_beside_the_settings_goes_with_the_last_that_name_it(tmp_path: Path) -> None:
    setup = HostSetup(HOST, str(tmp_path / "data"))
    user, project = str(tmp_path / "claude" / "settings.json"), str(tmp_path / "project" / "settings.json")
    for path in (user, project):
        setup.apply_setup(setup.plan_setup(path))
    setup.apply_removal(setup.plan_removal(user))
    assert os.access(find_script(), os.X_OK)
    setup.apply_removal(setup.plan_removal(project))
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_the_user_in_the_place_of_the_script_stays(tmp_path: Path) -> None:
    setup, path = HostSetup(HOST, str(tmp_path / "data")), str(tmp_path / "claude" / "settings.json")
    setup.apply_setup(setup.plan_setup(path))
    Path(find_script()).write_text("mine")
    setup.apply_removal(setup.plan_removal(path))
    assert Path(find_script()).read_text() == "mine"


def test_an_earlier_setup_that_others_changed_is_not_taken_for_what_was_before(tmp_path: Path) -> None:
    """The settings name the script where ctxkit 0.1.0 put it, and their user has added a member."""
    setup, path = HostSetup(HOST, str(tmp_path / "data")), tmp_path / "claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"a": 1}')
    setup.apply_setup(setup.plan_setup(str(path)))
    value = json.loads(path.read_bytes())
    value["env"]["CLAUDE_CODE_SHELL_PREFIX"] = f"{setup.directory}/prefix"
    path.write_text(json.dumps({**value, "b": 2}))
    setup.apply_setup(setup.plan_setup(str(path)))
    assert json.loads(path.read_bytes())["env"] == {"CLAUDE_CODE_SHELL_PREFIX": find_script()}
    assert setup.apply_removal(setup.plan_removal(str(path)))
    assert json.loads(path.read_bytes()) == {"a": 1, "b": 2}
    assert not os.path.exists(find_script())


def test_the_version_is_that_of_the_package_around_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "node_modules" / "x"
    (package / "bin").mkdir(parents=True)
    program = package / "bin" / "x.js"
    program.write_text("")
    program.chmod(0o755)
    (tmp_path / "x").symlink_to(program)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_version("x") == ""
    for content in ("[]", "{", '{"version": 5}'):
        (package / "package.json").write_text(content)
        assert find_version("x") == ""
    (package / "package.json").write_text('{"version": "1.2.3"}')
    assert find_version("x") == "1.2.3"
    os.unlink(tmp_path / "x")
    assert find_version("x") == "absent"


SERVER = """#!{python}
import json, sys
trusted = {{}}
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    method, params = request["method"], request["params"]
    if method == "hooks/list":
        hooks = [
            {{"key": command, "command": command, "currentHash": "h" + command,
             "trustStatus": "trusted" if trusted.get(command) == "h" + command else "untrusted"}}
            for command in {commands}
        ]
        result = {{"data": [{{"cwd": params["cwds"][0], "hooks": hooks}}]}}
    elif method == "config/batchWrite":
        result = {{"status": "ok"}}
        for key, value in params["edits"][0]["value"].items():
            trusted[key] = value["trusted_hash"] if {works} else ""
    else:
        result = {{}}
    print(json.dumps({{"method": "noise"}}))
    print(json.dumps({{"id": request["id"], "result": result}}), flush=True)
"""


def make_server(path: Path, commands: list[str], *, works: bool = True) -> str:
    path.write_text(SERVER.format(python=sys.executable, commands=commands, works=works))
    path.chmod(0o755)
    return str(path)


def test_own_hooks_become_trusted(tmp_path: Path) -> None:
    assert trust_hooks(make_server(tmp_path / "codex", ["own", "other"]), "own", str(tmp_path))
    assert not trust_hooks(make_server(tmp_path / "codex", ["own"], works=False), "own", str(tmp_path))


@pytest.mark.parametrize("program", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho '[]'; echo x\n", None])
def test_a_codex_that_does_not_answer_is_an_error(tmp_path: Path, program: str | None) -> None:
    path = tmp_path / "codex"
    if program:
        path.write_text(program)
        path.chmod(0o755)
    with pytest.raises(MissingDependencyError, match="codex app-server: "):
        trust_hooks(str(path), "own", str(tmp_path))


def test_a_codex_without_the_hook_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MissingDependencyError, match="lists no hook of ctxkit"):
        trust_hooks(make_server(tmp_path / "codex", ["other"]), "own", str(tmp_path))
