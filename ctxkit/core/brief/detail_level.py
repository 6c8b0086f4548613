"""How much detail a map has room for."""

from collections.abc import Callable

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.render import render_outline

FRAME_TOKENS = 130
"""Tokens that the header and the hint may take."""


def count_outline_tokens(outline: Outline, document: InputDocument) -> int:
    """Return the tokens of an outline without what stands around it."""
    return document.count(render_outline(outline, lambda _, body, __: body, None))


def find_most_detail(build: Callable[[int], Outline], most: int, document: InputDocument) -> int:
    """Return the most details, of ``most``, with which what ``build`` makes fits; 0 when none does.

    It is a choice, not a proof: the renderer counts what it prints.
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
