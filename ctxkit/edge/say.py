"""Talk: warnings, errors and hints, on stderr only, without control characters, passwords and keys."""

import os
import sys
from collections.abc import Callable

_verbosity = 0
_redirected_write: Callable[[str], None] | None = None


def change_verbosity(by: int) -> None:
    """Make the talk louder (-v) or quieter (-q)."""
    global _verbosity
    _verbosity += by


def is_quiet() -> bool:
    """Tell whether warnings are silenced (-q)."""
    return _verbosity < 0


def is_verbose() -> bool:
    """Tell whether the caller wants to know what was decided (-v)."""
    return _verbosity > 0


def redirect(write_line: Callable[[str], None]) -> None:
    """Hand every line to ``write_line`` from now on: another process says it."""
    global _redirected_write
    _redirected_write = write_line


def warn(message: str) -> None:
    """Say one line that does not change the outcome; -q silences it."""
    if _verbosity >= 0:
        _say_line(f"ctxkit: warning: {message}")


def inform(message: str) -> None:
    """Say one line that whoever calls needs to know although nothing is wrong; -q silences it."""
    if _verbosity >= 0:
        _say_line(f"ctxkit: {message}")


def note(message: str) -> None:
    """Say what was decided, to who asked for it with -v."""
    if _verbosity > 0:
        _say_line(f"ctxkit: {message}")


def error(message: str, hint: str = "") -> None:
    """Say why a command ends as it does, and what may help; what others lay out on several lines becomes one."""
    from re import sub

    line = sub(r"[ \t\r\n]+", " ", message).strip()
    _say_line(f"ctxkit: {line}")
    if hint:
        _say_line(f"  hint: {hint}")


def _say_line(text: str) -> None:
    from ctxkit.core.text.escapes import escape_line

    say(escape_line(text.rstrip("\n")))


def say(text: str) -> None:
    """Write text to stderr, of as many lines as it has."""
    from ctxkit.core.redaction.masking import mask_secrets
    from ctxkit.core.text.escapes import escape_controls

    write(escape_controls(mask_secrets(text)))


def write(line: str) -> None:
    """Write a line to stderr as it is, such as an object in JSON; a closed stderr is nobody's trouble."""
    if _redirected_write is not None:
        _redirected_write(line)
        return
    if sys.stderr is None:  # print would take stdout instead, which is for data
        return
    try:
        print(line, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        return


def is_debugging() -> bool:
    """Tell whether the user wants tracebacks."""
    return os.environ.get("CTXKIT_DEBUG", "") not in ("", "0")
