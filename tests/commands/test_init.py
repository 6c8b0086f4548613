"""ctxkit init: the settings of an agent host, changed and changed back."""

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Run

FILES = {
    "empty": b"",
    "object": b"{}",
    "inline": b'{"model": "opus"}\n',
    "indented": b'{\n    "model": "opus",\n    "env": {\n        "A": "1"\n    }\n}\n',
    "comments": b'// mine\n{\n\t"env": {\n\t\t"A": "1", // one\n\t},\n\t/* end */\n}\n',
    "crlf": b'{\r\n  "model": "opus",\r\n  "hooks": {"PreToolUse": []}\r\n}\r\n',
    "bom": b'\xef\xbb\xbf{\n  "env": {}\n}\n',
    "no newline": b'{\n  "permissions": {"deny": ["Bash(rm:*)"]}\n}',
    "unicode": '{"statusLine": "é – 漢"}\n'.encode(),
}
BROKEN = {"json": b'{"env": ', "text": b"not json", "bytes": b'{"a": "\xff"}', "array": b"[]", "env": b'{"env": 5}'}


@pytest.fixture
def path(home: dict[str, str]) -> Path:
    path = Path(home["HOME"]) / ".claude" / "settings.json"
    path.parent.mkdir()
    return path


@pytest.fixture
def script(home: dict[str, str]) -> Path:
    return Path(home["HOME"]) / ".claude" / "ctxkit-prefix"


@pytest.fixture
def directory(home: dict[str, str]) -> Path:
    return Path(home["XDG_DATA_HOME"]) / "ctxkit" / "hosts" / "claude-code"


def init(run: Run, *args: str, status: int = 0) -> str:
    done = run("init", "claude-code", *args)
    assert done.status == status, done.err
    return done.out.decode() + done.err


@pytest.mark.parametrize("name", FILES)
def test_a_setup_adds_one_member_and_its_removal_restores_each_byte(run: Run, path: Path, script: Path, directory: Path, name: str) -> None:
    path.write_bytes(FILES[name])
    path.chmod(0o640)
    init(run, "--yes")
    assert f'"CLAUDE_CODE_SHELL_PREFIX": "{script}"' in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.access(script, os.X_OK)
    init(run, "--remove", "--yes")
    assert path.read_bytes() == FILES[name]
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.json"]
    assert not directory.parent.exists()


def test_settings_that_did_not_exist_go_again(run: Run, home: dict[str, str], script: Path, directory: Path) -> None:
    path = Path(home["HOME"]) / ".claude" / "settings.json"
    init(run, "--yes")
    value = json.loads(path.read_bytes())
    assert value["env"] == {"CLAUDE_CODE_SHELL_PREFIX": str(script)}
    command = f"[ ! -x {directory}/hook ] || {directory}/hook"
    entry = {"hooks": [{"type": "command", "command": command, "timeout": 10}]}
    assert value["hooks"] == {
        "PreCompact": [entry],
        "SessionStart": [{"matcher": "compact", **entry}],
        "UserPromptSubmit": [entry],
        "PostToolUse": [{"matcher": "mcp__.*|Agent|Grep|Read|Task|WebFetch", **entry}],
    }
    init(run, "--remove", "--yes")
    assert not path.exists()


