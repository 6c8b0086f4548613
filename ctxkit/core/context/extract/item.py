"""A page item: a bullet in several lengths."""

from typing import NamedTuple

from ctxkit.core.context.template import Section


class PageItem(NamedTuple):
    """A bullet with its ``forms``, longest first, and its score.

    ``rank`` orders the bullets of a section; equal ranks keep their order.
    """

    section: Section
    forms: tuple[str, ...]
    score: int
    rank: int = 0
