"""Limit the sizes in a project's settings: a stranger may have written them.

A project lowers a size to a quarter at most of what holds without its file, and raises none above what the user has
stated. A directory that the user trusts has no limits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.tokens import budget

if TYPE_CHECKING:
    from ctxkit.edge.settings import Setting, Settings

PART = 4
"""A project may lower a size to one part of so many."""
LARGEST_WINDOW = 2_000_000
"""Tokens of the largest window that a project may state if the user states none."""
MOST = {
    "compact_trigger": budget.COMPACT_TRIGGER,
    "hard_block": budget.HARD_BLOCK,
    "briefing_cap": PART * budget.BRIEFING_CAP,
    "low_water": 0.75,
    "keep_last": 64,
}
"""The largest value that a project may give a setting if the user gives none."""
FEWEST_MESSAGES = 8
"""The smallest keep_last of a project if the user gives none."""


def lookup_size(settings: Settings, key: str) -> float:
    """Return the value of a setting in ``MOST``, that of a project within limits; 0 means that it is not set."""
    setting = settings.lookup(key)
    size: float = setting.value
    if not size or not settings.project.find_limited_key(setting):
        return size
    own = settings.without_project().lookup(key)
    least = own.value / PART or FEWEST_MESSAGES
    most = MOST[key] if own.source == "default" else own.value
    return settings.limit_size(setting, size, type(size)(least), most)


def limit_window(settings: Settings, setting: Setting, own: int, assumed: int) -> int:
    """Return a window in tokens; ``own`` is the one without the project, 0 if it is unknown and ``assumed``."""
    return int(settings.limit_size(setting, setting.value, (own or assumed) // PART, own or LARGEST_WINDOW))


def limit_reserve(settings: Settings, setting: Setting, tokens: int, window: int, own: budget.Budget) -> int:
    """Return a reserve in tokens that leaves a quarter of the window without the project, and of its reserve."""
    most = max(window - own.effective // PART, own.reserve * window // own.window)
    return int(settings.limit_size(setting, tokens, min(own.reserve // PART, most), most))


def limit_recent(settings: Settings, usual: int, most: int) -> int | None:
    """Return the recent tokens that a compaction keeps, None for the ``usual`` number."""
    setting = settings.lookup("keep_recent")
    if not setting.value or not settings.project.find_limited_key(setting):
        return setting.value or None
    own = settings.without_project()["keep_recent"]
    return int(settings.limit_size(setting, setting.value, (own or usual) // PART, own or most))
