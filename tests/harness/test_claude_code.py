"""Claude Code itself, headless, against a scripted model: what the model sees of commands that run through ctxkit."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctxkit.edge.host_trial import ScriptedModel
from tests.harness.cases import SERVER

ROOT = Path(__file__).parents[2]
CLAUDE = shutil.which(
    "claude", path=os.environ.get("AGENT_HOSTS", str(ROOT / ".venv" / "hosts" / "node_modules" / ".bin"))
)
pytestmark = [
    pytest.mark.harness,
    pytest.mark.skipif(not CLAUDE, reason="Claude Code is not installed: make test-harness installs it"),
]
Host = Callable[..., list[str]]
Start = Callable[..., None]
Home = dict[str, str]


@pytest.fixture
def settings(home: Home) -> Path:
    path = Path(home["HOME"]) / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{\n  "permissions": {"allow": ["Bash", "Read"], "deny": ["Bash(factor:*)"]}\n}\n')
    return path


@pytest.fixture
def start(home: Home, tmp_path: Path) -> Start:
    """Return a function that starts the host with arguments, in a project of its own."""
    project = tmp_path / "project"
    project.mkdir()

    def start_host(model: ScriptedModel, *args: str) -> None:
        env = {
            **{name: home[name] for name in ("PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_DATA_HOME")},
            "ANTHROPIC_BASE_URL": model.address,
            "ANTHROPIC_API_KEY": "sk-none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "LANG": "C.UTF-8",
        }
        argv = [str(CLAUDE), *args]
        done = subprocess.run(argv, env=env, cwd=project, stdin=subprocess.DEVNULL, capture_output=True, timeout=90)
        assert done.returncode == 0, done.stdout + done.stderr

    return start_host


@pytest.fixture
def host(start: Start) -> Host:
    """Return a function that lets the host run commands, and returns what the model sees of each."""

    def run_host(*calls: str | tuple[str, dict[str, Any]]) -> list[str]:
        steps = [("Bash", {"command": call, "description": "x"}) if isinstance(call, str) else call for call in calls]
        with ScriptedModel(steps) as model:
            start(model, "-p", "run it")
        assert len(model.results) == len(calls)
        return model.results

    return run_host


@pytest.fixture
def ctxkit_init(ctxkit: str, home: Home, settings: Path) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    def run_init(*args: str) -> "subprocess.CompletedProcess[str]":
        argv = [ctxkit, "init", "claude-code", "--yes", *args]
        return subprocess.run(argv, env=home, capture_output=True, text=True, check=True)

    return run_init


def test_long_output_arrives_as_a_map_with_its_status_and_its_end(host: Host, ctxkit_init: Callable[..., Any]) -> None:
    ctxkit_init()
    command = "for n in $(seq 4000); do echo \"line $n of a long and boring output, again\"; done; echo 'error: disk full' >&2; exit 3"
    (seen,) = host(command)
    assert "Exit status 3" in seen
    assert "error: disk full" in seen
    assert "line 1 of a long" in seen
    assert "rises from 2 to 4000" in seen
    assert "ctxkit cache get" in seen
    assert len(seen) < 12_000


def test_directory_status_and_short_output_are_as_without_ctxkit(host: Host, ctxkit_init: Callable[..., Any]) -> None:
    commands = (
        *("mkdir -p sub && cd sub", "pwd; printf 'a\\tb  \\n\\nit'\"'\"'s \\303\\251\\n'", "exit 3", "false | cat; echo err >&2"),
        *("export A=1; echo $A", "cd /nonexistent"),
    )
    plain = host(*commands)
    ctxkit_init()
    assert host(*commands) == plain
    assert plain[1].splitlines()[0].endswith("/project/sub")


def test_a_forbidden_command_stays_forbidden(host: Host, ctxkit_init: Callable[..., Any]) -> None:
    plain = host("factor 12", "seq 2")
    ctxkit_init()
    assert host("factor 12", "seq 2") == plain
    assert "12: 2 2 3" not in plain[0]
    assert plain[1] == "1\n2"


def test_a_file_that_is_read_for_an_edit_arrives_raw(host: Host, ctxkit_init: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "project" / "long.py"
    file.write_text("".join(f"value_{number} = {number}\n" for number in range(1500)))
    ctxkit_init()
    (seen,) = host(("Read", {"file_path": str(file)}))
    assert "value_1499 = 1499" in seen
    assert "ctxkit" not in seen


def test_the_host_works_without_ctxkit_and_after_the_removal(
    host: Host, ctxkit_init: Callable[..., Any], home: Home, settings: Path
) -> None:
    before = settings.read_bytes()
    script = settings.parent / "ctxkit-prefix"
    printed = ctxkit_init().stderr
    assert f"Claude Code runs its commands as before; it runs none if {script} is deleted" in printed
    text = script.read_text()
    script.write_text(text.replace("\nctxkit=", "\nctxkit=/gone"))
    assert host("seq 3; exit 2") == ["Exit code 2\n1\n2\n3"]
    script.write_text(text)
    value = json.loads(settings.read_bytes())
    hook = {"matcher": "Bash", "hooks": [{"type": "command", "command": "cat > /dev/null"}]}
    settings.write_text(json.dumps({**value, "hooks": {**value["hooks"], "PostToolUse": [hook]}}))
    ctxkit_init("--remove")
    assert not script.exists()
    assert json.loads(settings.read_bytes()) == {**json.loads(before), "hooks": {"PostToolUse": [hook]}}
    assert host("seq 3") == ["1\n2\n3"]


def test_commands_hooks_and_servers_run_if_all_data_of_ctxkit_are_deleted(
    start: Start, ctxkit_init: Callable[..., Any], home: Home, settings: Path, tmp_path: Path
) -> None:
    """With the directory of the scripts, as of a user who takes it for a cache; ctxkit itself makes a new one."""
    ran = tmp_path / "hook ran"
    hook = {"hooks": [{"type": "command", "command": f"touch '{ran}'"}]}
    settings.write_text(json.dumps({**json.loads(settings.read_bytes()), "hooks": {"UserPromptSubmit": [hook]}}))
    ctxkit_init()
    shutil.rmtree(Path(home["XDG_DATA_HOME"]) / "ctxkit")
    (tmp_path / "server.py").write_text(SERVER)
    server = {"command": sys.executable, "args": [str(tmp_path / "server.py")]}
    (Path(home["HOME"]) / ".claude.json").write_text(json.dumps({"mcpServers": {"db": server}}))
    calls = [
        ("Bash", {"command": "seq 3; exit 2", "description": "x"}),
        ("ToolSearch", {"query": "select:mcp__db__dump"}),
        ("mcp__db__dump", {"rows": 1}),
    ]
    with ScriptedModel(calls) as model:
        start(model, "-p", "run it", "--allowedTools", "mcp__db")
    assert (model.results[0], model.results[2]) == ("Exit code 2\n1\n2\n3", "row 0 of a long table\n")
    assert ran.exists()


def test_settings_of_the_first_version_work_and_are_removed(
    host: Host, ctxkit_init: Callable[..., Any], home: Home, settings: Path
) -> None:
    """They name the script in the data directory, which was the place before."""
    before, script = settings.read_bytes(), settings.parent / "ctxkit-prefix"
    ctxkit_init()
    old = Path(home["XDG_DATA_HOME"]) / "ctxkit" / "hosts" / "claude-code" / "prefix"
    shutil.move(script, old)
    settings.write_text(settings.read_text().replace(str(script), str(old)))
    assert "ctxkit cache get" in host("seq 30000")[0]
    ctxkit_init()
    assert json.loads(settings.read_bytes())["env"]["CLAUDE_CODE_SHELL_PREFIX"] == str(script)
    assert "ctxkit cache get" in host("seq 30000")[0]
    ctxkit_init("--remove")
    assert json.loads(settings.read_bytes()) == json.loads(before)
    assert not script.exists()
    assert not old.exists()


def test_facts_of_the_session_come_back_after_a_compaction(start: Start, ctxkit_init: Callable[..., Any]) -> None:
    ctxkit_init()
    with ScriptedModel([("Bash", {"command": "cat missing.cfg", "description": "x"})]) as model:
        start(model, "-p", "Port 8080 is taken, always use 8099. Start the server.")
        start(model, "-c", "-p", "/compact")
        model.requests.clear()
        start(model, "-c", "-p", "go on")
        request = json.dumps(model.requests[-1]["messages"])
    assert "ctxkit extracted these facts from the session before its compaction." in request
    assert "always use 8099" in request
    assert "cat missing.cfg" in request


def test_a_long_result_of_a_server_is_a_map_and_a_short_one_is_whole(
    start: Start, ctxkit_init: Callable[..., Any], home: Home, tmp_path: Path
) -> None:
    ctxkit_init()
    (tmp_path / "server.py").write_text(SERVER)
    server = {"command": sys.executable, "args": [str(tmp_path / "server.py")]}
    (Path(home["HOME"]) / ".claude.json").write_text(json.dumps({"mcpServers": {"db": server}}))
    calls = [("ToolSearch", {"query": "select:mcp__db__dump"}), *(("mcp__db__dump", {"rows": rows}) for rows in (3, 2_500))]
    with ScriptedModel(calls) as model:
        start(model, "-p", "run it", "--allowedTools", "mcp__db")
    _, short, long = model.results
    assert short == "".join(f"row {number} of a long table\n" for number in range(3))
    assert "# mcp__db__dump (2,500 lines" in long
    assert "ctxkit cache get" in long
    assert len(long) < 10_000


class TeamModel(ScriptedModel):
    """Lets an agent start two others, which run a long command each; ``seen`` is what each of these sees."""

    def __init__(self) -> None:
        names = ("first", "second")
        starts = [{"description": name, "prompt": f"You are the {name} helper.", "subagent_type": "general-purpose"} for name in names]
        super().__init__([("Agent", start) for start in starts])
        self.seen: dict[str, list[str]] = {}

    def choose_call(self, body: dict[str, Any], results: list[str], tools: list[str]) -> Any:
        opening = json.dumps(body["messages"][0])
        name = next((name for name in ("first", "second") if f"You are the {name} helper." in opening), "")
        if not name:
            return super().choose_call(body, results, tools)
        self.seen[name] = results
        command = f"seq -f '{name} line %.0f of a long and boring output' 5000; exit 3"
        return ("Bash", {"command": command, "description": "x"}) if not results and "Bash" in tools else None


def test_two_subagents_see_a_map_each(start: Start, ctxkit_init: Callable[..., Any]) -> None:
    ctxkit_init()
    team = TeamModel()
    with team as model:
        start(model, "-p", "run it", "--allowedTools", "Agent,Bash")
    assert set(team.seen) == {"first", "second"}, model.tools
    for name, results in team.seen.items():
        assert [f"{name} line 5000 of a long" in text and "Exit status 3" in text and len(text) < 12_000 for text in results] == [True]
    assert len(model.results) == 2


def test_long_results_of_the_tools_of_the_host_are_maps_and_files_stay(
    start: Start, ctxkit_init: Callable[..., Any], tmp_path: Path
) -> None:
    project = tmp_path / "project"
    for number in range(40):
        (project / f"part{number}.py").write_text("".join(f"value_{at} = 'a long and boring text'\n" for at in range(200)))
    packages = {f"package-{number}": {"version": f"1.0.{number}", "license": "MIT"} for number in range(2_000)}
    (project / "package-lock.json").write_text(json.dumps({"lockfileVersion": 3, "packages": packages}, indent=1))
    ctxkit_init()
    calls = [
        ("Grep", {"pattern": "value_1", "output_mode": "content", "head_limit": 0}),
        ("Grep", {"pattern": "value_1", "path": str(project / "part3.py"), "output_mode": "content"}),
        ("Read", {"file_path": str(project / "part3.py")}),
        ("Read", {"file_path": str(project / "package-lock.json")}),
        ("Read", {"file_path": str(project / "package-lock.json"), "offset": 5, "limit": 3}),
    ]
    with ScriptedModel(calls) as model:
        start(model, "-p", "run it", "--allowedTools", "Grep,Read")
    many, few, source, lock, part = model.results
    assert "# Grep (" in many
    assert "ctxkit cache get" in many
    assert len(many) < 12_000
    assert "ctxkit" not in few
    assert "value_199" in few
    assert "ctxkit" not in source
    assert "value_199" in source
    assert "package-lock.json (" in lock
    assert "ctxkit cache get" in lock
    assert len(lock) < 12_000
    assert "ctxkit" not in part
    assert "1.0.0" in part