def test_what_others_added_since_stays(run: Run, path: Path) -> None:
    path.write_text('{\n  "env": {\n    "A": "1"\n  }\n}\n')
    init(run, "--yes")
    hooks = {"PostToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "audit"}]}]}
    value = json.loads(path.read_bytes())
    path.write_text(json.dumps({**value, "hooks": {**value["hooks"], **hooks}}, indent=2))
    init(run, "--remove", "--yes")
    assert json.loads(path.read_bytes()) == {"env": {"A": "1"}, "hooks": hooks}
    assert (path.parent / "settings.json.before-ctxkit").read_text() == '{\n  "env": {\n    "A": "1"\n  }\n}\n'


def test_an_old_backup_is_not_taken_for_the_settings(run: Run, path: Path) -> None:
    backup = path.parent / "settings.json.before-ctxkit"
    backup.write_text('{"old": true}')
    path.write_text('{"new": true}')
    init(run, "--yes")
    init(run, "--remove", "--yes")
    assert json.loads(path.read_bytes())["new"] is True
    assert backup.read_text() == '{"old": true}'


@pytest.mark.parametrize("name", BROKEN)
def test_settings_that_cannot_be_read_stay_as_they_are(run: Run, path: Path, script: Path, name: str) -> None:
    path.write_bytes(BROKEN[name])
    for flags in (("--yes",), ("--remove", "--yes")):
        if name not in ("array", "env") or "--remove" not in flags:
            message = init(run, *flags, status=65)
            assert message.startswith((f"ctxkit: {path}: ", f"ctxkit: {path} is not UTF-8: byte "))
    assert path.read_bytes() == BROKEN[name]
    assert not script.exists()
    assert len(list(path.parent.iterdir())) == 1


def test_another_program_in_its_place_is_refused(run: Run, path: Path) -> None:
    path.write_text('{"env": {"CLAUDE_CODE_SHELL_PREFIX": "/usr/bin/other"}}')
    assert "sets CLAUDE_CODE_SHELL_PREFIX to '/usr/bin/other'" in init(run, "--yes", status=2)
    assert "nothing to remove" in init(run, "--remove", "--yes")
    assert path.read_text() == '{"env": {"CLAUDE_CODE_SHELL_PREFIX": "/usr/bin/other"}}'


@pytest.mark.parametrize(("flags", "status"), [((), 1), (("--dry-run",), 0)])
def test_without_consent_nothing_changes(run: Run, path: Path, script: Path, flags: tuple[str, ...], status: int) -> None:
    path.write_text("{}\n")
    printed = init(run, *flags, status=status)
    assert f'+    "CLAUDE_CODE_SHELL_PREFIX": "{script}"\n' in printed
    assert "+exec sh -c" in printed
    assert path.read_text() == "{}\n"
    assert not script.exists()


def test_a_second_setup_changes_nothing(run: Run, path: Path) -> None:
    init(run, "--yes")
    before = path.read_bytes()
    assert "already set up" in init(run, "--yes")
    assert path.read_bytes() == before


def test_a_script_that_is_gone_comes_back(run: Run, path: Path, script: Path) -> None:
    init(run, "--yes")
    script.unlink()
    init(run, "--yes")
    assert script.exists()


def test_a_link_to_the_settings_stays_a_link(run: Run, path: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text('{"a": 1}\n')
    path.symlink_to(real)
    init(run, "--yes")
    assert path.is_symlink()
    assert "CLAUDE_CODE_SHELL_PREFIX" in real.read_text()
    init(run, "--remove", "--yes")
    assert path.is_symlink()
    assert real.read_text() == '{"a": 1}\n'


def test_the_project_and_the_directory_of_the_host_are_honoured(run: Run, tmp_path: Path, script: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    local = project / ".claude" / "settings.local.json"
    assert run("init", "claude-code", "--project", "--yes", cwd=project).status == 0
    assert local.exists()
    env = {"CLAUDE_CONFIG_DIR": str(tmp_path / "config")}
    assert run("init", "claude-code", "--yes", env=env).status == 0
    rows = [json.loads(line) for line in run("init", "--list", "--json", env=env, cwd=project).out.splitlines()]
    rows = [row for row in rows if row["host"] == "claude-code"]
    assert [(row["scope"], row["active"]) for row in rows] == [("user", True), ("project", True)]
    assert run("init", "claude-code", "--project", "--remove", "--yes", cwd=project).status == 0
    assert not local.parent.exists()
    assert not script.exists()
    assert (tmp_path / "config" / script.name).exists()
    assert run("init", "claude-code", "--remove", "--yes", env=env).status == 0
    assert not (tmp_path / "config").exists()


def test_a_link_out_of_the_project_is_refused(run: Run, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".claude").mkdir(parents=True)
    (project / ".claude" / "settings.local.json").symlink_to(tmp_path / "elsewhere")
    done = run("init", "claude-code", "--project", "--yes", cwd=project)
    assert (done.status, done.out) == (2, b"")
    assert "is a link out of the project" in done.err
    assert not (tmp_path / "elsewhere").exists()
    assert run("init", "--list", cwd=project).status == 0


def test_a_rival_in_the_hooks_is_named(run: Run, path: Path) -> None:
    path.write_text('{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "/opt/rtk hook"}]}]}}')
    assert "calls rtk too" in init(run, "--dry-run")


def shell_script(command: str, folder: Path) -> str:
    return f"true && eval '{command}' < /dev/null && pwd -P >| {folder}/claude-x-cwd"


@pytest.mark.slow
def test_the_script_runs_commands_through_ctxkit_and_others_without(
    run: Run, home: dict[str, str], path: Path, script: Path, tmp_path: Path
) -> None:
    init(run, "--yes")

    def call(argument: str, **env: str) -> tuple[int, bytes]:
        environment = {**home, "SHELL": "/bin/bash", **env}
        done = subprocess.run([script, argument], capture_output=True, env=environment, cwd=tmp_path)
        return done.returncode, done.stdout

    raw = b"".join(b"%d\n" % number for number in range(1, 50_001))
    status, shown = call(shell_script("seq 50000; exit 3", tmp_path))
    assert (status, shown[:40]) == (3, b"Exit status 3\n# seq 50000; exit 3 (50,00")
    assert call("seq 50000") == (0, raw)
    assert call(shell_script("seq 50000", tmp_path), CTXKIT_DISABLE="1") == (0, raw)
    assert call(shell_script('echo "$BASH_VERSION"', tmp_path), CTXKIT_DISABLE="1")[1] != b"\n"
    assert len(call(shell_script("seq 50000", tmp_path), CTXKIT_DISABLE="False")[1]) < len(raw) / 2
    script.write_text(script.read_text().replace("\nctxkit=", "\nctxkit=/gone"))
    assert call(shell_script("seq 50000", tmp_path)) == (0, raw)


def test_any_other_agent_gets_text(run: Run) -> None:
    done = run("init", "generic")
    assert done.status == 0
    assert b"ctxkit run -- COMMAND" in done.out
    assert b"mcpServers" not in done.out
    assert run("init", "generic", "--mcp").out.startswith(done.out)


def test_a_host_without_a_setup_gets_the_lines_to_paste(run: Run) -> None:
    text = run("init", "zed").out.decode()
    assert '"context_servers"' in text
    assert "https://zed.dev/docs/ai/mcp" in text
    assert '"ctxkit": {' in run("init", "zed", "--mcp").out.decode()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "missing argument: HOST"),
        (("emacs",), "'emacs' is not"),
        (("--list", "--yes"), "--list cannot be combined"),
        (("claude-code", "--list"), "--list cannot be combined"),
        (("claude-code", "--json"), "--json is for --list"),
        (("generic", "--remove"), "changes no file"),
        (("generic", "--project"), "changes no file"),
        (("goose", "--yes"), "changes no file"),
    ],
)
def test_a_wrong_command_line_is_an_error(run: Run, args: tuple[str, ...], message: str) -> None:
    done = run("init", *args)
    assert done.status == 2
    assert message in done.err


