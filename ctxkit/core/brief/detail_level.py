"""The choice of how much detail fits into a briefing."""

from collections.abc import Callable

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.render import render_outline

FRAME_TOKENS = 130
"""Maximum tokens of the header and the hint."""


def count_outline_tokens(outline: Outline, document: InputDocument) -> int:
    """Return the number of tokens of an outline without its frame."""
    return document.count(render_outline(outline, lambda _, body, __: body, None))


def find_most_detail(build: Callable[[int], Outline], most: int, document: InputDocument) -> int:
    """Return the largest number of details, up to ``most``, whose outline from ``build`` fits, or 0.

    This is an estimate: the renderer counts the final text.
    """
    room = document.target - FRAME_TOKENS
    low, high = 0, min(most, document.target)
    while low < high:
        middle = (low + high + 1) // 2
        if count_outline_tokens(build(middle), document) <= room:
            low = middle
        else:
            high = middle - 1
    return low
