"""Match paths against patterns as in .gitignore."""

import re
from collections.abc import Iterator
from functools import cache

from ctxkit.core.lazy_pattern import compile_lazily

MOST_STARS = 2
"""Maximum number of unlimited wildcards for which a regular expression is fast on any path."""
_PIECE = compile_lazily(r"\*\*/?|\*|\?|\[[^\]]{1,200}\]|[^*?]", re.DOTALL)


def matches(pattern: str, path: str) -> bool:
    """Return whether a path or a parent of it matches a pattern; one without a slash matches at any depth."""
    pieces = _split_pattern(pattern)
    if sum("*" in piece for piece in pieces) > MOST_STARS:
        return _matches_stepwise(pieces, path)
    return bool(_compile_pattern(pattern).match(path))


@cache
def _split_pattern(pattern: str) -> tuple[str, ...]:
    """Return the wildcards, classes and characters of a pattern."""
    anchored = "/" in pattern.strip("/") or pattern.startswith("/")
    parts = _PIECE.findall(pattern.strip("/"))
    return tuple(parts if anchored else ["**/", *parts])


@cache
def _compile_pattern(pattern: str) -> re.Pattern[str]:
    return re.compile("".join(map(_translate_piece, _split_pattern(pattern))) + r"(?:/.*)?$", re.DOTALL)


@cache
def _compile_piece(piece: str) -> re.Pattern[str]:
    return re.compile(_translate_piece(piece), re.DOTALL)


def _translate_piece(piece: str) -> str:
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
    """Match with all states at once, so that the time is not exponential in the number of wildcards.

    A state is the index of the next piece; its complement means that the path is inside the directories of a ``**/``.
    """
    end = len(pieces)
    states = _add_empty_matches({0}, pieces)
    for char in path:
        if end in states and char == "/":
            return True
        states = _add_empty_matches({new for state in states for new in _next_states(state, pieces, char)}, pieces)
    return end in states


def _next_states(state: int, pieces: tuple[str, ...], char: str) -> Iterator[int]:
    """Yield the states after one more character."""
    at = ~state if state < 0 else state
    piece = pieces[at] if at < len(pieces) else ""
    if piece == "**/":
        yield ~at
        if char == "/":
            yield at + 1
    elif piece == "**" or (piece == "*" and char != "/"):
        yield at
    elif piece not in ("", "*") and _compile_piece(piece).match(char):
        yield at + 1


def _add_empty_matches(states: set[int], pieces: tuple[str, ...]) -> set[int]:
    """Return the states and those reachable from them by empty matches of wildcards."""
    reachable = set(states)
    for state in states:
        while 0 <= state < len(pieces) and pieces[state].startswith("*"):
            state += 1
            reachable.add(state)
    return reachable
