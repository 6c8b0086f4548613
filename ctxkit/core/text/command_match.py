"""Match command lines against the patterns that a user lists in a setting."""

import re
from collections.abc import Iterator, Sequence

SHELLS = ("sh", "bash", "dash", "ksh", "zsh")
"""Programs whose option -c takes a script."""
MAX_SCRIPT = 100_000
"""Maximum characters of a script that is split into its commands."""
MAX_LEVELS = 4
"""Levels of commands inside commands that are searched."""
_SUBSTITUTION = re.compile(r"\$\(([^()]*)\)|`([^`]*)`")
"""A command whose output becomes a part of another command."""
_GLOB_SIGNS = frozenset("*?[")


def matches_command(words: Sequence[str], patterns: Sequence[str], *, nested: bool = False) -> bool:
    """Return whether a pattern matches a command line, or a command of its script.

    A pattern without glob signs matches a command that begins with the words of the pattern, as ``git diff`` matches
    ``git diff --stat``. A glob matches the whole command, its words joined by blanks. The directory of a program may
    be left out. The script of ``sh -c`` is split into its commands; if ``nested``, with those inside ``$(...)`` and
    behind ``ctxkit run``.
    """
    if not patterns or not words:
        return False
    commands = list(_list_commands(words, MAX_LEVELS if nested else 0))
    return any(_matches(command, pattern) for pattern in patterns for command in commands)


def matches_script(script: str, patterns: Sequence[str]) -> bool:
    """Return whether a pattern matches a shell script or one of its commands, also nested ones."""
    return matches_command(["sh", "-c", script], patterns, nested=True)


def _list_commands(words: Sequence[str], levels: int) -> Iterator[list[str]]:
    """Yield the command line itself, and the commands of its script; with ``levels``, also those nested so deeply."""
    yield list(words)
    if levels and words[0].rpartition("/")[2] == "ctxkit" and "--" in words[:-1]:
        yield from _list_commands(words[words.index("--") + 1 :], levels - 1)
    script = _find_script(words)
    if script:
        from ctxkit.core.text.shell_script import split_commands

        scripts = [script[:MAX_SCRIPT]]
        if levels:
            scripts += [inner for match in _SUBSTITUTION.findall(scripts[0]) for inner in match if inner]
        for command, _ in (pair for part in scripts for pair in split_commands(part)):
            if command and levels:
                yield from _list_commands(command, levels - 1)
            elif command:
                yield command


def _find_script(words: Sequence[str]) -> str:
    """Return the script of ``sh -c``, or ""; options may be joined, as in ``bash -lc``."""
    if words[0].rpartition("/")[2] not in SHELLS:
        return ""
    for number, word in enumerate(words[1:-1], 1):
        if not word.startswith("-"):
            return ""
        if not word.startswith("--") and word.endswith("c"):
            return words[number + 1]
    return ""


def _matches(command: list[str], pattern: str) -> bool:
    lines = (" ".join(command), " ".join([command[0].rpartition("/")[2], *command[1:]]))
    if _GLOB_SIGNS.isdisjoint(pattern):
        start = " ".join(pattern.split())
        return bool(start) and any(line == start or line.startswith(f"{start} ") for line in lines)
    from fnmatch import fnmatchcase

    return any(fnmatchcase(line, pattern) for line in lines)
