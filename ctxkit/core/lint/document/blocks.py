"""Find the blocks of a Markdown text that are not prose: front matter, fences, comments."""

import re
from collections.abc import Sequence

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import Block

_FENCE = compile_lazily(r"\A([ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)?)(`{3,}+|~{3,}+)[ \t]*+([^`\n]*+)$")
_KEY = compile_lazily(r"\A(?:[\w.-]++[ \t]*+:|[ \t]*(?:#|-[ \t])|[ \t]+\S|[ \t]*$)")
FRONT_MATTER_LINES = 400
"""Maximum lines of front matter."""


def find_blocks(lines: Sequence[str]) -> tuple[Block, ...]:
    """Return the blocks of a text in order, without overlaps; the lines have no endings."""
    block_list: list[Block] = []
    number = 1
    front = _find_front_matter(lines)
    if front:
        block_list.append(front)
        number = front.end_line + 1
    while number <= len(lines):
        block = _block_at(lines, number)
        if block:
            block_list.append(block)
            number = block.end_line
        number += 1
    return tuple(block_list)


def _find_front_matter(lines: Sequence[str]) -> Block | None:
    """Return the front matter: lines between two rulers at the beginning of the file, if they look like keys."""
    if not lines or lines[0].rstrip() not in ("---", "+++") or len(lines) < 2 or not lines[1].strip():
        return None
    for number, line in enumerate(lines[1 : FRONT_MATTER_LINES + 1], 2):
        if line.rstrip() in (lines[0].rstrip(), "..."):
            return Block("front", 1, number)
        if lines[0][0] == "-" and not _KEY.match(line):
            return None
    return None


def _block_at(lines: Sequence[str], number: int) -> Block | None:
    """Return the block that begins on a line."""
    line = lines[number - 1]
    if "`" in line or "~" in line:
        match = _FENCE.match(line)
        if match:
            return _read_fence(lines, number, match)
    if "<!--" in line and line.lstrip(" \t>").startswith("<!--"):
        return _read_comment(lines, number)
    return None


def _read_fence(lines: Sequence[str], number: int, match: re.Match[str]) -> Block:
    mark, info = match[2], match[3].strip()
    quoted = ">" in match[1]
    for end in range(number + 1, len(lines) + 1):
        line = lines[end - 1]
        bare = line.strip(" \t>") if quoted else line.strip()
        if bare[:1] == mark[0] and bare.startswith(mark) and not bare.strip(mark[0]):
            return Block("fence", number, end, True, info)
    return Block("fence", number, len(lines), False, info)


def _read_comment(lines: Sequence[str], number: int) -> Block | None:
    """Return a comment that occupies complete lines; a comment before other text is part of that text."""
    for end in range(number, len(lines) + 1):
        line = lines[end - 1]
        at = line.find("-->", line.find("<!--") + 4 if end == number else 0)
        if at >= 0:
            return None if end == number and line[at + 3 :].strip() else Block("comment", number, end)
    return Block("comment", number, len(lines), False)
