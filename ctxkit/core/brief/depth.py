"""How much detail a map has room for."""

from collections.abc import Callable

from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.render import render

AROUND = 130
"""Tokens that the header and the hint may take."""


def size(outline: Outline, document: Document) -> int:
    """Return the tokens of an outline without what stands around it."""
    return document.count(render(outline, lambda _, body, __: body, None))


def deepest(build: Callable[[int], Outline], most: int, document: Document) -> int:
    """Return the most details, of ``most``, with which what ``build`` makes fits; 0 when none does.

    It is a choice, not a proof: the renderer counts what it prints.
    """
    room = document.target - AROUND
    low, high = 0, min(most, document.target)
    while low < high:
        middle = (low + high + 1) // 2
        if size(build(middle), document) <= room:
            low = middle
        else:
            high = middle - 1
    return low