def test_the_hook_of_codex_gates_what_its_shell_prints(run: Run, home: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "codex"
    env = {"CODEX_HOME": str(folder)}
    done = run("init", "codex", "--yes", env=env)
    assert (done.status, "run /hooks in Codex" in done.err) == (0, True)
    value = json.loads((folder / "hooks.json").read_bytes())
    command = value["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    typed = json.dumps(
        {"hook_event_name": "PreToolUse", "session_id": "a", "tool_input": {"command": "seq 50000; exit 3"}}
    )
    answer = subprocess.run(["sh", "-c", command], input=typed.encode(), capture_output=True, env=home).stdout
    script = json.loads(answer)["hookSpecificOutput"]["updatedInput"]["command"]
    shell = subprocess.run(["bash", "-lc", script], capture_output=True, env=home)
    assert shell.returncode == 3
    assert shell.stdout.startswith(b"Exit status 3\n# seq 50000; exit 3 (50,000 lines")
    assert run("init", "codex", "--remove", "--yes", env=env).status == 0
    assert not folder.exists()
    plain = subprocess.run(["bash", "-lc", script], capture_output=True, env=home)
    assert (plain.returncode, plain.stdout.count(b"\n")) == (3, 50_000)


def test_trust_needs_codex(run: Run) -> None:
    done = run("init", "codex", "--yes", "--trust", env={"PATH": "/nowhere"})
    assert (done.status, done.err.splitlines()[-1]) == (69, "ctxkit: codex app-server: [Errno 2] No such file or directory: 'codex'")
    assert run("init", "claude-code", "--trust").status == 2


def test_the_list_says_what_happens_without_ctxkit(run: Run) -> None:
    rows = [json.loads(line) for line in run("init", "--list", "--json").out.splitlines()]
    assert {row["host"] for row in rows} >= {"claude-code", "codex"}
    assert {row["without_ctxkit"] for row in rows if row["host"] == "codex"} == {"Codex runs its commands without ctxkit"}
    run("init", "codex", "--yes")
    done = run("init", "--list")
    assert b"codex" in done.out
    assert "Codex runs its commands without ctxkit" in done.err


JSON_HOSTS = {"codex": ".codex/hooks.json", "gemini": ".gemini/settings.json"}


@pytest.mark.quick_cases(12)
@pytest.mark.parametrize("host", JSON_HOSTS)
@pytest.mark.parametrize("name", [*FILES, *BROKEN])
def test_settings_of_each_host_are_restored_or_untouched(run: Run, home: dict[str, str], host: str, name: str) -> None:
    path = Path(home["HOME"]) / JSON_HOSTS[host]
    path.parent.mkdir()
    data = {**FILES, **BROKEN, "env": b'{"hooks": 5}'}[name]
    path.write_bytes(data)
    assert run("init", host, "--yes").status == (65 if name in BROKEN else 0)
    assert (path.read_bytes() == data) == (name in BROKEN)
    if name not in BROKEN:
        assert run("init", host, "--remove", "--yes").status == 0
    assert path.read_bytes() == data
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("host", JSON_HOSTS)
def test_hooks_of_others_stay_in_each_host(run: Run, home: dict[str, str], host: str) -> None:
    path = Path(home["HOME"]) / JSON_HOSTS[host]
    run("init", host, "--yes")
    value = json.loads(path.read_bytes())
    event = next(iter(value["hooks"]))
    theirs = {"matcher": ".*", "hooks": [{"type": "command", "command": "audit"}]}
    value["hooks"][event].insert(0, theirs)
    path.write_text(json.dumps(value))
    run("init", host, "--remove", "--yes")
    assert json.loads(path.read_bytes()) == {"hooks": {event: [theirs]}}


@pytest.mark.parametrize("host", ["cline", "copilot", "mini-swe-agent", "opencode", "pi"])
def test_a_file_of_another_program_is_refused(run: Run, host: str) -> None:
    assert run("init", host, "--yes").status == 0
    rows = [json.loads(line) for line in run("init", "--list", "--json").out.splitlines()]
    (path,) = [Path(row["settings"]) for row in rows if row["host"] == host]
    assert run("init", host, "--remove", "--yes").status == 0
    assert not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("theirs\n")
    done = run("init", host, "--yes")
    assert (done.status, "is not a file of ctxkit" in done.err) == (2, True)
    assert "nothing to remove" in run("init", host, "--remove", "--yes").err
    assert path.read_text() == "theirs\n"
    assert run("init", host, "--project", "--yes").status == 2


def test_a_file_that_cannot_be_written_is_an_error(run: Run, home: dict[str, str]) -> None:
    (Path(home["HOME"]) / ".codex").write_text("in the way")
    assert run("init", "codex", "--yes").status in (66, 74)
    assert (Path(home["HOME"]) / ".codex").read_text() == "in the way"
