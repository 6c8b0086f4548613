"""Name the command that adds a package to the environment that runs ctxkit: pipx's, uv's or pip's.

Markers in the environment tell how it was made, because PIPX_HOME and UV_TOOL_DIR move it to any path. A command never
names ctxkit's own distribution, which an installer could look up on a registry.
"""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from importlib import metadata
from typing import NamedTuple

DISTRIBUTION = "ctxkit-cli"
"""Name of the distribution that contains the package ctxkit."""


COMMANDS = {
    "pipx": (
        "{pipx} inject {name}",
        "{pipx} runpip {name} install --force-reinstall",
        "{pipx} runpip {name} uninstall",
    ),
    "uv": (
        "uv pip install --python {python}",
        "uv pip install --reinstall --python {python}",
        "uv pip uninstall --python {python}",
    ),
    "pip": ("{python} -m pip install", "{python} -m pip install --force-reinstall", "{python} -m pip uninstall"),
    "pip of another Python": (
        "python3 -m pip --python {python} install",
        "python3 -m pip --python {python} install --force-reinstall",
        "python3 -m pip --python {python} uninstall",
    ),
}
"""Commands of each installer: to add a package, to install it again, and to remove it."""
ADD, REPAIR, REMOVE = range(3)


class Requirement(NamedTuple):
    """A package that ctxkit needs, with its versions, such as ``redis>=5.2``, and the extra that needs it or ""."""

    package: str
    specifier: str
    extra: str


class Environment(NamedTuple):
    """The directory of a Python environment, and its interpreter."""

    prefix: str
    executable: str

    def has(self, name: str) -> bool:
        """Return whether the directory contains a file."""
        return os.path.exists(os.path.join(self.prefix, name))


def read_requirements() -> list[Requirement]:
    """Return what this system needs, from the metadata of the installed distribution; nothing without metadata."""
    try:
        lines = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return []
    return list(_parse_requirements(lines))


def _parse_requirements(lines: Sequence[str]) -> Iterator[Requirement]:
    for line in lines:
        specifier, _, marker = (part.strip() for part in line.partition(";"))
        extra = re.search(r"extra == ['\"]([\w-]+)['\"]", marker)
        system = re.search(r"platform_system == ['\"](\w+)['\"]", marker)
        if not system or system[1].lower() == sys.platform:
            package = re.split(r"[^\w.-]", specifier, maxsplit=1)[0]
            yield Requirement(package, specifier.replace(" ", ""), extra[1] if extra else "")


def is_installed(package: str) -> bool:
    """Return whether a package is installed."""
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def install_command(*packages: str, environment: Environment | None = None) -> str:
    """Return the shell command that installs packages, in the versions that ctxkit needs, where ctxkit runs."""
    return _format_command(ADD, _specify(packages), environment)


def repair_command(*packages: str, environment: Environment | None = None) -> str:
    """Return the shell command that installs packages again that are installed but do not load."""
    return _format_command(REPAIR, _specify(packages), environment)


def uninstall_command(*distributions: str, environment: Environment | None = None) -> str:
    """Return the shell command that removes distributions from where ctxkit runs."""
    return _format_command(REMOVE, distributions, environment)


def _specify(packages: Sequence[str]) -> list[str]:
    requirements = [requirement for requirement in read_requirements() if not requirement.extra.startswith("test")]
    specifiers = {requirement.package: requirement.specifier for requirement in requirements}
    return [f"'{specifiers.get(package, package)}'" for package in packages]


def _format_command(purpose: int, words: Sequence[str], environment: Environment | None) -> str:
    from shlex import quote

    where = environment or Environment(sys.prefix, sys.executable)
    folder, name = os.path.split(where.prefix)
    home = os.path.dirname(folder)
    usual = [os.path.expanduser(path) for path in ("~/.local/share/pipx", "~/.local/pipx")]
    pipx = "pipx" if home in usual else f"PIPX_HOME={quote(home)} pipx"
    command = COMMANDS[_find_installer(where)][purpose]
    return " ".join((command.format(pipx=pipx, name=quote(name), python=quote(where.executable)), *words))


def _find_installer(environment: Environment) -> str:
    """Return the installer of an environment, by the files that it left there."""
    if environment.has("pipx_metadata.json"):
        return "pipx"
    if environment.has("uv-receipt.toml"):
        return "uv"
    if _has_pip(environment):
        return "pip"
    return "uv" if _is_made_by_uv(environment) else "pip of another Python"


def _has_pip(environment: Environment) -> bool:
    from sysconfig import get_path

    library = get_path("purelib", vars={"base": environment.prefix, "platbase": environment.prefix})
    return os.path.exists(os.path.join(library, "pip", "__init__.py"))


def _is_made_by_uv(environment: Environment) -> bool:
    """Return whether ``uv venv`` made an environment, in which it installs no pip."""
    try:
        with open(os.path.join(environment.prefix, "pyvenv.cfg"), encoding="utf-8", errors="replace") as file:
            return any(line.startswith("uv = ") for line in file)
    except OSError:
        return False
