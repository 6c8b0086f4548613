"""The one decision of the gate: does content fit, and is it tight?"""

from typing import NamedTuple

from ctxkit.core.budget import Budget
from ctxkit.core.tally import Tally


class Verdict(NamedTuple):
    """Say whether content may enter, by which count."""

    fits: bool
    tight: bool
    tally: Tally


def judge(tally: Tally, budget: Budget, limit: int | None = None) -> Verdict:
    """Return whether content of that size fits what one call may admit: its high end decides."""
    fits = tally.whole and tally.high <= budget.room(limit)
    return Verdict(fits, fits and budget.tight(tally.tokens), tally)
