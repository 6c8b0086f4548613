"""The single door: content passes raw if it fits, else it is stored and a map of it goes in."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from ctxkit.core import clip, judge
from ctxkit.core.brief import Briefing, brief
from ctxkit.core.brief.document import Document, Parser, unparsed
from ctxkit.core.brief.frame import Frame
from ctxkit.core.budget import Budget
from ctxkit.core.held import HeldBack
from ctxkit.core.hint import Hint
from ctxkit.core.ref import short
from ctxkit.core.store import Intake, Label, Store
from ctxkit.core.tally import Tally, bound, tally
from ctxkit.core.tokenizer import Tokenizer
from ctxkit.core.total import readable, total_of
from ctxkit.core.trouble import Trouble
from ctxkit.core.vocabulary import Vocabulary

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
    except Trouble as trouble:
        return _pass(held, trouble, terms)
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
    return _mapped(store, ref, terms, engines, count, verdict.tally)


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
    return Admission("raw", Tally(0, 0, "bound", whole=False), held.everything(), warning=_unchanged(error))


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

    return Admission("raw", Tally(0, 0, "bound", whole=False), content(), warning=_unchanged(error))


def _unchanged(error: Exception) -> str:
    reason = getattr(error, "strerror", None) or str(error)
    place = getattr(error, "filename", None)
    return f"content passes unchanged: {reason}" + (f": {place}" if place else "")


def _mapped(
    store: Store, ref: str, terms: Terms, engines: Engines, count: Tokenizer, reached: Tally
) -> Admission:
    """Map stored content within the target."""
    stored = store.open(ref)
    read, lines = readable(stored)
    original = reached if reached.whole else total_of(read, lines.size, terms.vocabulary, count)
    hint = terms.hint.at(short(ref), stored.path)
    name = terms.label.name or "stdin"
    exact = original.method == "exact" and original.whole
    frame = Frame(name, lines.total, stored.lines.size, original.tokens, exact, hint, terms.preface())
    target = terms.budget.target(terms.limit)
    document = Document(
        lines, read, sure(count, terms.vocabulary), target, terms.hint.name, terms.forced, engines.parse
    )
    briefing = brief(document, frame)
    if briefing is None:
        return Admission(
            "refused", Tally(0, 0, "exact"), (), ref, original, stored.lines.size, lines.total, frame.envelope().strip()
        )
    size = Tally(briefing.tokens, briefing.tokens, reached.method)
    content = (briefing.text.encode("utf-8", "replace"),)
    return Admission(
        "briefing", size, content, ref, original, stored.lines.size, lines.total, briefing.doubt, briefing
    )


def sure(count: Tokenizer, vocabulary: Vocabulary) -> Tokenizer:
    """Return a counter that gives the most a text may take: an estimate's high end."""
    if vocabulary.exact or not vocabulary.ranks:
        return count
    return lambda text: -(-count(text) * round(vocabulary.high * 100) // 100)


def _clipped(held: HeldBack, terms: Terms, count: Tokenizer, reached: Tally) -> Admission:
    """Keep beginning and end of content that may not be stored."""
    target = terms.budget.target(terms.limit)
    ends = clip.Ends(target)
    for chunk in held.everything():
        ends.take(chunk)
    text = clip.clipped(ends, terms.label.name or "stdin", terms.preface(), sure(count, terms.vocabulary), target)
    if text is None:
        envelope = f"{terms.label.name or 'stdin'} ({ends.size:,} bytes) does not fit, and nothing may be stored"
        return Admission("refused", reached, (), size=ends.size, lines=ends.total, warning=envelope)
    tokens = sure(count, terms.vocabulary)(text)
    content = (text.encode("utf-8", "replace"),)
    return Admission("briefing", Tally(tokens, tokens, reached.method), content, size=ends.size, lines=ends.total)
