"""List the hosts that ctxkit knows. Each has a module of its name, which is imported when it is used."""

from importlib import import_module

from ctxkit.core.hosts.host import Host
from ctxkit.core.hosts.profiles import PROFILES

MODULES = {name: name.replace("-", "_") for name in PROFILES}
"""The modules in this package by the names of hosts."""


def load_host(name: str) -> Host:
    """Return a host by its name."""
    host: Host = import_module(f"ctxkit.core.hosts.{MODULES[name]}").HOST
    return host
