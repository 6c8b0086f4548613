"""Reads of files that a conversation has left behind: the file was read again later, or changed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ctxkit.core.chat.record import Call, Record

_READS = re.compile(
    r"(?:^|[_\-.:]|(?<=[a-z]))(?:read|view|open|cat|show|get_?file|fetch_?file|load_?file)", re.IGNORECASE
)
_WRITES = re.compile(
    r"(?:^|[_\-.:]|(?<=[a-z]))(?:write|edit|replace|patch|insert|create|update|apply|modify|append|delete|remove"
    r"|rename|move|undo|save|overwrite)",
    re.IGNORECASE,
)
_PATHS = ("file_path", "path", "filepath", "filename", "file", "target_file", "absolute_path", "notebook_path", "uri")
_COMMANDS = ("command", "cmd", "action", "operation")
"""Arguments that say what a tool of many uses is to do, as ``view`` and ``str_replace`` of an editor."""
_RANGES = (
    *("offset", "limit", "view_range", "start_line", "end_line", "line_start", "line_end"),
    *("lines", "ranges", "start", "end"),
)


class Touch(NamedTuple):
    """Say that a call reads or changes a file, and which part of it is read, empty for the whole."""

    path: str
    reads: bool
    part: str = ""


def touches(call: Call) -> Iterator[Touch]:
    """Yield the files that a call reads or changes, as its name and its arguments tell; one that does both changes."""
    given: Mapping[str, Any] = call.arguments if isinstance(call.arguments, dict) else {}
    doing = " ".join(held for key in _COMMANDS if isinstance(held := given.get(key), str) and len(held) < 40)
    named = f"{call.name} {doing}"
    writes, reads = bool(_WRITES.search(named)), bool(_READS.search(named))
    if doing and _READS.search(doing) and not _WRITES.search(doing):
        writes, reads = False, True
    if writes or reads:
        part = " ".join(f"{key}={given[key]}" for key in _RANGES if key in given)
        yield from (Touch(path, not writes, part) for path in _paths(given))


def _paths(given: Mapping[str, Any]) -> Iterator[str]:
    for key in _PATHS:
        held = given.get(key)
        if isinstance(held, str) and held:
            yield held.removeprefix("file://").removeprefix("./")
            return


def stale(path: Sequence[Record]) -> dict[tuple[int, int], str]:
    """Return why reads are stale, by the places of their message in the path and of the call in it.

    A read is stale when the same part, or all of the file, is read again later, or the file is changed.
    """
    found: dict[tuple[int, int], str] = {}
    open_reads: dict[str, list[tuple[tuple[int, int], str]]] = {}
    for at, record in enumerate(path):
        for number, call in enumerate(record.calls):
            for touch in touches(call):
                before = open_reads.setdefault(touch.path, [])
                over = [one for one in before if not touch.reads or not touch.part or one[1] == touch.part]
                why = f"{touch.path} was {'read again' if touch.reads else 'changed'} later"
                found |= dict.fromkeys((key for key, _ in over), why)
                open_reads[touch.path] = [one for one in before if one not in over]
                if touch.reads:
                    open_reads[touch.path].append(((at, number), touch.part))
    return found
