"""The single door: content passes raw if it fits, else it is shortened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.admission import UNCOUNTED, Admission, Result
from ctxkit.core.held import HeldBack
from ctxkit.core.judge import Verdict, judge
from ctxkit.core.tally import Tally, bound, tally
from ctxkit.core.trouble import EngineAbsent, IOFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctxkit.core.budget import Budget
    from ctxkit.core.store import Store
    from ctxkit.core.terms import Engines, Terms
    from ctxkit.core.tokenizer import Tokenizer

LAST_LINE = 4096
"""Bytes of a last line in which a ref is looked for."""


def fits(source: Iterable[bytes], terms: Terms, engines: Engines) -> Verdict:
    """Answer whether content would pass raw; nothing is stored, and nothing booked."""
    return _decide(HeldBack(source), terms, engines)[0]


def admit(source: Iterable[bytes], terms: Terms, engines: Engines) -> Admission:
    """Decide how content enters.

    Under a session, room for it is held, and the caller books what went out. Trouble with the
    tokenizer or the store lets the content pass unchanged with a warning, unless the terms are strict.
    Raises IOFailed when the content cannot be read.
    """
    held = HeldBack(source)
    try:
        verdict, terms = _decide(held, terms, engines)
        if verdict.fits and engines.account is not None:
            engines.account.take(verdict.tally.high, terms.limit)
            verdict = _judge(verdict.tally, engines.account.budget, held, terms, engines)  # others may have been faster
    except IOFailed:  # what cannot be read cannot pass
        raise
    except Exception as error:  # law 1: what cannot be judged passes
        return unchanged(held.everything(), error, terms)
    if verdict.fits:
        result: Result = "tight" if verdict.tight else "raw"
        return Admission(result, verdict.tally, held.everything(), size=held.size, remark=terms.remark)
    # Only content that does not fit pays for importing what shortens it.
    from ctxkit.core.shorten import shorten

    return shorten(held, verdict.tally, terms, engines)._replace(remark=terms.remark)


def _decide(held: HeldBack, terms: Terms, engines: Engines) -> tuple[Verdict, Terms]:
    """Judge by the byte bound first, which needs no tokenizer; then count, stopping early.

    A session's content is always counted, so that its ledger is exact, and so is what a caller wants to know
    exactly; no count is above the bound, so that this changes no decision. The terms come back with the
    vocabulary that was counted with.
    """
    room = terms.budget.room(terms.limit)
    start = held.upto(room)
    if held.ended and engines.account is None and not terms.exact:
        most = bound(start, terms.vocabulary)
        verdict = judge(Tally(most, most, "bound"), terms.budget, terms.limit, admit=terms.admit)
        if verdict.fits and not verdict.tight:
            return verdict, terms
    count, terms = _counter(terms, engines)
    return _judge(tally(held, terms.vocabulary, count, room), terms.budget, held, terms, engines), terms


def _judge(tally: Tally, budget: Budget, held: HeldBack, terms: Terms, engines: Engines) -> Verdict:
    """Judge content; a map of stored content passes a blocked window, so that gating it again changes nothing."""
    verdict = judge(tally, budget, terms.limit, admit=terms.admit)
    if verdict.blocked and engines.store is not None and _names_stored(held.upto(held.size), engines.store):
        return judge(tally, budget, terms.limit, admit=True)
    return verdict


def _names_stored(content: bytes, store: Callable[[], Store]) -> bool:
    """Tell whether the last line of content names the ref of stored content, as the last line of a map does."""
    from re import findall

    last = content.rstrip(b"\n").rpartition(b"\n")[2][-LAST_LINE:]
    for ref in findall(rb"(?<![0-9a-f])[0-9a-f]{12,64}(?![0-9a-f])", last):
        try:
            store().find(ref.decode())
        except Exception:  # not stored, or the store cannot be asked: then it is content like any other
            continue
        return True
    return False


def _counter(terms: Terms, engines: Engines) -> tuple[Tokenizer, Terms]:
    """Return the tokenizer, or an estimate in its place where it is absent, and the terms that then hold."""
    try:
        return engines.tokenizer(terms.vocabulary), terms
    except EngineAbsent as absent:
        if terms.strict:
            raise
        from ctxkit.core.vocabulary import stand_in

        other = stand_in(terms.vocabulary)
        return engines.tokenizer(other), terms._replace(vocabulary=other, remark=f"tokens are estimated: {absent}")


def unchanged(content: Iterable[bytes], error: Exception, terms: Terms) -> Admission:
    """Fail open: what could not be judged or stored passes as it is, with a warning."""
    if terms.strict:
        raise error
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    place = getattr(error, "filename", None)
    warning = f"content passes unchanged: {reason}" + (f": {place}" if place else "")
    return Admission("raw", UNCOUNTED, content, warning=warning)
