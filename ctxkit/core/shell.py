"""Text as a shell reads it back."""

from collections.abc import Sequence

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_-+=:,./")


def quoted(text: str) -> str:
    """Return ``text`` so that a shell takes it as one word."""
    if text and _PLAIN.issuperset(text):
        return text
    return "'" + text.replace("'", "'\"'\"'") + "'"


def argument(path: str) -> str:
    """Return a path as one word that no command takes for an option."""
    return quoted(f"./{path}" if path.startswith("-") else path)


def joined(words: Sequence[str]) -> str:
    """Return a command line that a shell splits into ``words`` again."""
    return " ".join(map(quoted, words))
