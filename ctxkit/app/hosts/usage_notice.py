"""The note that tells an agent how full its window is, from the usage in its host's transcript."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from ctxkit.core.errors import UsageError
from ctxkit.edge import source

if TYPE_CHECKING:
    from ctxkit.edge.settings import Settings


def make_host_note(transcript_path: str, settings: Settings) -> str:
    """Return the note past 80 % of the effective window, "" before, or if the usage or the window is unknown."""
    if not transcript_path:
        return ""
    from ctxkit.core.budget.context_budget import format_host_note
    from ctxkit.core.usage.last_usage import find_last_usage
    from ctxkit.edge.request import CliRequest

    usage = find_last_usage(read_tail(transcript_path))
    if not usage.used:
        return ""
    request = CliRequest(model=usage.model or None, window=usage.window or None, used=usage.used)
    with suppress(UsageError):  # the window is unknown
        return format_host_note(usage.used, request.budget(settings).effective)
    return ""


def read_tail(path: str) -> bytes:
    """Return the end of a file, without the line that is cut off."""
    from ctxkit.core.usage.last_usage import TAIL_BYTES

    with os.fdopen(source.open_file(path), "rb") as file:
        start = max(file.seek(0, os.SEEK_END) - TAIL_BYTES, 0)
        file.seek(start)
        data = file.read(TAIL_BYTES)
    return data.partition(b"\n")[2] if start else data
