"""Talk: warnings, errors and hints, on stderr only, without control characters, passwords and keys."""

import os
import sys
from collections.abc import Callable

_loudness = 0
_elsewhere: Callable[[str], None] | None = None


def turn(by: int) -> None:
    """Make the talk louder (-v) or quieter (-q)."""
    global _loudness
    _loudness += by


def is_quiet() -> bool:
    """Tell whether warnings are silenced (-q)."""
    return _loudness < 0


def is_verbose() -> bool:
    """Tell whether the caller wants to know what was decided (-v)."""
    return _loudness > 0


def redirect(take: Callable[[str], None]) -> None:
    """Hand every line to ``take`` from now on: another process says it."""
    global _elsewhere
    _elsewhere = take


def warn(message: str) -> None:
    """Say one line that does not change the outcome; -q silences it."""
    if _loudness >= 0:
        _say_line(f"ctxkit: warning: {message}")


def tell(message: str) -> None:
    """Say one line that whoever calls needs to know although nothing is wrong; -q silences it."""
    if _loudness >= 0:
        _say_line(f"ctxkit: {message}")


def note(message: str) -> None:
    """Say what was decided, to who asked for it with -v."""
    if _loudness > 0:
        _say_line(f"ctxkit: {message}")


def error(message: str, hint: str = "") -> None:
    """Say why a command ends as it does, and what may help; what others lay out on several lines becomes one."""
    from re import sub

    line = sub(r"[ \t\r\n]+", " ", message).strip()
    _say_line(f"ctxkit: {line}")
    if hint:
        _say_line(f"  hint: {hint}")


def _say_line(text: str) -> None:
    from ctxkit.core.escapes import escape_line

    say(escape_line(text.rstrip("\n")))


def say(text: str) -> None:
    """Write text to stderr, of as many lines as it has."""
    from ctxkit.core.escapes import escape_controls
    from ctxkit.core.masking import mask_secrets

    write(escape_controls(mask_secrets(text)))


def write(line: str) -> None:
    """Write a line to stderr as it is, such as an object in JSON; a closed stderr is nobody's trouble."""
    if _elsewhere is not None:
        _elsewhere(line)
        return
    if sys.stderr is None:  # print would take stdout instead, which is for data
        return
    try:
        print(line, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        return


def debugging() -> bool:
    """Tell whether the user wants tracebacks."""
    return os.environ.get("CTXKIT_DEBUG", "") not in ("", "0")
