"""A session of Claude Code without the lines of its subagents, which are most of a large one and are never sent."""

import re
from collections.abc import Iterable, Iterator

from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.lines import split_lines
from ctxkit.core.text.positions import InvalidJsonError, JsonTooDeepError, decode_value

_MARK = re.compile(rb'(?<!\\)"isSidechain"[ \t]*:[ \t]*true')


class MainLines:
    """The lines of a session in pieces, without those of subagents; ``left_out`` counts their lines and bytes."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks
        self.left_out = (0, 0)

    def __iter__(self) -> Iterator[bytes]:
        """Yield the lines; blank ones are left out."""
        lines = size = 0
        for _, line in split_lines(self._chunks):
            if _MARK.search(line) and _is_of_subagent(line):
                lines, size = lines + 1, size + len(line)
                self.left_out = lines, size
            else:
                yield line


def _is_of_subagent(line: bytes) -> bool:
    """Return whether a line is an entry of a subagent; the mark may be in a part of another entry."""
    value: JsonValue = None
    try:
        value, _ = decode_value(line.decode("utf-8", "replace"), 0)
    except (InvalidJsonError, JsonTooDeepError):
        return False
    return isinstance(value, dict) and value.get("isSidechain") is True
