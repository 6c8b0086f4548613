"""List the hosts that ctxkit knows. Each has a module of its name, which is imported when it is used."""

from importlib import import_module

from ctxkit.core.hosts.host import Host

MODULES = {
    "claude-code": "claude_code",
    "cline": "cline",
    "codex": "codex",
    "copilot": "copilot",
    "cursor": "cursor",
    "gemini": "gemini",
    "mini-swe-agent": "mini_swe_agent",
    "opencode": "opencode",
    "pi": "pi",
    "qwen": "qwen",
}
"""The modules in this package by the names of hosts."""


def load_host(name: str) -> Host:
    """Return a host by its name."""
    host: Host = import_module(f"ctxkit.core.hosts.{MODULES[name]}").HOST
    return host
