"""What becomes of content that does not fit: stored and mapped, or clipped where nothing may be stored."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from ctxkit.core import clip
from ctxkit.core.admission import UNCOUNTED, Admission
from ctxkit.core.admit import unchanged
from ctxkit.core.held import HeldBack
from ctxkit.core.mapping import Mapped, Order, safely_mapped
from ctxkit.core.measure import size_of
from ctxkit.core.ref import short
from ctxkit.core.store import Intake, Store, keep
from ctxkit.core.tally import Tally, decoded, surely, tally, text_of
from ctxkit.core.terms import Engines, Terms
from ctxkit.core.tokenizer import Tokenizer
from ctxkit.core.total import COUNTED
from ctxkit.core.trouble import IOFailed

Made = TypeVar("Made")


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
        admission = _mapped(store, ref, reached, terms, engines)
    except Exception as error:  # the content is safe: naming it beats flooding the window with it
        admission = _named(ref, held.size, terms, error)
    return _still_stored(admission, store, intake, terms)


def _still_stored(admission: Admission, store: Store, intake: Intake, terms: Terms) -> Admission:
    """Store content again that was removed while it was mapped; if that fails, it passes."""
    try:
        if not store.holds(admission.ref):
            keep(store, intake.replay(), terms.label)
    except Exception as error:
        return unchanged(intake.replay(), error, terms)
    return admission


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
    count = engines.tokenizer(terms.vocabulary)

    def made(target: int) -> Mapped:
        order = Order(target, terms.title, hint, terms.hint.name, terms.forced, terms.preface(), terms.focus)
        known = reached if reached.whole else None
        parse, isolate, strict = engines.parse, engines.isolate, terms.strict
        return safely_mapped(held, order, terms.vocabulary, count, parse, known, isolate, strict=strict)

    found = _fitted(terms, engines, made, lambda map_: map_.briefing.tokens if map_.briefing else None)
    about: dict[str, Any] = {"ref": ref, "original": found.original, "size": found.size, "lines": found.lines}
    if found.briefing is None:
        return Admission("refused", UNCOUNTED, (), warning=found.envelope, **about)
    content = found.briefing.text.encode("utf-8", "replace")
    tokens = tally((content,), terms.vocabulary, count)
    return Admission("briefing", tokens, (content,), warning=found.briefing.doubt, map=found.briefing, **about)


def _fitted(terms: Terms, engines: Engines, make: Callable[[int], Made], size: Callable[[Made], int | None]) -> Made:
    """Make what fits the target; under a session, hold the room that it takes."""
    if engines.account is None:
        return make(terms.target)
    return engines.account.fit(terms.limit, make, size)


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
    plain = engines.tokenizer(terms.vocabulary)
    count = surely(plain, terms.vocabulary)
    most = terms.target
    ends = clip.Ends(most)
    if terms.exact and not reached.whole:
        reached = _counted(held, reached, terms, plain)
    whole = b"".join(held.everything()) if reached.whole else None
    for piece in decoded(held.everything() if whole is None else (whole,)):
        ends.take(piece.encode("utf-8", "replace"))
    original = reached if reached.whole else UNCOUNTED
    about: dict[str, Any] = {"original": original, "size": held.size, "lines": ends.total}

    def cut(target: int) -> bytes | None:
        target = min(target, most)
        if whole is not None and reached.high <= target:  # it fits where nothing else may enter: nothing is cut off
            return whole
        text = clip.clipped(ends, held.size, terms.title, terms.preface(), count, target)
        return None if text is None else text.encode("utf-8", "replace")

    content = _fitted(terms, engines, cut, lambda data: None if data is None else count(text_of(data)))
    if content is None:
        envelope = f"{terms.title} ({size_of(held.size)}) does not fit, and nothing may be stored"
        return Admission("refused", UNCOUNTED, (), warning=envelope, **about)
    return Admission("briefing", tally((content,), terms.vocabulary, plain), (content,), **about)


def _counted(held: HeldBack, reached: Tally, terms: Terms, count: Tokenizer) -> Tally:
    """Return the count of content to its end where that is near, else what was reached."""
    held.upto(COUNTED)
    return tally(held, terms.vocabulary, count) if held.ended else reached
