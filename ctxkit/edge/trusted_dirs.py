"""Match directories against the user's list of trusted directories."""

import os
from collections.abc import Iterable

CHILDREN = "*"
"""Last part of a pattern that matches each subdirectory of the rest."""


_state = {"trusts": True}


def trust_nothing() -> None:
    """Trust no directory in this process: it answers requests, which name theirs."""
    _state["trusts"] = False


def trusts_nothing() -> bool:
    """Return whether this process answers requests."""
    return not _state["trusts"]


def find_fault(pattern: str) -> str:
    """Return what is wrong with a pattern of a directory, "" if nothing is."""
    above, last = os.path.split(pattern)
    if CHILDREN in above or (CHILDREN in last and last != CHILDREN):
        return f"has {pattern!r}: * stands only at the end, for the directories below another"
    if "\0" in pattern:
        return f"has {pattern!r}: a path has no NUL"
    if not os.path.isabs(pattern) and not pattern.startswith("~"):
        return f"has {pattern!r}: it begins neither with {os.sep} nor with ~"
    return ""


def matches(pattern: str, directory: str) -> bool:
    """Return whether a pattern matches a directory; links are resolved in both."""
    path = os.path.expanduser(pattern)
    if not os.path.isabs(path):  # there is no home directory
        return False
    above, last = os.path.split(path)
    real = os.path.realpath(directory)
    if last == CHILDREN:
        return os.path.dirname(real) == os.path.realpath(above) != real
    return os.path.realpath(path) == real


def is_trusted(directory: str, patterns: Iterable[str]) -> bool:
    """Return whether any pattern matches a directory, and this process trusts directories."""
    return _state["trusts"] and any(matches(pattern, directory) for pattern in patterns)
