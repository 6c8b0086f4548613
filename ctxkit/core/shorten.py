"""What becomes of content that does not fit: stored and mapped, or clipped where nothing may be stored."""

from collections.abc import Iterator
from typing import Any

from ctxkit.core import clip
from ctxkit.core.admission import UNCOUNTED, Admission
from ctxkit.core.admit import unchanged
from ctxkit.core.held import HeldBack
from ctxkit.core.mapping import Order, mapped
from ctxkit.core.measure import size_of
from ctxkit.core.ref import short
from ctxkit.core.store import Intake, Store
from ctxkit.core.tally import Tally, decoded, surely
from ctxkit.core.terms import Engines, Terms
from ctxkit.core.trouble import IOFailed


def shorten(held: HeldBack, reached: Tally, terms: Terms, engines: Engines) -> Admission:
    """Store content whole and map it; ``reached`` is its count as far as the decision took it."""
    if engines.store is None:
        return _clipped(held, reached, terms, engines)
    try:
        store = engines.store()
        intake = store.intake()
    except Exception as error:
        return unchanged(held.everything(), error, terms)
    try:
        ref = _stored(held, intake, terms)
    except IOFailed:  # what cannot be read cannot pass
        intake.abandon()
        raise
    except Exception as error:  # law 1: what cannot be stored passes
        if terms.strict:
            intake.abandon()
        return unchanged(_given_back(intake, held), error, terms)
    try:
        return _mapped(store, ref, reached, terms, engines)
    except Exception as error:  # the content is safe: naming it beats flooding the window with it
        return _named(ref, held.size, terms, error)


def _stored(held: HeldBack, intake: Intake, terms: Terms) -> str:
    """Store the content and return its ref, knowing at any time what is stored and what is not."""
    try:
        for chunk in held.everything():
            held.current = chunk
            intake.write(chunk)
            held.current = b""
        return intake.commit(terms.label)
    except KeyboardInterrupt:
        intake.abandon()
        raise


def _given_back(intake: Intake, held: HeldBack) -> Iterator[bytes]:
    """Yield what was taken before storing failed, then the rest."""
    yield from intake.replay()
    intake.abandon()
    yield held.current
    yield from held.everything()


def _mapped(store: Store, ref: str, reached: Tally, terms: Terms, engines: Engines) -> Admission:
    """Map stored content within the target."""
    held = store.open(ref)
    hint = terms.hint.at(short(ref), held.path)
    order = Order(terms.target, terms.title, hint, terms.hint.name, terms.forced, terms.preface())
    count = engines.tokenizer(terms.vocabulary)
    known = reached if reached.whole else None
    made = mapped(held, order, terms.vocabulary, count, engines.parse, known)
    about: dict[str, Any] = {"ref": ref, "original": made.original, "size": made.size, "lines": made.lines}
    if made.briefing is None:
        return Admission("refused", UNCOUNTED, (), warning=made.envelope, **about)
    tokens = Tally(made.briefing.tokens, made.briefing.tokens, reached.method)
    content = (made.briefing.text.encode("utf-8", "replace"),)
    return Admission("briefing", tokens, content, warning=made.briefing.doubt, map=made.briefing, **about)


def _named(ref: str, size: int, terms: Terms, error: Exception) -> Admission:
    """Name stored content that could not be mapped."""
    if terms.strict:
        raise error
    preface = f"{terms.preface()}; " if terms.preface() else ""
    line = f"{preface}{terms.title} ({size_of(size)}): ctxkit cache get {short(ref)}\n"
    why = f"no map could be made: {type(error).__name__}: {error}"
    return Admission("briefing", UNCOUNTED, (line.encode("utf-8", "replace"),), ref, size=size, warning=why)


def _clipped(held: HeldBack, reached: Tally, terms: Terms, engines: Engines) -> Admission:
    """Keep beginning and end of content that may not be stored."""
    count = surely(engines.tokenizer(terms.vocabulary), terms.vocabulary)
    ends = clip.Ends(terms.target)
    for piece in decoded(held.everything()):
        ends.take(piece.encode("utf-8", "replace"))
    original = reached if reached.whole else UNCOUNTED
    about: dict[str, Any] = {"original": original, "size": held.size, "lines": ends.total}
    text = clip.clipped(ends, held.size, terms.title, terms.preface(), count, terms.target)
    if text is None:
        envelope = f"{terms.title} ({size_of(held.size)}) does not fit, and nothing may be stored"
        return Admission("refused", UNCOUNTED, (), warning=envelope, **about)
    tokens = count(text)
    return Admission("briefing", Tally(tokens, tokens, reached.method), (text.encode("utf-8", "replace"),), **about)
