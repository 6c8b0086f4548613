"""Tell which lines of a document are about the past or the future."""

import re
from bisect import bisect_left

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import MarkdownDocument

_PAST_SECTION = compile_lazily(
    r"change ?log|history|migrat|removed|deleted|deprecat|legacy|archive|previous|release notes|roadmap|planned|todo"
    r"|future|proposal|post-?mortem|decision log|completed|done\b|progress|^\W*(?:19|20)\d\d[-/.]\d",
    re.IGNORECASE,
)
"""Titles of sections about the past or the future."""


class PastSections:
    """Index of the lines of a document that are in a section about the past or the future."""

    def __init__(self, document: MarkdownDocument) -> None:
        self._lines: list[int] = []
        self._is_past_section: list[bool] = []
        above: list[tuple[int, bool]] = []  # level of each open section, and whether it or a parent is about the past
        for heading in document.headings:
            while above and above[-1][0] >= heading.level:
                above.pop()
            around = above[-1][1] if above else False
            above.append((heading.level, around or bool(_PAST_SECTION.search(heading.title))))
            self._lines.append(heading.line)
            self._is_past_section.append(above[-1][1])

    def is_past(self, line: int) -> bool:
        """Return whether a line is in a section about the past or the future."""
        place = bisect_left(self._lines, line)
        return place > 0 and self._is_past_section[place - 1]
