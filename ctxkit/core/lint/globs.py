"""Patterns of paths, as .gitignore has them."""

import re
from collections.abc import Iterator
from functools import cache

MOST_STARS = 2
"""Wildcards of any length up to which a regular expression is quick enough, whatever the path."""
_PIECE = re.compile(r"\*\*/?|\*|\?|\[[^\]]{1,200}\]|[^*?]", re.DOTALL)


def matches(pattern: str, path: str) -> bool:
    """Tell whether a path, or a directory above it, fits a pattern; one without a slash fits at any depth."""
    pieces = _pieces(pattern)
    if sum("*" in piece for piece in pieces) > MOST_STARS:
        return _matches_stepwise(pieces, path)
    return bool(_compiled(pattern).match(path))


@cache
def _pieces(pattern: str) -> tuple[str, ...]:
    """Return the wildcards, classes and characters of a pattern."""
    anchored = "/" in pattern.strip("/") or pattern.startswith("/")
    found = _PIECE.findall(pattern.strip("/"))
    return tuple(found if anchored else ["**/", *found])


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile("".join(map(_piece, _pieces(pattern))) + r"(?:/.*)?$", re.DOTALL)


@cache
def _single(piece: str) -> re.Pattern[str]:
    return re.compile(_piece(piece), re.DOTALL)


def _piece(piece: str) -> str:
    if piece.startswith("**"):
        return "(?:.*/)?" if piece.endswith("/") else ".*"
    if piece == "*":
        return "[^/]*"
    if piece == "?":
        return "[^/]"
    if piece.startswith("[") and len(piece) > 1:
        members = re.sub(r"([\[&~|])", r"\\\1", piece[1:])
        return f"[^{members[1:]}" if members.startswith("!") else f"[{members}"
    return re.escape(piece)


def _matches_stepwise(pieces: tuple[str, ...], path: str) -> bool:
    """Match by following all ways at once, so that time does not grow exponentially with the number of stars.

    A state is the number of the next piece; its complement says that the path is inside the directories of a ``**/``.
    """
    end = len(pieces)
    states = _with_empty({0}, pieces)
    for char in path:
        if end in states and char == "/":
            return True
        states = _with_empty({new for state in states for new in _step(state, pieces, char)}, pieces)
    return end in states


def _step(state: int, pieces: tuple[str, ...], char: str) -> Iterator[int]:
    """Yield the states behind one more character."""
    at = ~state if state < 0 else state
    piece = pieces[at] if at < len(pieces) else ""
    if piece == "**/":
        yield ~at
        if char == "/":
            yield at + 1
    elif piece == "**" or (piece == "*" and char != "/"):
        yield at
    elif piece not in ("", "*") and _single(piece).match(char):
        yield at + 1


def _with_empty(states: set[int], pieces: tuple[str, ...]) -> set[int]:
    """Return states with those that are reached where a wildcard stands for nothing."""
    found = set(states)
    for state in states:
        while 0 <= state < len(pieces) and pieces[state].startswith("*"):
            state += 1
            found.add(state)
    return found
