"""A page item: a bullet in several lengths."""

from typing import Literal, NamedTuple

from ctxkit.core.context.template import Section

ItemSource = Literal["", "demand", "own"]
"""Sources that matter for a bullet: a demand of the user, or a page that a person edited."""


class PageItem(NamedTuple):
    """A bullet with its ``forms``, longest first, and its score.

    ``rank`` orders the bullets of a section; equal ranks keep their order.
    """

    section: Section
    forms: tuple[str, ...]
    score: int
    rank: int = 0
    source: ItemSource = ""
