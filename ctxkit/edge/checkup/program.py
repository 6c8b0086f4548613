"""Check the program itself: version, pages, its distribution in this environment and on PATH, and its extras."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata

from ctxkit import __version__
from ctxkit.core.checkup import Check
from ctxkit.edge.host_setup import find_own_path
from ctxkit.system.installation import DISTRIBUTION, install_command, is_installed, read_requirements, uninstall_command

PAGES = (
    ("man page", "share/man/man1/ctxkit.1"),
    ("bash completion", "share/bash-completion/completions/ctxkit"),
    ("zsh completion", "share/zsh/site-functions/_ctxkit"),
    ("fish completion", "share/fish/vendor_completions.d/ctxkit.fish"),
)
"""Files that the wheel installs beside the interpreter."""


def check_program() -> Iterator[Check]:
    """Yield the versions of ctxkit and Python, and whether the pages are installed."""
    import platform

    yield Check("program", "ctxkit", __version__)
    yield Check("program", "Python", f"{platform.python_version()}, {sys.executable}")
    yield Check("program", "platform", platform.platform())
    present = [name for name, path in PAGES if os.path.exists(os.path.join(sys.prefix, path))]
    missing = [name for name, _ in PAGES if name not in present]
    if missing:
        hint = f"the wheel puts them under {sys.prefix}/share; an editable installation does not"
        yield Check("program", "pages", f"not installed: {', '.join(missing)}", "absent", hint)
    else:
        yield Check("program", "pages", f"{', '.join(present)}, under {sys.prefix}/share")


TOPIC = "program"
PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECONDS = 10
"""Maximum seconds for another program to print its version."""


def check_ownership() -> Iterator[Check]:
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


EXTRAS = "extras"
PURPOSES = {
    "langs": "maps of more programming languages that are parsed",
    "hf": "counts by any tokenizer.json",
    "redis": "content and sessions on a server that many machines share",
    "redact": "more formats of keys that --redact masks",
    "serve": "answers over a Unix socket, with vocabularies in memory",
    "mcp": "servers of MCP at a URL behind mcp wrap",
    "llama": "summaries by a model on this machine, counts by any GGUF file",
}
"""The extras and their purposes."""


def check_extras() -> Iterator[Check]:
    """Yield for each extra whether all its packages are installed, and the command that installs the others."""
    requirements = read_requirements()
    for extra, purpose in PURPOSES.items():
        packages = [requirement.package for requirement in requirements if requirement.extra == extra]
        missing = [package for package in packages if not is_installed(package)]
        if missing:
            few = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
            yield Check(EXTRAS, extra, f"{purpose}: lacks {few}", "absent", install_command(*missing))
        else:
            yield Check(EXTRAS, extra, f"{purpose}: installed")
