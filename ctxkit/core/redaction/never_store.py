"""Decide which commands' output is never stored."""

from collections.abc import Sequence


def is_never_stored(words: Sequence[str], patterns: Sequence[str]) -> bool:
    """Return whether a command line matches a glob, with or without the directory of its program.

    The words are joined by blanks. The commands inside the script of ``sh -c`` are not matched separately, but the
    script is one of the words.
    """
    if not patterns:
        return False
    from fnmatch import fnmatchcase

    lines = (" ".join(words), " ".join([words[0].rpartition("/")[2], *words[1:]]))
    return any(fnmatchcase(line, pattern) for line in lines for pattern in patterns)
