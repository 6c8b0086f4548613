"""Listing the files of a project: what git knows or does not ignore, else all but what tools put there."""

from __future__ import annotations

import os
from typing import NamedTuple

SKIPPED = frozenset(
    (
        *(".git", ".hg", ".svn", ".jj", "node_modules", "bower_components", "vendor", "third_party", "__pycache__"),
        *(".venv", "venv", ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".cache", ".gradle"),
        *("target", "dist", "build", "out", ".next", ".nuxt", ".svelte-kit", "coverage", "Pods", "DerivedData"),
    )
)
"""Directories that are never looked into where no git says what is ignored."""
SECONDS = 30
"""How long git may take."""


class Found(NamedTuple):
    """Hold what is in a directory, relative to it, with slashes.

    ``links`` maps each symbolic link to what it leads to, an absolute path where that is a directory outside;
    ``broken`` lead nowhere, or in circles.
    ``repository`` says whether git answered.
    """

    paths: list[str]
    links: dict[str, str]
    broken: tuple[str, ...]
    repository: bool


def walk(root: str) -> Found:
    """Return what is in a directory, in order."""
    named = _git(root)
    names = _walked(root) if named is None else named
    paths: list[str] = []
    links: dict[str, str] = {}
    broken: list[str] = []
    real = os.path.realpath(root)
    for name in sorted(set(names)):
        full = os.path.join(root, name)
        if os.path.islink(full):
            target = os.path.realpath(full)
            if not os.path.exists(target):
                broken.append(name)
            elif target.startswith(real + os.sep):
                links[name] = os.path.relpath(target, real).replace(os.sep, "/")
            elif os.path.isdir(target):
                links[name] = target
            else:
                paths.append(name)  # what lies outside is read through the link, and is a file of its own
        elif named is None or os.path.isfile(full):
            paths.append(name)
    return Found(paths, dict(_inside(links, paths, real)), tuple(broken), named is not None)


def _inside(links: dict[str, str], paths: list[str], real: str) -> list[tuple[str, str]]:
    """Return the links with, for each that leads to a directory, the files behind it."""
    found: list[tuple[str, str]] = []
    for link, target in links.items():
        found.append((link, target))
        if not os.path.isabs(target) and os.path.isdir(os.path.join(real, target)):
            head = f"{target}/"
            found.extend((f"{link}/{path[len(head) :]}", path) for path in paths if path.startswith(head))
    return found


def _git(root: str) -> list[str] | None:
    """Return the files that git tracks or would, or None where it cannot say."""
    import subprocess

    command = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    if done.returncode:
        return None
    return [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]


def _walked(root: str) -> list[str]:
    """Return the files below a directory, links unfollowed."""
    found: list[str] = []
    for place, directories, files in os.walk(root):
        directories[:] = sorted(one for one in directories if one not in SKIPPED)
        below = os.path.relpath(place, root).replace(os.sep, "/")
        head = "" if below == "." else f"{below}/"
        linked = [one for one in directories if os.path.islink(os.path.join(place, one))]
        found.extend(f"{head}{name}" for name in (*files, *linked))
    return found
