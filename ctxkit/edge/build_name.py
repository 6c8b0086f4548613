"""Read which build of ctxkit runs."""

import os

BUILD = os.path.join(os.path.dirname(os.path.dirname(__file__)), "BUILD")
"""The file that a build adds to the package."""
UNNAMED = "source tree"


def read_build_name(path: str = BUILD) -> str:
    """Return the name of the build, such as ``commit 3f9a2c81, 2026-11-23``; a source tree has none."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline(200).strip() or UNNAMED
    except OSError:
        return UNNAMED
