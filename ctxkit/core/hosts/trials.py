"""Describe how hosts are tried: started without a terminal in a home of their own, against a scripted model."""

import json
from collections.abc import Callable, Mapping
from typing import NamedTuple

FORBIDDEN = "factor 12"
"""A harmless command that a rule of the trial forbids."""
FORBIDDEN_OUTPUT = "12: 2 2 3"
FORBIDDEN_WORD = FORBIDDEN.split()[0]


class TrialSetup(NamedTuple):
    """The files of a trial: texts by path below the home, texts by path below the project, and the environment."""

    home: Mapping[str, str]
    project: Mapping[str, str] = {}
    environment: Mapping[str, str] = {}


class HostTrial(NamedTuple):
    """How a host is tried.

    ``tool`` runs the command that is its member ``key``. ``make_setup`` gets the address of the model. ``noise`` is a
    regular expression for what differs from run to run. ``package`` is its name at npm.
    """

    package: str
    tool: str
    key: str
    args: tuple[str, ...]
    make_setup: Callable[[str], TrialSetup]
    noise: str = "$^"
    has_rules: bool = True


def _set_up_claude_code(address: str) -> TrialSetup:
    rules = {"allow": ["Bash"], "deny": [f"Bash({FORBIDDEN_WORD}:*)"]}
    environment = {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "none"}
    environment["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] = "1"
    return TrialSetup({".claude/settings.json": json.dumps({"permissions": rules})}, environment=environment)


def _set_up_codex(address: str) -> TrialSetup:
    provider = f'name = "local"\nbase_url = "{address}/v1"\nwire_api = "responses"\nenv_key = "KEY"\n'
    config = f'model = "gpt-5.4"\nmodel_provider = "local"\n[model_providers.local]\n{provider}'
    rule = f'prefix_rule(pattern=["{FORBIDDEN_WORD}"], decision="forbidden")'
    return TrialSetup(
        {".codex/config.toml": config, ".codex/rules/default.rules": rule}, environment={"KEY": "none"}
    )


def _set_up_gemini(address: str) -> TrialSetup:
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    rule = f'toolName = "run_shell_command"\ncommandPrefix = "{FORBIDDEN_WORD}"\ndecision = "deny"\npriority = 900\n'
    files = {".gemini/settings.json": json.dumps(settings), ".gemini/policies/deny.toml": f"[[rule]]\n{rule}"}
    return TrialSetup(files, environment={"GOOGLE_GEMINI_BASE_URL": address, "GEMINI_API_KEY": "none"})


def _set_up_copilot(address: str) -> TrialSetup:
    names = {"BASE_URL": f"{address}/v1", "TYPE": "openai", "API_KEY": "none"}
    provider = {f"COPILOT_PROVIDER_{name}": value for name, value in names.items()}
    return TrialSetup({}, environment={**provider, "COPILOT_MODEL": "scripted", "COPILOT_OFFLINE": "true"})


def _set_up_opencode(address: str) -> TrialSetup:
    models = {"scripted": {"name": "scripted", "limit": {"context": 32_000, "output": 4_000}}}
    options = {"baseURL": f"{address}/v1", "apiKey": "none"}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "local", "options": options, "models": models}
    config = {
        "model": "local/scripted",
        "small_model": "local/scripted",
        "permission": {"bash": {"*": "allow", f"{FORBIDDEN_WORD} *": "deny"}},
        "provider": {"local": provider},
    }
    environment = {f"OPENCODE_DISABLE_{name}": "1" for name in ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD")}
    return TrialSetup({}, {"opencode.json": json.dumps(config)}, environment)


def _set_up_pi(address: str) -> TrialSetup:
    models = [{"id": "scripted", "contextWindow": 32_000, "maxTokens": 4_000}]
    provider = {"baseUrl": f"{address}/v1", "api": "openai-completions", "apiKey": "none", "models": models}
    files = {".pi/agent/models.json": json.dumps({"providers": {"local": provider}})}
    return TrialSetup(files, environment={"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1"})


TRIALS = {
    "claude-code": HostTrial("@anthropic-ai/claude-code", "Bash", "command", ("-p", "run it"), _set_up_claude_code),
    "codex": HostTrial(
        "@openai/codex",
        "exec_command",
        "cmd",
        ("exec", "--skip-git-repo-check", "--sandbox", "workspace-write", "run it"),
        _set_up_codex,
        r"Chunk ID: \w+\nWall time: [\d.]+ seconds\n|Original token count: \d+\n",
    ),
    "copilot": HostTrial(
        "@github/copilot",
        "bash",
        "command",
        ("-p", "run it", "--allow-all-tools", "--deny-tool", f"shell({FORBIDDEN_WORD})"),
        _set_up_copilot,
    ),
    "gemini": HostTrial(
        "@google/gemini-cli",
        "run_shell_command",
        "command",
        ("-p", "run it", "--yolo", "-m", "gemini-2.5-pro", "--skip-trust"),
        _set_up_gemini,
        r"Process Group PGID: \d+|\n*\[System\] Tool input parameters were modified by a hook before execution\.",
    ),
    "opencode": HostTrial("opencode-ai", "bash", "command", ("run", "run it"), _set_up_opencode),
    "pi": HostTrial(
        "@earendil-works/pi-coding-agent",
        "bash",
        "command",
        ("-p", "--provider", "local", "--model", "scripted", "run it"),
        _set_up_pi,
        has_rules=False,
    ),
}
"""The trials by the name of the host."""
