"""Find which version of an agent host is installed, without starting it."""

import os
import shutil
from collections.abc import Iterator

MAX_MANIFEST = 1 << 20
"""Maximum bytes of a package.json."""
LEVELS = 4
"""Most directories between a program and the package.json of its package."""


def find_version(program: str) -> str:
    """Return the version of a program on PATH that npm installed, "" if it is unknown, or "absent"."""
    path = shutil.which(program)
    if path is None:
        return "absent"
    return next(_find_manifest_versions(os.path.dirname(os.path.realpath(path))), "")


def _find_manifest_versions(directory: str) -> Iterator[str]:
    """Yield the versions that package.json gives, in a directory and those above it."""
    import json

    for _ in range(LEVELS):
        try:
            with open(os.path.join(directory, "package.json"), "rb") as file:
                value = json.loads(file.read(MAX_MANIFEST))
        except (OSError, ValueError, RecursionError):
            value = None
        if isinstance(value, dict) and isinstance(value.get("version"), str):
            yield value["version"]
        directory = os.path.dirname(directory)
