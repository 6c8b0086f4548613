"""Stale reads: reads of a file that is read again or changed later in the conversation."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.chat.model.message import Record, RecordCall
from ctxkit.core.text.json_value import JsonValue

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
"""Arguments that select the operation of a multi-purpose tool, such as ``view`` and ``str_replace`` of an editor."""
_RANGES = (
    *("offset", "limit", "view_range", "start_line", "end_line", "line_start", "line_end"),
    *("lines", "ranges", "start", "end"),
)


class FileAccess(NamedTuple):
    """A call's access to a file; ``part`` is the range that it reads, empty for the whole file."""

    path: str
    is_read: bool
    part: str = ""


def find_file_accesses(call: RecordCall) -> Iterator[FileAccess]:
    """Yield the files that a call reads or changes, according to its name and arguments.

    A call that both reads and changes a file counts as a change.
    """
    arguments: Mapping[str, JsonValue] = call.arguments if isinstance(call.arguments, dict) else {}
    action = " ".join(value for key in _COMMANDS if isinstance(value := arguments.get(key), str) and len(value) < 40)
    description = f"{call.name} {action}"
    writes, reads = bool(_WRITES.search(description)), bool(_READS.search(description))
    if action and _READS.search(action) and not _WRITES.search(action):
        writes, reads = False, True
    if writes or reads:
        part = " ".join(f"{key}={arguments[key]}" for key in _RANGES if key in arguments)
        yield from (FileAccess(path, not writes, part) for path in _find_path(arguments))


def _find_path(arguments: Mapping[str, JsonValue]) -> Iterator[str]:
    for key in _PATHS:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            yield value.removeprefix("file://").removeprefix("./")
            return


def find_stale_reads(path: Sequence[Record]) -> dict[tuple[int, int], str]:
    """Return why reads are stale, keyed by the position of the message and the number of the call.

    A read is stale if a later call changes the file, or reads the same part or the whole file.
    """
    reasons: dict[tuple[int, int], str] = {}
    open_reads: dict[str, dict[str, tuple[int, int]]] = {}
    for at, record in enumerate(path):
        for number, call in enumerate(record.calls):
            for access in find_file_accesses(call):
                by_part = open_reads.setdefault(access.path, {})
                parts = [access.part] if access.is_read and access.part else list(by_part)
                reason = f"{access.path} was {'read again' if access.is_read else 'changed'} later"
                reasons |= {by_part.pop(part): reason for part in parts if part in by_part}
                if access.is_read:
                    by_part[access.part] = at, number
    return reasons
