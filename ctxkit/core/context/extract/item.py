"""Something to be told on the page, in several lengths."""

from typing import NamedTuple

from ctxkit.core.context.template import Section


class PageItem(NamedTuple):
    """Hold a bullet: the ``forms`` that it may take, the fullest first, and what it is worth.

    ``rank`` puts bullets of a section in order, ties as they came.
    """

    section: Section
    forms: tuple[str, ...]
    score: int
    rank: int = 0
