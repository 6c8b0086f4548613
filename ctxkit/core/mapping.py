"""Mapping stored content, or a file, within a target."""

from dataclasses import astuple, dataclass
from typing import Any

from ctxkit.core.admission import UNCOUNTED
from ctxkit.core.brief import Briefing, brief
from ctxkit.core.brief.document import Document, Parser
from ctxkit.core.brief.frame import Frame
from ctxkit.core.head_and_tail import head_and_tail
from ctxkit.core.hint import Hint
from ctxkit.core.isolation import Isolate, WorkerDied
from ctxkit.core.store import Held
from ctxkit.core.tally import Tally, surely
from ctxkit.core.tokenizer import Tokenizer
from ctxkit.core.total import readable, total_of
from ctxkit.core.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Order:
    """Say how a map is wanted: its size, the name above it, the hint below it, the kind if it is known.

    ``name`` is the file's, which detection may go by; ``title`` is what the map is called; ``focus`` is what the
    caller is looking for.
    """

    target: int
    title: str
    hint: Hint
    name: str = ""
    forced: str = ""
    preface: str = ""
    focus: str = ""


@dataclass(frozen=True, slots=True)
class Mapped:
    """Hold a map, none when not even one line fits, and the measures of what it is of."""

    briefing: Briefing | None
    envelope: str
    original: Tally
    size: int
    lines: int


def mapped(
    held: Held, order: Order, vocabulary: Vocabulary, count: Tokenizer, parse: Parser, known: Tally | None = None
) -> Mapped:
    """Return the map of content; ``known`` is its size in tokens where that was counted already."""
    read, lines = readable(held)
    original = known or total_of(read, lines.size, vocabulary, count)
    exact = original.method == "exact" and original.whole
    title, size = order.title, held.lines.size
    hint = order.hint if lines is held.lines else order.hint.transcoded()
    frame = Frame(title, lines.total, size, original.tokens, exact, hint, order.preface)
    sure = surely(count, vocabulary)
    document = Document(lines, read, sure, order.target, order.name, order.forced, parse, order.focus)
    return Mapped(brief(document, frame), frame.envelope().rstrip("\n"), original, size, lines.total)


def safely_mapped(
    held: Held,
    order: Order,
    vocabulary: Vocabulary,
    count: Tokenizer,
    parse: Parser,
    known: Tally | None,
    isolate: Isolate,
    *,
    strict: bool = False,
) -> Mapped:
    """Return the map that another process makes; where that dies, the head and the tail of the content.

    A strict call raises WorkerDied instead.
    """
    sure = surely(count, vocabulary)
    try:
        made = from_plain(
            isolate(lambda: to_plain(mapped(held, order, vocabulary, count, parse, known)), held.lines.size)
        )
        if made.briefing and sure(made.briefing.text) > order.target:
            raise WorkerDied("the worker process sent a map that is too large")
        return made
    except WorkerDied as error:
        if strict:
            raise WorkerDied(f"no map could be made: {error}", hint=error.hint) from None
        return ends_of(held, order, sure, known, f"head and tail stand in for the map: {error}")


def ends_of(held: Held, order: Order, count: Tokenizer, known: Tally | None, doubt: str) -> Mapped:
    """Return head and tail of content in place of its map; ``doubt`` says why."""
    text, total = head_and_tail(held, order.title, order.hint, order.preface, count, order.target)
    size = held.lines.size
    briefing = Briefing("text", "", 0.0, count(text), text, doubt) if text else None
    envelope = Frame(order.title, total, size, 0, exact=False, hint=order.hint, preface=order.preface).envelope()
    return Mapped(briefing, envelope.rstrip("\n"), known or UNCOUNTED, size, total)


def to_plain(made: Mapped) -> tuple[Any, ...]:
    """Return a map as a tuple of tuples, strings and numbers, which another process can send."""
    briefing = astuple(made.briefing) if made.briefing else None
    return briefing, made.envelope, tuple(made.original), made.size, made.lines


def from_plain(value: Any) -> Mapped:
    """Return the map that ``to_plain`` made a tuple of; raises WorkerDied where the value is no such tuple."""
    try:
        briefing, envelope, original, size, lines = value
        made = Mapped(Briefing(*briefing) if briefing else None, envelope, Tally(*original), size, lines)
    except (TypeError, ValueError):
        raise WorkerDied("the worker process sent no map") from None
    numbers = (made.original.tokens, made.original.high, made.original.low, size, lines)
    if not isinstance(envelope, str) or not all(isinstance(number, int) for number in numbers):
        raise WorkerDied("the worker process sent no map")
    found = made.briefing
    texts = (found.kind, found.language, found.text, found.doubt) if found else ()
    if not all(isinstance(text, str) for text in texts) or (found and not isinstance(found.tokens, int)):
        raise WorkerDied("the worker process sent no map")
    return made
