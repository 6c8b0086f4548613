"""Decide whether content may pass, by its token count and the budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.named_tuple import NamedTuple

if TYPE_CHECKING:
    from ctxkit.core.tokens.budget import Budget
    from ctxkit.core.tokens.token_count import TokenCount


class Decision(NamedTuple):
    """Whether content may pass unchanged, and its token count.

    ``tight`` content fits but nearly fills the window. ``blocked`` content would fit if the window were not over its
    hard block.
    """

    fits: bool
    tight: bool
    token_count: TokenCount
    blocked: bool = False


def decide(
    token_count: TokenCount, budget: Budget, limit: int | None = None, *, ignore_hard_block: bool = False
) -> Decision:
    """Return whether content of this count fits the allowance of one call; the upper end of the count decides.

    If the used tokens have reached the hard block, only empty content fits, unless ``ignore_hard_block``.
    """
    fits = token_count.complete and token_count.high <= budget.allowance(limit)
    blocked = fits and not ignore_hard_block and token_count.high > 0 and budget.is_blocked()
    fits = fits and not blocked
    return Decision(fits, fits and budget.is_tight(token_count.tokens), token_count, blocked)
