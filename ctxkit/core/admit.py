"""The single door: content passes raw if it fits, else it is shortened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.admission import UNCOUNTED, Admission
from ctxkit.core.held import HeldBack
from ctxkit.core.judge import Verdict, judge
from ctxkit.core.tally import Tally, bound, tally
from ctxkit.core.trouble import IOFailed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctxkit.core.terms import Engines, Terms


def fits(source: Iterable[bytes], terms: Terms, engines: Engines) -> Verdict:
    """Answer whether content would pass raw; nothing is stored."""
    return _decide(HeldBack(source), terms, engines)


def admit(source: Iterable[bytes], terms: Terms, engines: Engines) -> Admission:
    """Decide how content enters.

    Trouble with the tokenizer or the store lets the content pass unchanged with a warning, unless
    the terms are strict. Raises IOFailed when the content cannot be read.
    """
    held = HeldBack(source)
    try:
        verdict = _decide(held, terms, engines)
    except IOFailed:  # what cannot be read cannot pass
        raise
    except Exception as error:  # law 1: what cannot be judged passes
        return unchanged(held.everything(), error, terms)
    if verdict.fits:
        return Admission("tight" if verdict.tight else "raw", verdict.tally, held.everything(), size=held.size)
    # Only content that does not fit pays for importing what shortens it.
    from ctxkit.core.shorten import shorten

    return shorten(held, verdict.tally, terms, engines)


def _decide(held: HeldBack, terms: Terms, engines: Engines) -> Verdict:
    """Judge by the byte bound first, which needs no tokenizer; then count, stopping early."""
    room = terms.budget.room(terms.limit)
    start = held.upto(room)
    if held.ended:
        most = bound(start, terms.vocabulary)
        verdict = judge(Tally(most, most, "bound"), terms.budget, terms.limit)
        if verdict.fits and not verdict.tight:
            return verdict
    count = engines.tokenizer(terms.vocabulary)
    return judge(tally(held, terms.vocabulary, count, room), terms.budget, terms.limit)


def unchanged(content: Iterable[bytes], error: Exception, terms: Terms) -> Admission:
    """Fail open: what could not be judged or stored passes as it is, with a warning."""
    if terms.strict:
        raise error
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    place = getattr(error, "filename", None)
    warning = f"content passes unchanged: {reason}" + (f": {place}" if place else "")
    return Admission("raw", UNCOUNTED, content, warning=warning)
