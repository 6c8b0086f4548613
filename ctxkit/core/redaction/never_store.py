"""Which commands' output is never stored."""

from collections.abc import Sequence


def is_never_stored(words: Sequence[str], patterns: Sequence[str]) -> bool:
    """Tell whether a command line matches one of the globs, with the directory of its program or without.

    The words are compared as they were given, a blank between two: what a script behind ``sh -c`` runs is
    not looked into, but the script is one of the words.
    """
    if not patterns:
        return False
    from fnmatch import fnmatchcase

    lines = (" ".join(words), " ".join([words[0].rpartition("/")[2], *words[1:]]))
    return any(fnmatchcase(line, pattern) for line in lines for pattern in patterns)
