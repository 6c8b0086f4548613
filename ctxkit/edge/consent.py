"""Ask the user for consent on the terminal."""

import sys

from ctxkit.core.text.escapes import escape_line


def is_terminal() -> bool:
    """Return whether a question can be asked."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()


def ask(question: str) -> bool:
    """Return whether the user answers yes on the terminal."""
    print(f"ctxkit: {escape_line(question)} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
