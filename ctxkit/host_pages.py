"""Files that are kept for the sessions of agent hosts."""

from __future__ import annotations

import os
from contextlib import suppress
from time import time
from typing import TYPE_CHECKING

from ctxkit.edge import atomic_file
from ctxkit.stores import data_dir

if TYPE_CHECKING:
    from ctxkit.core.hosts.host import HookEvent
    from ctxkit.edge.settings import Settings

MAX_AGE = 30 * 24 * 3600
"""Seconds after which the files of a session are removed."""


def keep_page(event: HookEvent, page: str, settings: Settings) -> None:
    """Keep the facts of a session until its next start."""
    path = find_session_file(event, ".md", settings)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    _remove_old_pages(os.path.dirname(path))
    atomic_file.write(path, page.encode())


def load_page(event: HookEvent, settings: Settings) -> str:
    """Return the kept facts of a session, "" if there are none."""
    return atomic_file.read(find_session_file(event, ".md", settings))


def find_session_file(event: HookEvent, suffix: str, settings: Settings) -> str:
    """Return the path of a file that is kept for a session."""
    return os.path.join(data_dir(settings), "hosts", "pages", f"{event.session}{suffix}")


def _remove_old_pages(directory: str) -> None:
    """Remove pages of sessions that compacted long ago."""
    with os.scandir(directory) as entries:
        for entry in entries:
            with suppress(OSError):
                age = time() - entry.stat(follow_symlinks=False).st_mtime
                if entry.name.endswith((".md", ".json")) and age > MAX_AGE:
                    os.unlink(entry.path)
