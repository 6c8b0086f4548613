"""Keep the boundaries of conversations, so that a prefix that was compacted is sent in the same bytes again."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Sequence
from json import dumps, loads
from time import time

from ctxkit.core.proxy.model_apis import MIN_MESSAGES, Boundary
from ctxkit.edge import say, user_dirs
from ctxkit.edge.settings import Settings
from ctxkit.system.own_files import open_own_folder, read_file, remove_older, replace_file, touch_file

FOLDER = "proxy"
LIFETIME = 7 * 86_400.0
"""Seconds after its last use for which a boundary is kept, as long as stored content."""
CLEANING_SECONDS = 3_600.0
MOST_IN_MEMORY, MAX_BYTES = 32, 64 << 20
"""Boundaries that are kept in memory, and bytes of the longest that is read."""


class Boundaries:
    """Boundaries by the name of the prefix that they replace: in files of this user, or in memory alone."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._kept: OrderedDict[str, Boundary] = OrderedDict()
        self._cleaned_at = 0.0

    def find(self, prefixes: Sequence[str], least: int = MIN_MESSAGES) -> Boundary:
        """Return the boundary of the longest prefix of ``least`` messages or more, an empty one if none has one."""
        names = self._list_names()
        for number in range(len(prefixes), least - 1, -1):
            name = prefixes[number - 1]
            boundary = self._kept.get(name) or (self._read(name, number) if name in names else None)
            if boundary is not None:
                self._keep(name, boundary)
                return boundary
        return Boundary(0, ())

    def save(self, prefixes: Sequence[str], boundary: Boundary) -> None:
        """Keep a boundary; if it cannot be written, warn, and keep it in memory."""
        name = prefixes[boundary.covered - 1]
        self._keep(name, boundary)
        if not self._directory:
            return
        try:
            with open_own_folder(self._path, 1, make=True) as folder:
                replace_file(folder, name, dumps(boundary.entries).encode("ascii"))
                if time() - self._cleaned_at > CLEANING_SECONDS:
                    self._cleaned_at = time()
                    remove_older(folder, LIFETIME)
        except OSError as error:
            say.warn(f"a compaction is kept in memory alone: {error.strerror}: {error.filename}")

    @property
    def _path(self) -> str:
        return os.path.join(self._directory, FOLDER)

    def _list_names(self) -> frozenset[str]:
        try:
            return frozenset(os.listdir(self._path)) if self._directory else frozenset()
        except OSError:
            return frozenset()

    def _read(self, name: str, covered: int) -> Boundary | None:
        """Return a boundary from its file, None if it cannot be read."""
        try:
            with open_own_folder(self._path, 1) as folder:
                value = loads(read_file(folder, name, MAX_BYTES))
                touch_file(folder, name)
            if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
                raise ValueError("it is not a list of texts")
            return Boundary(covered, tuple(value))
        except (OSError, ValueError) as error:
            say.warn(f"a compaction cannot be read, and is done again: {error}")
            return None

    def _keep(self, name: str, boundary: Boundary) -> None:
        self._kept[name] = boundary
        self._kept.move_to_end(name)
        while len(self._kept) > MOST_IN_MEMORY:
            self._kept.popitem(last=False)


def open_boundaries(settings: Settings, *, stores: bool) -> Boundaries:
    """Return the boundaries below the cache directory; in memory if nothing may be stored.

    A compacted message may quote output that ``never_store`` names.
    """
    directory = str(settings["cache_dir"] or user_dirs.cache_dir())
    is_kept = stores and not settings["never_store"] and os.path.isabs(directory)
    return Boundaries(directory if is_kept else "")
