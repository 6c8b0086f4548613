"""Print warnings, errors and hints on stderr, without control characters, passwords and keys."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

_verbosity = 0
_redirected_write: Callable[[str], None] | None = None


def change_verbosity(by: int) -> None:
    """Raise (-v) or lower (-q) the verbosity."""
    global _verbosity
    _verbosity += by


def reset() -> None:
    """Forget the verbosity of a command before this one in the same process."""
    global _verbosity
    _verbosity = 0


def is_quiet() -> bool:
    """Return whether warnings are silenced (-q)."""
    return _verbosity < 0


def is_verbose() -> bool:
    """Return whether decisions are reported (-v)."""
    return _verbosity > 0


def redirect(write_line: Callable[[str], None]) -> None:
    """Send every line to ``write_line``, which lets another process print it."""
    global _redirected_write
    _redirected_write = write_line


def warn(message: str) -> None:
    """Print a one-line warning that does not change the result; -q silences it."""
    if _verbosity >= 0:
        _say_line(f"ctxkit: warning: {message}")


def inform(message: str) -> None:
    """Print a line that callers need although nothing is wrong; -q silences it."""
    if _verbosity >= 0:
        _say_line(f"ctxkit: {message}")


def note(message: str) -> None:
    """Print a decision if -v was given."""
    if _verbosity > 0:
        _say_line(f"ctxkit: {message}")


def error(message: str, hint: str = "") -> None:
    """Print why a command fails, and a hint; join a message of several lines."""
    from re import sub

    line = sub(r"[ \t\r\n]+", " ", message).strip()
    _say_line(f"ctxkit: {line}")
    if hint:
        _say_line(f"  hint: {hint}")


def _say_line(text: str) -> None:
    from ctxkit.core.text.escapes import escape_line

    say(escape_line(text.rstrip("\n")))


def say(text: str) -> None:
    """Print text of any number of lines on stderr."""
    from ctxkit.core.redaction.masking import mask_secrets
    from ctxkit.core.text.escapes import escape_controls

    write(escape_controls(mask_secrets(text)))


def write(line: str) -> None:
    """Print a line on stderr unchanged, such as a JSON object; ignore a closed stderr."""
    if _redirected_write is not None:
        _redirected_write(line)
        return
    if sys.stderr is None:  # print would use stdout instead, which is for data
        return
    try:
        print(line, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        return


def is_debugging() -> bool:
    """Return whether the user wants tracebacks."""
    return os.environ.get("CTXKIT_DEBUG", "") not in ("", "0")
