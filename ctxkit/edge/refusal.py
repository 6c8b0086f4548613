"""Why nothing goes in, and what to do about it."""

from ctxkit.core.admission import Admission
from ctxkit.core.ref import short
from ctxkit.core.terms import Terms


def reason(admission: Admission, terms: Terms) -> str:
    """Return why content is refused: the window is full, or no map is short enough."""
    budget = terms.budget
    if budget.blocked():
        return f"the window is full: {budget.used:,} of {budget.effective:,} tokens are used"
    what = "map" if admission.ref else "excerpt"
    share = "half of what is available" if terms.target == budget.available // 2 else "all that --limit allows"
    return f"no {what} of {terms.title} fits {terms.target:,} tokens, {share}"


def remedy(admission: Admission, terms: Terms) -> str:
    """Return what makes room, and how to have what was stored or let it in."""
    ways = ["ctxkit compact makes room"]
    if terms.limit is not None and terms.limit < terms.budget.available:
        ways.append("so does a larger --limit")
    if terms.budget.assumed:
        ways.append("--model or --window names a larger window")
    if terms.budget.blocked() and _fits(admission, terms):
        ways.append("--admit lets it in all the same")
    if admission.ref:
        ways.append(f"ctxkit cache get {short(admission.ref)} reads what is stored")
    return "; ".join(ways)


def _fits(admission: Admission, terms: Terms) -> bool:
    """Tell whether the whole content would fit what is left of the window."""
    original = admission.original
    return original is not None and original.whole and 0 <= original.high <= terms.budget.room(terms.limit)
