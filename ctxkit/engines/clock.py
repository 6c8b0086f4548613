"""Doubt a clock that is far ahead of all that was stored: a collection by age would remove everything."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctxkit.system.safe_directory import StoreFolder

FAR_SECONDS = 180 * 86_400
"""Seconds between the last use and now from which the clock is doubted."""
WAIT_SECONDS = 7 * 86_400
"""Seconds that a doubted clock must go on before it is believed."""
MARK = "clock"
"""File in the root of a store whose time is that of the doubted clock when it was first seen."""


def is_doubtful(root: StoreFolder, last_use: float, now: float) -> bool:
    """Return whether ``now`` is far after the ``last_use`` of a store (seconds since 1970, 0 if it is unknown).

    The doubt ends a week later, or when the clock is set back. Both may be of a user who was away for long: then
    content stays for a week more.
    """
    mark = root.stat(MARK)
    if mark is not None:
        if 0 <= now - mark.st_mtime < WAIT_SECONDS:
            return True
        root.remove(MARK)
        return False
    if not last_use or now - last_use < FAR_SECONDS:
        return False
    with suppress(OSError):
        os.close(root.create(MARK))
        root.touch(MARK, (int(now * 1e9),) * 2)
    return True
