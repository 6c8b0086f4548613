"""Hosts whose shell reads a script in front of each command, headless against a scripted model."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest

from tests.harness.scripted_model import ScriptedModel

ROOT = Path(__file__).parents[2]
PROGRAMS = os.environ.get("AGENT_HOSTS", str(ROOT / ".venv" / "hosts" / "node_modules" / ".bin"))
pytestmark = pytest.mark.harness
LONG = "seq -f 'line %.0f of a long and boring output, again' 5000; echo 'error: disk full' >&2; exit 4"
COMMANDS = (
    *("factor 12", "pwd; printf 'a\\tb  \\n\\nit'\"'\"'s \\303\\251\\n'", "echo err >&2; exit 3", "false | cat"),
    *("cat <<'EOF'\n$x y\nEOF", "trap 'echo mine' EXIT; echo a; exit 5", "exec seq 3", "cat; nosuch", "cd sub && pwd", "pwd"),
)
"""Commands that print little; a rule forbids the first."""


class HostCase(NamedTuple):
    """How a host is configured and started, and which tool runs commands; ``noise`` differs from run to run."""

    name: str
    program: str
    tool: str
    key: str
    configure: Callable[[Path, Path, str], dict[str, str]]
    args: tuple[str, ...]
    noise: str = "$^"


def configure_codex(home: Path, _project: Path, address: str) -> dict[str, str]:
    (home / ".codex" / "rules").mkdir(parents=True, exist_ok=True)
    (home / ".codex" / "rules" / "default.rules").write_text('prefix_rule(pattern=["factor"], decision="forbidden")')
    config = home / ".codex" / "config.toml"
    trust = "[hooks.state" + config.read_text().partition("[hooks.state")[2] if config.exists() else ""
    provider = f'name = "local"\nbase_url = "{address}/v1"\nwire_api = "responses"\nenv_key = "KEY"\n'
    config.write_text(f'model = "gpt-5.4"\nmodel_provider = "local"\n[model_providers.local]\n{provider}{trust.removesuffix("[hooks.state")}')
    return {"KEY": "none"}


def configure_gemini(home: Path, _project: Path, address: str) -> dict[str, str]:
    (home / ".gemini" / "policies").mkdir(parents=True, exist_ok=True)
    rule = 'toolName = "run_shell_command"\ncommandPrefix = "factor"\ndecision = "deny"\npriority = 900\n'
    (home / ".gemini" / "policies" / "deny.toml").write_text(f"[[rule]]\n{rule}")
    settings = home / ".gemini" / "settings.json"
    value = json.loads(settings.read_bytes()) if settings.exists() else {}
    settings.write_text(json.dumps({**value, "security": {"auth": {"selectedType": "gemini-api-key"}}}))
    return {"GOOGLE_GEMINI_BASE_URL": address, "GEMINI_API_KEY": "none"}


def configure_copilot(_home: Path, _project: Path, address: str) -> dict[str, str]:
    names = {"BASE_URL": f"{address}/v1", "TYPE": "openai", "API_KEY": "none"}
    provider = {f"COPILOT_PROVIDER_{name}": value for name, value in names.items()}
    return {**provider, "COPILOT_MODEL": "scripted", "COPILOT_OFFLINE": "true"}


def configure_opencode(_home: Path, project: Path, address: str) -> dict[str, str]:
    models = {"scripted": {"name": "scripted", "limit": {"context": 32_000, "output": 4_000}}}
    options = {"baseURL": f"{address}/v1", "apiKey": "none"}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "local", "options": options, "models": models}
    config: dict[str, Any] = dict.fromkeys(("model", "small_model"), "local/scripted")
    config |= {"permission": {"bash": {"*": "allow", "factor *": "deny"}}, "provider": {"local": provider}}
    (project / "opencode.json").write_text(json.dumps(config))
    return {f"OPENCODE_DISABLE_{name}": "1" for name in ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD")}


def configure_pi(home: Path, _project: Path, address: str) -> dict[str, str]:
    (home / ".pi" / "agent").mkdir(parents=True, exist_ok=True)
    models = [{"id": "scripted", "contextWindow": 32_000, "maxTokens": 4_000}]
    provider = {"baseUrl": f"{address}/v1", "api": "openai-completions", "apiKey": "none", "models": models}
    (home / ".pi" / "agent" / "models.json").write_text(json.dumps({"providers": {"local": provider}}))
    return {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1"}


CASES = [
    HostCase(
        *("codex", "codex", "exec_command", "cmd", configure_codex),
        ("exec", "--skip-git-repo-check", "--sandbox", "workspace-write", "run it"),
        r"Chunk ID: \w+\nWall time: [\d.]+ seconds\n",
    ),
    HostCase(
        *("gemini", "gemini", "run_shell_command", "command", configure_gemini),
        ("-p", "run it", "--yolo", "-m", "gemini-2.5-pro", "--skip-trust"),
        r"Process Group PGID: \d+|\n*\[System\] Tool input parameters were modified by a hook before execution\.",
    ),
    HostCase(
        *("copilot", "copilot", "bash", "command", configure_copilot),
        ("-p", "run it", "--allow-all-tools", "--deny-tool", "shell(factor)"),
    ),
    HostCase(*("opencode", "opencode", "bash", "command", configure_opencode), ("run", "run it")),
    HostCase(*("pi", "pi", "bash", "command", configure_pi), ("-p", "--provider", "local", "--model", "scripted", "run it")),
]


class StartedHost:
    """A host with a home and a project of its own."""

    def __init__(self, case: HostCase, folder: Path, ctxkit: str) -> None:
        self.case, self.project, self.home, self.ctxkit = case, folder / "project", folder / "home", ctxkit
        for path in (self.project / "sub", self.home, folder / "temporary"):
            path.mkdir(parents=True)
        subprocess.run(["git", "init", "-q"], cwd=self.project, check=True)
        self.env = {"HOME": str(self.home), "TMPDIR": str(folder / "temporary"), "LANG": "C.UTF-8"}
        self.env["PATH"] = f"{PROGRAMS}:{os.environ['PATH']}"

    def init(self, *args: str) -> str:
        """Let ctxkit set the host up, and return what it says."""
        argv = [self.ctxkit, "init", self.case.name, "--yes", *args]
        return subprocess.run(argv, env=self.env, capture_output=True, text=True, check=True, timeout=60).stderr

    def show(self, *commands: str) -> list[str]:
        """Let the host run commands, and return what the model sees of each."""
        calls = [(self.case.tool, {self.case.key: text, "description": "x"}) for text in commands]
        with ScriptedModel(calls) as model:
            env = {**self.env, **self.case.configure(self.home, self.project, model.address)}
            argv = [str(shutil.which(self.case.program, path=PROGRAMS)), *self.case.args]
            done = subprocess.run(argv, env=env, cwd=self.project, stdin=subprocess.DEVNULL, capture_output=True, timeout=180)
        assert len(model.results) == len(commands), done.stdout + done.stderr
        return [re.sub(self.case.noise, "", text) for text in model.results]


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def host(request: Any, ctxkit: str) -> Iterator[StartedHost]:
    """Yield a host outside /tmp and /dev/shm, which sandboxes of hosts treat in their own way."""
    case: HostCase = request.param
    if not shutil.which(case.program, path=PROGRAMS):
        pytest.skip(f"{case.program} is not installed: make test-harness installs it")
    with TemporaryDirectory(dir="/var/tmp", ignore_cleanup_errors=True) as folder:
        yield StartedHost(case, Path(folder), ctxkit)


def init_with_trust(host: StartedHost) -> None:
    assert "its commands through ctxkit" in host.init(*(["--trust"] if host.case.name == "codex" else []))


def test_small_output_statuses_directories_and_rules_are_as_without_ctxkit(host: StartedHost) -> None:
    plain = host.show(*COMMANDS)
    init_with_trust(host)
    seen = [re.sub(r"test -r \S+wrap\.sh && \. \S+wrap\.sh; ", "", text) for text in host.show(*COMMANDS)]
    assert seen == plain
    if host.case.name != "pi":  # which has no rules
        assert "12: 2 2 3" not in plain[0]
    assert f"{host.project}/sub" in plain[8]


def test_long_output_is_a_map_and_the_host_works_without_ctxkit(host: StartedHost) -> None:
    init_with_trust(host)
    (seen,) = host.show(LONG)
    assert "Exit status 4" in seen
    assert "error: disk full" in seen
    assert "line 5000 of a long" in seen
    assert len(seen) < 12_000
    ref = re.search(r"ctxkit cache get (\w+) --lines", seen)
    assert ref
    part = subprocess.run([host.ctxkit, "cache", "get", ref[1], "--lines", "2500"], env=host.env, capture_output=True, check=True)
    assert part.stdout == b"line 2500 of a long and boring output, again\n"
    scripts = host.home / ".local" / "share" / "ctxkit" / "hosts" / host.case.name
    for script in scripts.iterdir():
        if script.name != "setup.json":
            script.write_text(script.read_text().replace(host.ctxkit, "/gone/ctxkit"))
    assert "1\n2\n3" in host.show("seq 3")[0]
    shutil.rmtree(scripts.parent)
    assert "1\n2\n3" in host.show("seq 3")[0]
    host.init("--remove")
    assert "1\n2\n3" in host.show("seq 3")[0]
    assert not any("hosts/" + host.case.name in path.read_text() for path in list_settings(host))


def list_settings(host: StartedHost) -> list[Path]:
    names = ("hooks.json", "settings.json", "ctxkit.json", "ctxkit.js")
    return [path for name in names for path in host.home.rglob(name) if "node_modules" not in path.parts]


@pytest.mark.parametrize("host", CASES[:1], ids=lambda case: case.name, indirect=True)
def test_facts_of_a_session_come_back_after_the_compaction_of_codex(host: StartedHost) -> None:
    init_with_trust(host)
    with ScriptedModel([("exec_command", {"cmd": "cat missing.cfg"})] * 2, forgets=True) as model:
        env = {**host.env, **host.case.configure(host.home, host.project, model.address)}
        config = host.home / ".codex" / "config.toml"
        config.write_text(f"model_auto_compact_token_limit = 500\n{config.read_text()}")
        argv = [str(shutil.which("codex", path=PROGRAMS)), *host.case.args[:-1], "Port 8080 is taken, always use 8099. Start it."]
        subprocess.run(argv, env=env, cwd=host.project, stdin=subprocess.DEVNULL, capture_output=True, timeout=180)
    request = json.dumps(model.requests[-1])
    assert "ctxkit extracted these facts from the session before its compaction." in request
    assert "always use 8099" in request
    assert "cat missing.cfg" in request
