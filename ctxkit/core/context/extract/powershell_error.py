"""The message of PowerShell in an output: above its place and category, or below the line of the script it is about."""

import re
from collections.abc import Sequence

_MARK = "+ CategoryInfo"
"""What PowerShell writes below a message and its place."""
_PLACE = re.compile(r"^[ \t]*\+ [^\n]*\n?|^[^\n:]{2,12}:\d+ [^\n:]{2,12}:[ \t]?\d+[ \t]*\n?", re.MULTILINE)
"""A line that PowerShell adds to a message: the place of the error, its source, or its category."""
_LABEL = re.compile(r"[\w.\\/:-]{1,80} : \S")
"""The command and the beginning of the message about it."""
_CONCISE = re.compile(
    r"^(?P<label>[\w.-]{1,80}):[^\n]{0,400}\nLine \|\n(?:\d+ \|[^\n]*\n){1,20}\|[ \t]*~[^\n]*\n"
    r"(?P<message>\|[^\n]*(?:\n\|[^\n]*){0,20})",
    re.MULTILINE,
)
"""A message of PowerShell 7: the kind of the error, the line of the script with a mark below, and the message."""
_BAR = re.compile(r"^\|[ \t]*", re.MULTILINE)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")
MIN_WRAPPED, MAX_WRAPPED = 60, 5
"""Minimum characters of a line that a terminal may have wrapped, and maximum lines of a message."""


def is_powershell_message(line: str) -> bool:
    """Return whether a line begins with a command and the message of PowerShell about it."""
    return bool(_LABEL.match(line))


def find_powershell_message(lines: Sequence[str]) -> list[str]:
    """Return the first message of PowerShell in stripped lines, and its category if that stands below; else nothing.

    >>> find_powershell_message(["ParserError:", "Line |", "1 |  a b", "|    ~", "| Unexpected token 'b'."])
    ["ParserError: Unexpected token 'b'."]
    """
    if "Line |" in lines and (concise := _CONCISE.search("\n".join(lines))):
        return [f"{concise['label']}: {' '.join(_BAR.sub('', concise['message']).split())}"]
    category = next((line for line in lines if _MARK in line), "")
    if not category:
        return []
    lines = [line.strip() for line in _PLACE.sub("", "\n".join(lines)).splitlines() if line.strip()]
    first = next((at for at, line in enumerate(lines) if _LABEL.match(line)), 0)
    return [_join_wrapped(lines[first:]), category] if lines else []


def _join_wrapped(lines: Sequence[str]) -> str:
    """Return the first sentence of a message that PowerShell has wrapped at the width of the terminal."""
    message = lines[0]
    for line in lines[1:MAX_WRAPPED]:
        if len(message) < MIN_WRAPPED or message[-1] in ".!?:" or _LABEL.match(line):
            break
        end = _SENTENCE_END.search(line)
        message = f"{message} {line[: end.end()] if end else line}"
        if end:
            break
    return message
