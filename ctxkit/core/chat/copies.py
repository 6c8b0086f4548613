"""Finding what a session keeps of a result a second time, beside what a model reads."""

import re
from collections.abc import Iterator
from typing import Any

from ctxkit.core.chat.record import Place

LEAST = 64
"""Characters from which on a text is worth being called a copy; shorter ones say such things as a status."""
_LEVELS = 4
_NUMBER = re.compile(r"^\s*\d+(?:→|\t|: ?)")
"""The number before a line of a file, as tools that read files write it."""


def copies_in(value: Any, text: str, place: Place) -> tuple[Place, ...]:
    """Return where the value at ``place`` holds ``text`` once more: all of it, a part, or most of its lines."""
    bare = text.strip()
    if len(bare) < LEAST:
        return ()
    long = [(at, held.strip()) for at, held in _texts(value, place, _LEVELS) if len(held) >= LEAST]
    found = [at for at, held in long if held in bare or bare in held]
    if len(found) < len(long):
        lines = {_NUMBER.sub("", line).strip() for line in bare.splitlines()}
        found += [at for at, held in long if at not in found and _shares(held, lines)]
    return tuple(found)


def _texts(value: Any, place: Place, levels: int) -> Iterator[tuple[Place, str]]:
    if isinstance(value, str):
        yield place, value
    elif levels and isinstance(value, dict):
        for key, held in value.items():
            yield from _texts(held, (*place, key), levels - 1)
    elif levels and isinstance(value, list):
        for at, held in enumerate(value):
            yield from _texts(held, (*place, at), levels - 1)


def _shares(held: str, lines: set[str]) -> bool:
    """Tell whether most lines of a text are among others."""
    own = [bare for line in held.splitlines() if (bare := line.strip())]
    return 2 * sum(1 for line in own if line in lines) > len(own)
