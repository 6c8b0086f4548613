"""The input of a map, read for counting: its lines as a terminal shows them, and their forms."""

import re
from collections import Counter
from functools import cached_property

from bench.claims import lines_of, list_seen
from bench.doors import text_of

VARIABLE = re.compile(
    r"'[^']*'|\"[^\"]*\"|`[^`]*`|‘[^’]*’|“[^”]*”|0x[0-9a-fA-F]+|\b[0-9a-f]{7,64}\b|(?<![A-Za-z])\d[\d.,:]*|[\w.+-]*/[\w./+-]*"
)


class SourceText:
    """Know an input's bytes, text and lines, and count lines in it."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.text = text_of(data)
        self.lines = lines_of(self.text)

    @cached_property
    def visible_lines(self) -> list[str]:
        """Return the lines without control sequences."""
        return [list_seen(line) for line in self.lines]

    @cached_property
    def forms(self) -> Counter[str]:
        """Return how often each form of a line occurs: numbers, paths and quoted names are left out of a form."""
        return Counter(form_of(line) for line in self.visible_lines)

    @cached_property
    def _full_text(self) -> str:
        return "\n".join(self.visible_lines)

    @cached_property
    def dense_text(self) -> str:
        """Return the text without blanks."""
        return squeeze(self.text)

    def count_lines(self, pattern: str, start: int = 0, end: int = 0) -> int:
        """Return how many lines, of a range or of all, hold a pattern."""
        lines = self.visible_lines[start - 1 : end] if start else self.visible_lines
        compiled = re.compile(pattern)
        return sum(1 for line in lines if compiled.search(line))

    def states(self, number: int, words: str) -> bool:
        """Return whether the input itself states a number beside one of the words."""
        digits = rf"(?<![\d.,:])(?:{number}|{number:,})(?!:|[\d.,]*\d)"
        near = rf"(?i){digits}[^\n:]{{0,40}}(?:{words})|(?:{words})[^\n]{{0,40}}{digits}"
        return re.search(near, self._full_text) is not None


def form_of(line: str) -> str:
    """Return a line without what varies between messages of one kind."""
    return " ".join(VARIABLE.sub("#", line).split())


def squeeze(text: str) -> str:
    """Return source code without blanks and without a comma after the last element."""
    return re.sub(r",(?=[)>\]}])", "", re.sub(r"\s+", "", text))
