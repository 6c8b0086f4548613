"""Check which distribution owns the package ctxkit in this environment, and which ctxkit PATH names first."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from importlib import metadata

from ctxkit import __version__
from ctxkit.core.checkup import Check
from ctxkit.edge.host_setup import find_own_path
from ctxkit.system.installation import DISTRIBUTION, uninstall_command

TOPIC = "program"
PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECONDS = 10
"""Maximum seconds for another program to print its version."""


def checks() -> Iterator[Check]:
    """Yield the distribution of this program, and the program that PATH names first."""
    yield check_owners(find_owners())
    yield check_path(shutil.which("ctxkit"), find_own_path())


def find_owners(package: str = PACKAGE) -> dict[str, str]:
    """Return the names and versions of the distributions that an uninstallation of the package's files would concern.

    They are those that list its files, and that of ctxkit, whose editable installation lists none.
    """
    owners: dict[str, str] = {}
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"]
        if name and (name == DISTRIBUTION or _has_file(distribution, package)):
            owners.setdefault(name, distribution.version)
    return owners


def _has_file(distribution: metadata.Distribution, package: str) -> bool:
    """Return whether a distribution lists the package's ``__init__``, installed in its place or editable."""
    record = distribution.read_text("RECORD") or distribution.read_text("installed-files.txt") or ""
    if "_editable_impl_ctxkit.pth" in record:
        return True
    place = os.path.join(str(distribution.locate_file("")), "ctxkit")
    return "ctxkit/__init__.py" in record and os.path.realpath(place) == os.path.realpath(package)


def check_owners(owners: dict[str, str]) -> Check:
    """Return whether ctxkit's distribution alone owns the package."""
    named = " and ".join(f"{name} {version}" for name, version in sorted(owners.items()))
    others = sorted(owners.keys() - {DISTRIBUTION})
    if not owners:
        return Check(TOPIC, "distribution", f"none; the package runs from {os.path.dirname(PACKAGE)}")
    if not others:
        return Check(TOPIC, "distribution", named)
    if DISTRIBUTION in owners:
        value = f"{named} own the same files: to remove one deletes those of the other"
    else:
        value = f"{named} owns the package, not {DISTRIBUTION}"
    hint = f"{uninstall_command(*sorted(owners))}; then install {DISTRIBUTION} again from its source"
    return Check(TOPIC, "distribution", value, "bad", hint)


def check_path(first: str | None, own: str) -> Check:
    """Return whether the program that PATH names first is this one, or one of the same version."""
    if first is None:
        hint = f"add {os.path.dirname(own)} to PATH: a map names ctxkit to read its content"
        return Check(TOPIC, "PATH", "no ctxkit is on PATH", "absent", hint)
    if os.path.realpath(first) == os.path.realpath(own):
        return Check(TOPIC, "PATH", f"{first} is the first ctxkit")
    version = _read_version(first) if os.path.isabs(first) else ""  # the current directory is not trusted
    if version.startswith(f"ctxkit {__version__} ("):
        return Check(TOPIC, "PATH", f"{first} is the first ctxkit; it has the version of {own}: {version}")
    value = f"{first} is the first ctxkit: {version or 'another program'}, not {own}"
    return Check(TOPIC, "PATH", value, "bad", f"put {os.path.dirname(own)} before {os.path.dirname(first)} in PATH")


def _read_version(program: str) -> str:
    """Return the first line that ``program --version`` prints, "" if it fails."""
    try:
        done = subprocess.run(
            [program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace").partition("\n")[0][:80]
