"""The one decision of the gate: does content fit, and is it tight?"""

from typing import NamedTuple

from ctxkit.core.budget import Budget
from ctxkit.core.tally import Tally


class Verdict(NamedTuple):
    """Say whether content may enter, by which count; ``blocked`` is content that would fit a window too full for it."""

    fits: bool
    tight: bool
    tally: Tally
    blocked: bool = False


def judge(tally: Tally, budget: Budget, limit: int | None = None, *, admit: bool = False) -> Verdict:
    """Return whether content of that size fits what one call may admit: its high end decides.

    Where what is used has reached the hard block, only nothing at all fits, unless the caller says to ``admit`` it.
    """
    fits = tally.whole and tally.high <= budget.room(limit)
    blocked = fits and not admit and tally.high > 0 and budget.blocked()
    fits = fits and not blocked
    return Verdict(fits, fits and budget.tight(tally.tokens), tally, blocked)
