"""Copies of a tool result: the other places in an entry that repeat its text."""

import re
from collections.abc import Iterator

from ctxkit.core.chat.model.record import Place
from ctxkit.core.text.json_value import JsonValue

MIN_CHARACTERS = 64
"""Characters below which a text is not a copy; short texts, such as a status, repeat by chance."""
_MAX_DEPTH = 4
_NUMBER = re.compile(r"^\s*\d+(?:→|\t|: ?)")
"""A line number at the start of a line, as written by tools that read files."""


def find_copies(value: JsonValue, text: str, place: Place) -> tuple[Place, ...]:
    """Return the places under ``place`` that repeat ``text``: all of it, a part of it, or most of its lines."""
    bare = text.strip()
    if len(bare) < MIN_CHARACTERS:
        return ()
    long = [
        (at, candidate.strip())
        for at, candidate in _find_strings(value, place, _MAX_DEPTH)
        if len(candidate) >= MIN_CHARACTERS
    ]
    places = [at for at, candidate in long if candidate in bare or bare in candidate]
    if len(places) < len(long):
        lines = {_NUMBER.sub("", line).strip() for line in bare.splitlines()}
        places += [at for at, candidate in long if at not in places and _has_most_lines(candidate, lines)]
    return tuple(places)


def _find_strings(value: JsonValue, place: Place, levels: int) -> Iterator[tuple[Place, str]]:
    if isinstance(value, str):
        yield place, value
    elif levels and isinstance(value, dict):
        for key, member in value.items():
            yield from _find_strings(member, (*place, key), levels - 1)
    elif levels and isinstance(value, list):
        for at, member in enumerate(value):
            yield from _find_strings(member, (*place, at), levels - 1)


def _has_most_lines(candidate: str, lines: set[str]) -> bool:
    """Return whether most lines of a text are in ``lines``."""
    own_lines = [bare for line in candidate.splitlines() if (bare := line.strip())]
    return 2 * sum(1 for line in own_lines if line in lines) > len(own_lines)
