"""Find the code spans of Markdown lines, and blank them."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import MarkdownDocument

_TICKS = compile_lazily(r"`+")


LONGEST_LINE = 1 << 20
"""Maximum characters of a line in which code spans are recognized."""
MAX_CACHED_LINES = 20_000
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
    ticks = [match.span() for match in _TICKS.finditer(line)] if "`" in line and len(line) <= LONGEST_LINE else []
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


@lru_cache(maxsize=MAX_CACHED_LINES)
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
