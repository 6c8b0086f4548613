"""Whether a call certainly changed a file: a command may have failed, be running, or have run in another folder."""

import re

from ctxkit.core.context.extract.call_kind import command_of
from ctxkit.core.context.extract.classified_call import ClassifiedCall

_RELATIVE_CD = re.compile(r"(?:^|[;&|(\n])[ \t]*(?:cd|pushd|chdir|Set-Location)[ \t]+(?![/\\~]|[\"'][/\\]|[\"']?[A-Za-z]:)")
"""A change to a folder that is relative to one that is not known."""
_ABSOLUTE = re.compile(r"[/\\~]|[A-Za-z]:")
_RUNNING = re.compile(
    r"\b(?:running in (?:the )?background|still running|background (?:command|process|task) (?:started|is running)"
    r"|command is running|moved to (?:the )?background|timed out)\b",
    re.IGNORECASE,
)
"""What hosts say of a command that has not ended."""
_BACKGROUND = re.compile(r"(?<![&>])&\s*$|(?<![&>\d])& ")
_DOWNLOADER = re.compile(r"\b(?:curl|wget|yt-dlp|Invoke-WebRequest|iwr)\b")
"""Programs that write an error page, or a part, under the name of what should be there."""
HEAD_CHARS, MAX_COMMAND = 300, 4_000
"""Characters of a result in which a host says that a command is running, and characters of a command that are read."""


def is_certain_change(call: ClassifiedCall, path: str) -> bool:
    """Return whether a call that names a file as changed certainly changed a file of that name.

    A folder is not a file. Of a command, the outcome, the folder in which it ran and what it wrote may be unknown.
    """
    if path.endswith(("/", "\\")):
        return False
    if call.kind != "run":
        return True
    command = command_of(call.call)[:MAX_COMMAND]
    first = command.partition("<<")[0]
    is_running = bool(_RUNNING.search(call.call.text[:HEAD_CHARS]) or _BACKGROUND.search(first))
    is_displaced = not _ABSOLUTE.match(path) and bool(_RELATIVE_CD.search(first))
    return not (call.outcome.failed or is_running or is_displaced or _DOWNLOADER.search(first))
