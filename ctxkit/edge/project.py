"""Name the project of a directory, so that a search finds the content of this project only."""

import os

from ctxkit.edge.setting_layers import working_directory
from ctxkit.engines.content_hash import ContentHash

NAME_DIGITS = 16
"""Hex digits of the name of a project: the hash of its path, which a shared store must not tell others."""


def name_project(directory: str = "") -> str:
    """Return the name of the project of a directory, the current one if empty.

    A project is the nearest directory above that has ``.git``, else the directory itself.
    """
    path = os.path.realpath(directory or working_directory())
    digest = ContentHash()
    digest.update(os.fsencode(_find_repository(path) or path))
    return digest.hexdigest()[:NAME_DIGITS]


def _find_repository(path: str) -> str:
    """Return the nearest directory with ``.git`` from a path upwards, "" if there is none."""
    while not os.path.lexists(os.path.join(path, ".git")):
        parent = os.path.dirname(path)
        if parent == path:
            return ""
        path = parent
    return path
