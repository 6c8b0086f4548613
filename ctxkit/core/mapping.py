"""Mapping stored content, or a file, within a target."""

from dataclasses import dataclass

from ctxkit.core.brief import Briefing, brief
from ctxkit.core.brief.document import Document, Parser
from ctxkit.core.brief.frame import Frame
from ctxkit.core.hint import Hint
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

