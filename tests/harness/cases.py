"""Hosts whose shell reads a script in front of each command: how each is configured and started."""

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ctxkit.core.hosts.trials import Call
from ctxkit.edge.host_trial import ScriptedModel

ROOT = Path(__file__).parents[2]
PROGRAMS = os.environ.get("AGENT_HOSTS", str(ROOT / ".venv" / "hosts" / "node_modules" / ".bin"))
SEARCHED = f"{PROGRAMS}:{ROOT}/.venv/hosts/mini/bin"
"""Where the programs of the hosts are looked for; a host's own PATH has no second Python."""
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
"""What ends a task of mini-swe-agent."""

SERVER = """
import json, sys
TOOL = {"name": "dump", "inputSchema": {"type": "object"}}
for line in sys.stdin:
    message = json.loads(line)
    rows = "".join(f"row {number} of a long table\\n" for number in range(message.get("params", {}).get("arguments", {}).get("rows", 0)))
    results = {
        "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "db", "version": "1"}},
        "tools/list": {"tools": [TOOL]},
        "tools/call": {"content": [{"type": "text", "text": rows}]},
    }
    if "id" in message:
        result = results.get(message["method"])
        answer = {"result": result} if result else {"error": {"code": -32601, "message": "unknown"}}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
"""
"""An MCP server with a tool that prints rows."""


class HostCase(NamedTuple):
    """How a host is configured and started, and which tool runs commands.

    ``noise`` differs from run to run. ``read`` returns what a command printed from what the model sees. ``last`` are
    the calls that end a task, of which the model sees no result; ``wrapped`` are arguments for commands through ctxkit.
    """

    name: str
    program: str
    tool: str
    key: str
    configure: Callable[[Path, Path, str], dict[str, str]]
    args: tuple[str, ...]
    noise: str = "$^"
    read: Callable[[str], str] = str
    last: Sequence[Call] = ()
    wrapped: tuple[str, ...] = ()


def configure_codex(home: Path, _project: Path, address: str) -> dict[str, str]:
    (home / ".codex" / "rules").mkdir(parents=True, exist_ok=True)
    (home / ".codex" / "rules" / "default.rules").write_text('prefix_rule(pattern=["factor"], decision="forbidden")')
    config = home / ".codex" / "config.toml"
    tables = re.search(r"(?ms)^\[(?:hooks\.state|mcp_servers).*", config.read_text() if config.exists() else "")
    provider = f'name = "local"\nbase_url = "{address}/v1"\nwire_api = "responses"\nenv_key = "KEY"\n'
    config.write_text(f'model = "gpt-5.4"\nmodel_provider = "local"\n[model_providers.local]\n{provider}{tables[0] if tables else ""}')
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


def configure_claude(_home: Path, _project: Path, address: str) -> dict[str, str]:
    return {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "sk-none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}


def configure_qwen(home: Path, _project: Path, address: str) -> dict[str, str]:
    settings = home / ".qwen" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    value = json.loads(settings.read_bytes()) if settings.exists() else {}
    settings.write_text(json.dumps({**value, "security": {"auth": {"selectedType": "openai"}}}))
    return {"OPENAI_BASE_URL": f"{address}/v1", "OPENAI_API_KEY": "none", "OPENAI_MODEL": "scripted"}


def configure_cline(home: Path, project: Path, address: str) -> dict[str, str]:
    path = f"{PROGRAMS}:{os.environ['PATH']}"
    argv = ["cline", "auth", "-p", "openai-compatible", "-k", "none", "-m", "scripted", "-b", f"{address}/v1"]
    env = {"HOME": str(home), "PATH": path, "CLINE_TELEMETRY_DISABLED": "1"}
    subprocess.run(argv, env=env, cwd=project, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=60)
    return {"CLINE_TELEMETRY_DISABLED": "1"}


def configure_mini(home: Path, _project: Path, address: str) -> dict[str, str]:
    names = {"MSWEA_CONFIGURED": "true", "MSWEA_COST_TRACKING": "ignore_errors", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    places = {"PYTHONPATH": f"{home}/.config/mini-swe-agent", "OPENAI_BASE_URL": f"{address}/v1"}
    return {**names, **places, "OPENAI_API_KEY": "none"}


def read_mini(text: str) -> str:
    """Return the status of a command, and what it printed: of long output, both ends and a warning."""
    return "\n".join(map(str, json.loads(text).values()))


def read_cline(text: str) -> str:
    """Return what a command printed, without the heading of stderr: behind the script both are one stream."""
    return str(json.loads(text)[0]["result"]).replace("\n[stderr]\n", "")


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
        ("-p", "run it", "--allow-all-tools", "--allow-all-paths", "--deny-tool", "shell(factor)"),
    ),
    HostCase(*("cline", "cline", "run_commands", "commands", configure_cline), ("run it",), read=read_cline),
    HostCase(*("opencode", "opencode", "bash", "command", configure_opencode), ("run", "run it")),
    HostCase(*("pi", "pi", "bash", "command", configure_pi), ("-p", "--provider", "local", "--model", "scripted", "run it")),
]

"""Hosts that start a hook or a plugin before a command, and need no account."""
CLAUDE = HostCase(*("claude-code", "claude", "Bash", "command", configure_claude), ("-p", "run it", "--allowedTools", "Bash"))
QWEN = HostCase(*("qwen", "qwen", "run_shell_command", "command", configure_qwen), ("-p", "run it", "--yolo"))
MINI = HostCase(
    *("mini-swe-agent", "mini", "bash", "command", configure_mini),
    ("-y", "--exit-immediately", "-t", "run it", "-m", "openai/scripted", "-c", "mini.yaml", "-o", "/dev/null"),
    read=read_mini,
    last=[("bash", {"command": SUBMIT})],
    wrapped=("--environment-class", "ctxkit_environment.CtxkitEnvironment"),
)


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

    def show(self, *commands: str, args: Sequence[str] = ()) -> list[str]:
        """Let the host run commands, and return what the model sees of each."""
        if self.case.key == "commands":
            return self.call([(self.case.tool, {"commands": [text]}) for text in commands], *args)
        return self.call([(self.case.tool, {self.case.key: text, "description": "x"}) for text in commands], *args)

    def call(self, calls: Sequence[Call], *args: str) -> list[str]:
        """Let the host call tools, and return what the model sees of each."""
        with ScriptedModel([*calls, *self.case.last]) as model:
            env = {**self.env, **self.case.configure(self.home, self.project, model.address)}
            argv = [str(shutil.which(self.case.program, path=SEARCHED)), *self.case.args, *args]
            done = subprocess.run(argv, env=env, cwd=self.project, stdin=subprocess.DEVNULL, capture_output=True, timeout=180)
        assert len(model.results) == len(calls), (done.stdout + done.stderr, model.tools)
        return [re.sub(self.case.noise, "", self.case.read(text)) for text in model.results]

    def end(self) -> None:
        """End the daemon that Cline leaves behind."""
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                if f"--cline-hub-daemon\0--cwd\0{self.project}\0".encode() in path.read_bytes():
                    os.kill(int(path.parent.name), signal.SIGTERM)
