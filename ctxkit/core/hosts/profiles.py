"""List the hosts that ctxkit knows, each a module that is imported when it is used, and their limits."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ctxkit.core.named_tuple import NamedTuple

if TYPE_CHECKING:
    from ctxkit.core.hosts.host import Host


class HostProfile(NamedTuple):
    """Limits in tokens: the window if no model is named, the most that one output may take, and the most of a map."""

    window: int
    output_limit: int
    map_limit: int


PROFILES = {
    # 2.1.330 keeps 30,000 characters of a command's output, about 7,500 tokens, and cuts off the rest.
    "claude-code": HostProfile(window=200_000, output_limit=7_500, map_limit=2_500),
    # 3.0.65 keeps the beginning and the end of 48,000 characters.
    "cline": HostProfile(window=200_000, output_limit=7_500, map_limit=2_500),
    # 0.169.0 keeps about 10,000 characters of a command's output.
    "codex": HostProfile(window=200_000, output_limit=2_500, map_limit=2_500),
    # 1.0.102 saves output of 200 KB to a file and shows 500 characters.
    "copilot": HostProfile(window=200_000, output_limit=7_500, map_limit=2_500),
    # Not published.
    "cursor": HostProfile(window=200_000, output_limit=7_500, map_limit=2_500),
    # 0.61.0 keeps the first 8,000 and the last 32,000 characters.
    "gemini": HostProfile(window=200_000, output_limit=7_500, map_limit=2_500),
    # 2.4.6 keeps the first and the last 5,000 characters.
    "mini-swe-agent": HostProfile(window=200_000, output_limit=2_500, map_limit=2_500),
    # 1.18.33 and 0.87.1 keep the last 50 KB or 2,000 lines.
    "opencode": HostProfile(window=200_000, output_limit=7_500, map_limit=2_500),
    "pi": HostProfile(window=200_000, output_limit=7_500, map_limit=2_500),
    "qwen": HostProfile(window=200_000, output_limit=7_500, map_limit=2_500),
}
MODULES = {name: name.replace("-", "_") for name in PROFILES}
"""The modules in this package by the names of hosts."""


def load_host(name: str) -> Host:
    """Return a host by its name."""
    host: Host = import_module(f"ctxkit.core.hosts.{MODULES[name]}").HOST
    return host
