"""The single door: content passes raw if it fits, else it is stored and a map of it goes in."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from ctxkit.core import clip, judge
from ctxkit.core.brief import Briefing
from ctxkit.core.brief.document import Parser, unparsed
from ctxkit.core.budget import Budget
from ctxkit.core.held import HeldBack
from ctxkit.core.hint import Hint
from ctxkit.core.mapping import Order, mapped, surely
from ctxkit.core.measure import size_of
from ctxkit.core.ref import short
from ctxkit.core.store import Intake, Label, Store
from ctxkit.core.tally import Tally, bound, tally
from ctxkit.core.tokenizer import Tokenizer
from ctxkit.core.trouble import Trouble
from ctxkit.core.vocabulary import Vocabulary

NOTHING = Tally(0, 0, "exact")
UNCOUNTED = Tally(-1, -1, "bound", whole=False)
Result = Literal["raw", "tight", "briefing", "refused"]


@dataclass(frozen=True, slots=True)
class Terms:
    """Say under what terms content may enter.

    ``limit`` caps what this one call admits. ``preface`` gives the first line of a briefing once the
    content has ended, such as the exit status of the command that made it.
    """

    budget: Budget
    vocabulary: Vocabulary
    hint: Hint
    limit: int | None = None
    label: Label = Label()
    forced: str = ""
    preface: Callable[[], str] = lambda: ""
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Engines:
    """Hand core the machinery: a tokenizer when it is needed, a store or none, a parser of code."""

    tokenizer: Callable[[Vocabulary], Tokenizer]
    store: Callable[[], Store] | None
    parse: Parser = unparsed


@dataclass(frozen=True, slots=True)
class Admission:
    """Say what was decided, and give the bytes that go in.

    ``size`` and ``lines`` are the original's, -1 while it has not been read to its end. A refusal
    has no content: ``warning`` is then the envelope that did not fit, else what went wrong.
    """

    result: Result
    tally: Tally
    content: Iterable[bytes]
    ref: str = ""
    original: Tally | None = None
    size: int = -1
    lines: int = -1
    warning: str = ""
    map: Briefing | None = field(default=None)


def fits(source: Iterable[bytes], terms: Terms, engines: Engines) -> judge.Verdict:
    """Answer whether content would pass raw; nothing is stored."""
    return _decide(HeldBack(source), terms, engines)


def admit(source: Iterable[bytes], terms: Terms, engines: Engines) -> Admission:
    """Decide how content enters.

    Trouble with the tokenizer or the store lets the content pass unchanged with a warning, unless
    the terms are strict.
    """
    held = HeldBack(source)
    try:
        verdict = _decide(held, terms, engines)
    except Exception as error:
        return _pass(held, error, terms)
    if verdict.fits:
        whole = held.everything()
        return Admission("tight" if verdict.tight else "raw", verdict.tally, whole, size=held.size)
    count = engines.tokenizer(terms.vocabulary)
    if engines.store is None:
        return _clipped(held, terms, count, verdict.tally)
    try:
        store = engines.store()
        intake = store.intake()
    except (OSError, Trouble) as error:
        return _pass(held, error, terms)
    try:
        for chunk in held.everything():
            held.current = chunk
            intake.write(chunk)
            held.current = b""
        ref = intake.commit(terms.label)
    except OSError as error:
        return _pass_taken(intake, held, error, terms)
    try:
        return _mapped(store, ref, terms, engines, count, verdict.tally)
    except Exception as error:  # the content is safe: naming it beats flooding the window with it
        return _named(ref, held.size, terms, error)


def _decide(held: HeldBack, terms: Terms, engines: Engines) -> judge.Verdict:
    """Judge by the byte bound first, which needs no tokenizer; then count, stopping early."""
    room = terms.budget.room(terms.limit)
    start = held.upto(room)
    if held.ended:
        most = bound(start, terms.vocabulary)
        verdict = judge.judge(Tally(most, most, "bound"), terms.budget, terms.limit)
        if verdict.fits and not verdict.tight:
            return verdict
    count = engines.tokenizer(terms.vocabulary)
    return judge.judge(tally(held, terms.vocabulary, count, room), terms.budget, terms.limit)


def _pass(held: HeldBack, error: Exception, terms: Terms) -> Admission:
    """Fail open: what could not be judged or stored passes as it is."""
    if terms.strict:
        raise error
    return Admission("raw", UNCOUNTED, held.everything(), warning=_unchanged(error))


def _pass_taken(intake: Intake, held: HeldBack, error: OSError, terms: Terms) -> Admission:
    """Fail open in the middle of storing: give back what was taken, then the rest."""
    if terms.strict:
        intake.abandon()
        raise error

    def content() -> Iterator[bytes]:
        yield from intake.replay()
        intake.abandon()
        yield held.current
        yield from held.everything()

    return Admission("raw", UNCOUNTED, content(), warning=_unchanged(error))


def _unchanged(error: Exception) -> str:
    reason = getattr(error, "strerror", None) or str(error)
    place = getattr(error, "filename", None)
    return f"content passes unchanged: {reason}" + (f": {place}" if place else "")


def _mapped(
    store: Store, ref: str, terms: Terms, engines: Engines, count: Tokenizer, reached: Tally
) -> Admission:
    """Map stored content within the target."""
    held = store.open(ref)
    title = terms.label.name or "stdin"
    order = Order(
        terms.budget.target(terms.limit),
        title,
        terms.hint.at(short(ref), held.path),
        terms.hint.name,
        terms.forced,
        terms.preface(),
    )
    known = reached if reached.whole else None
    made = mapped(held, order, terms.vocabulary, count, engines.parse, known)
    about: dict[str, Any] = {"ref": ref, "original": made.original, "size": made.size, "lines": made.lines}
    if made.briefing is None:
        return Admission("refused", NOTHING, (), warning=made.envelope, **about)
    tokens = Tally(made.briefing.tokens, made.briefing.tokens, reached.method)
    content = (made.briefing.text.encode("utf-8", "replace"),)
    return Admission("briefing", tokens, content, warning=made.briefing.doubt, map=made.briefing, **about)


def _named(ref: str, size: int, terms: Terms, error: Exception) -> Admission:
    """Name stored content that could not be mapped."""
    if terms.strict:
        raise error
    preface = f"{terms.preface()}; " if terms.preface() else ""
    line = f"{preface}{terms.label.name or 'stdin'} ({size_of(size)}): ctxkit cache get {short(ref)}\n"
    why = f"no map could be made: {type(error).__name__}: {error}"
    return Admission("briefing", UNCOUNTED, (line.encode("utf-8", "replace"),), ref, size=size, warning=why)


def _clipped(held: HeldBack, terms: Terms, count: Tokenizer, reached: Tally) -> Admission:
    """Keep beginning and end of content that may not be stored."""
    target = terms.budget.target(terms.limit)
    ends = clip.Ends(target)
    for chunk in held.everything():
        ends.take(chunk)
    text = clip.clipped(ends, terms.label.name or "stdin", terms.preface(), surely(count, terms.vocabulary), target)
    if text is None:
        envelope = f"{terms.label.name or 'stdin'} ({ends.size:,} bytes) does not fit, and nothing may be stored"
        return Admission("refused", reached, (), size=ends.size, lines=ends.total, warning=envelope)
    tokens = surely(count, terms.vocabulary)(text)
    content = (text.encode("utf-8", "replace"),)
    return Admission("briefing", Tally(tokens, tokens, reached.method), content, size=ends.size, lines=ends.total)
