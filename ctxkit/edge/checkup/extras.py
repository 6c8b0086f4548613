"""Check the optional extras of ctxkit, which pip installs by name."""

import re
import sys
from collections.abc import Iterator
from importlib import metadata

from ctxkit.core.checkup import Check

TOPIC = "extras"
PURPOSES = {
    "langs": "maps of more programming languages",
    "hf": "counts by any tokenizer.json",
    "redis": "content and sessions on a server that many machines share",
    "serve": "answers over a Unix socket, with vocabularies in memory",
    "llama": "summaries by a model on this machine, counts by any GGUF file",
}
"""The extras and their purposes."""


def checks() -> Iterator[Check]:
    """Yield for each extra whether all its packages are installed, and the command that installs them."""
    needs = _read_requirements()
    for extra, purpose in PURPOSES.items():
        missing = [name for name in needs.get(extra, ()) if not is_installed(name)]
        if missing:
            few = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
            hint = install_command(extra, sys.prefix, sys.executable)
            yield Check(TOPIC, extra, f"{purpose}: lacks {few}", "absent", hint)
        else:
            yield Check(TOPIC, extra, f"{purpose}: installed")


def install_command(extra: str, prefix: str, executable: str) -> str:
    """Return the command that adds an extra to the environment at ``prefix``: pipx, uv or pip."""
    place = prefix.replace("\\", "/")
    if "/pipx/venvs/" in place:
        return f"pipx install --force 'ctxkit[{extra}]'"
    if "/uv/tools/" in place:
        return f"uv tool install --force 'ctxkit[{extra}]'"
    return f"{executable} -m pip install 'ctxkit[{extra}]'"


def _read_requirements() -> dict[str, list[str]]:
    """Return the packages of each extra on this system, from the installed metadata."""
    needs: dict[str, list[str]] = {}
    try:
        required = metadata.requires("ctxkit") or []
    except metadata.PackageNotFoundError:
        return needs
    for line in required:
        extra = re.search(r"extra == ['\"](\w+)['\"]", line)
        elsewhere = re.search(r"platform_system == ['\"](\w+)['\"]", line)
        if extra and not (elsewhere and elsewhere[1].lower() != sys.platform):
            needs.setdefault(extra[1], []).append(re.split(r"[^\w.-]", line, maxsplit=1)[0])
    return needs


def is_installed(package: str) -> bool:
    """Return whether a package is installed."""
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True
