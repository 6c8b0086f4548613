"""Match command lines against the patterns that a user lists in a setting."""

from collections.abc import Iterator, Sequence

SHELLS = ("sh", "bash", "dash", "ksh", "zsh")
"""Programs whose option -c takes a script."""
MAX_SCRIPT = 100_000
"""Maximum characters of a script that is split into its commands."""
_GLOB_SIGNS = frozenset("*?[")


def matches_command(words: Sequence[str], patterns: Sequence[str]) -> bool:
    """Return whether a pattern matches a command line, or a command of its script.

    A pattern without glob signs matches a command that begins with the words of the pattern, as ``git diff`` matches
    ``git diff --stat``. A glob matches the whole command, its words joined by blanks. The directory of a program may
    be left out. The script of ``sh -c`` is split into its commands, without those inside ``$(...)``: see
    ``shell_commands`` for a search at any depth.
    """
    if not patterns or not words:
        return False
    commands = list(_list_commands(words))
    return any(matches_words(command, pattern) for pattern in patterns for command in commands)


def _list_commands(words: Sequence[str]) -> Iterator[list[str]]:
    """Yield the command line itself, and the commands of its script."""
    yield list(words)
    if script := find_script(words):
        from ctxkit.core.text.shell_script import split_commands

        yield from (command for command, _ in split_commands(script[:MAX_SCRIPT]) if command)


def find_script(words: Sequence[str]) -> str:
    """Return the script of ``sh -c``, or ""."""
    place = find_script_place(words)
    return words[place] if place else ""


def find_script_place(words: Sequence[str]) -> int:
    """Return the index of the script of ``sh -c``, 0 for none; options may be joined, as in ``bash -lc``."""
    if words[0].rpartition("/")[2] not in SHELLS:
        return 0
    for number, word in enumerate(words[1:-1], 1):
        if not word.startswith("-"):
            return 0
        if not word.startswith("--") and word.endswith("c"):
            return number + 1
    return 0


def matches_words(command: Sequence[str], pattern: str) -> bool:
    """Return whether a pattern names a command by its words."""
    lines = (" ".join(command), " ".join([command[0].rpartition("/")[2], *command[1:]]))
    if _GLOB_SIGNS.isdisjoint(pattern):
        start = " ".join(pattern.split())
        return bool(start) and any(line == start or line.startswith(f"{start} ") for line in lines)
    from fnmatch import fnmatchcase

    return any(fnmatchcase(line, pattern) for line in lines)
