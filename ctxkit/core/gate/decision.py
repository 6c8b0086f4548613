"""The one decision of the gate: does content fit, and is it tight?"""

from typing import NamedTuple

from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.token_count import TokenCount


class Decision(NamedTuple):
    """Say whether content may enter, by which count; ``blocked`` is content that would fit a window too full for it."""

    fits: bool
    tight: bool
    token_count: TokenCount
    blocked: bool = False


def decide(
    token_count: TokenCount, budget: Budget, limit: int | None = None, *, ignore_hard_block: bool = False
) -> Decision:
    """Return whether content of that size fits what one call may admit: its high end decides.

    Where what is used has reached the hard block, only nothing at all fits, unless the caller says to
    ``ignore_hard_block`` it.
    """
    fits = token_count.complete and token_count.high <= budget.allowance(limit)
    blocked = fits and not ignore_hard_block and token_count.high > 0 and budget.is_blocked()
    fits = fits and not blocked
    return Decision(fits, fits and budget.is_tight(token_count.tokens), token_count, blocked)
