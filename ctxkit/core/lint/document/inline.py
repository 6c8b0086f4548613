"""Find the code spans of Markdown lines, and the fence that is broken where the last fence is never closed."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import Block, MarkdownDocument

_TICKS = compile_lazily(r"`+")
_LONGEST_LINE = 1 << 20
"""Maximum characters of a line in which code spans are recognized."""
_MAX_CACHED_LINES = 20_000
"""Lines whose code spans stay blanked: several rules read the lines of all documents one after the other."""


class CodeSpan(NamedTuple):
    """The text between backticks, and its offset in the line (0-based)."""

    text: str
    start: int

    @property
    def column(self) -> int:
        """Return the 1-based column of the first character."""
        return self.start + 1


def find_code_spans(line: str) -> Iterator[CodeSpan]:
    """Yield the code spans of a line: from a run of backticks to the next run of the same length."""
    ticks = [match.span() for match in _TICKS.finditer(line)] if "`" in line and len(line) <= _LONGEST_LINE else []
    later: dict[int, list[int]] = {}
    for place in range(len(ticks) - 1, -1, -1):
        later.setdefault(ticks[place][1] - ticks[place][0], []).append(place)
    at = 0
    while at < len(ticks):
        start, end = ticks[at]
        same = later[end - start]
        while same and same[-1] <= at:
            same.pop()
        if same:
            at = same[-1]
            yield CodeSpan(line[end : ticks[at][0]], end)
        at += 1


def blank_code_spans(line: str) -> str:
    """Return a line of the same length with code spans and their backticks blanked."""
    return _blank_spans(line) if "`" in line else line


@lru_cache(maxsize=_MAX_CACHED_LINES)
def _blank_spans(line: str) -> str:
    pieces, at = [], 0
    for span in find_code_spans(line):
        end = span.start + len(span.text)
        left = _find_backtick_edge(line, span.start - 1, -1)
        right = _find_backtick_edge(line, end, 1)
        pieces += [line[at:left], " " * (right - left)]
        at = right
    return "".join([*pieces, line[at:]])


def _find_backtick_edge(line: str, at: int, step: int) -> int:
    """Return the start of the backticks at an offset, or their end if ``step`` is 1."""
    while 0 <= at < len(line) and line[at] == "`":
        at += step
    return at if step > 0 else at + 1


def text_lines(document: MarkdownDocument) -> Iterator[tuple[int, str]]:
    """Yield (1-based number, line) of the lines outside of code, comments and front matter."""
    number = 1
    for block in document.blocks:
        for line in range(number, block.line):
            yield line, document.at(line)
        number = block.end_line + 1
    for line in range(number, document.lines + 1):
        yield line, document.at(line)


def prose_lines(document: MarkdownDocument) -> Iterator[tuple[int, str]]:
    """Yield the lines of ``text_lines`` with code spans blanked."""
    for number, line in text_lines(document):
        yield number, blank_code_spans(line)


_OPENING = compile_lazily(r"[ \t]{0,20}(?:`{3}|~{3})[`~]{0,20}[A-Za-z][\w+-]{0,30}[ \t]*$")
"""Matches the opening of a fence with the name of a language."""
_SECTION = compile_lazily(r" {0,3}#{2,6}[ \t]+\S")
"""Matches the heading of a section; a title looks like a comment of a shell."""


def find_outer_fence(document: MarkdownDocument, unclosed: Block) -> tuple[Block, int] | None:
    """Return the first closed fence that contains the opening of another one, and the line of that.

    Its end is that of the inner fence, and from there on, what opens and what closes is exchanged.
    """
    if unclosed.info:
        return None
    for block in document.blocks:
        if block.kind == "fence" and block.closed and block.line < unclosed.line:
            mark = document.at(block.line).lstrip(" \t>")[:1]
            for number in range(block.line + 1, block.end_line):
                line = document.at(number)
                if _OPENING.match(line) and line.lstrip()[0] == mark:
                    return block, number
    return None


def find_stray_fence(document: MarkdownDocument, unclosed: Block) -> Block | None:
    """Return the first closed fence with headings of sections in it: it opens where one too many stands."""
    for block in document.blocks:
        if block.kind == "fence" and block.closed and not block.info and block.line < unclosed.line:
            for number in range(block.line + 2, block.end_line):
                if _SECTION.match(document.at(number)) and not document.at(number - 1).strip():
                    return block
    return None


def find_broken_line(document: MarkdownDocument) -> int:
    """Return the line from which on code and text are exchanged, one behind the last line if there is none."""
    unclosed = next((block for block in document.blocks if not block.closed and block.kind == "fence"), None)
    outer = find_outer_fence(document, unclosed) if unclosed else None
    stray = find_stray_fence(document, unclosed) if unclosed else None
    return outer[0].line if outer else stray.line if stray else document.lines + 1


def is_in_template(document: MarkdownDocument, number: int) -> bool:
    """Return whether a line stands in a fence of Markdown, even if that ends too early, with a fence inside.

    By the rules of Markdown the rest is text. The author means a template, with paths and links of other places.
    """
    depth = 0
    for line in map(document.at, range(1, number) if "```m" in document.text else ()):
        if depth:
            depth += bool(_OPENING.match(line)) - bool(_BARE.match(line))
        else:
            depth = bool(_TEMPLATE.match(line))
    return depth > 0


_TEMPLATE = compile_lazily(r"[ \t]{0,20}`{3}(?:markdown|mdx?)[ \t]*$", re.IGNORECASE)
_BARE = compile_lazily(r"[ \t]{0,20}`{3}[ \t]*$")
