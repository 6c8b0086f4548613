"""Mapping stored content, or a file, within a target."""

from dataclasses import astuple, dataclass
from typing import Any

from ctxkit.core.brief import Briefing, brief_document
from ctxkit.core.brief.document import InputDocument, Parser
from ctxkit.core.brief.frame import BriefingFrame
from ctxkit.core.gate.head_and_tail import render_head_and_tail
from ctxkit.core.gate.result import UNCOUNTED
from ctxkit.core.store.blobs import StoredContent
from ctxkit.core.store.hint import Hint
from ctxkit.core.store.total import count_stored_tokens, open_as_utf8
from ctxkit.core.text.isolation import Isolate, WorkerDiedError
from ctxkit.core.tokens.token_count import TokenCount, upper_bound_tokenizer
from ctxkit.core.tokens.tokenizer import Tokenizer
from ctxkit.core.tokens.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class BriefingRequest:
    """Say how a map is wanted: its size, the name above it, the hint below it, the kind if it is known.

    ``name`` is the file's, which detection may go by; ``title`` is what the map is called; ``focus`` is what the
    caller is looking for.
    """

    target: int
    title: str
    hint: Hint
    name: str = ""
    content_type: str = ""
    preface: str = ""
    focus: str = ""


@dataclass(frozen=True, slots=True)
class BriefingResult:
    """Hold a map, none when not even one line fits, and the measures of what it is of."""

    briefing: Briefing | None
    envelope: str
    original: TokenCount
    size: int
    lines: int


def make_briefing(
    stored: StoredContent,
    request: BriefingRequest,
    vocabulary: Vocabulary,
    count: Tokenizer,
    parse: Parser,
    known_count: TokenCount | None = None,
) -> BriefingResult:
    """Return the map of content; ``known_count`` is its size in tokens where that was counted already."""
    read, lines = open_as_utf8(stored)
    original = known_count or count_stored_tokens(read, lines.size, vocabulary, count)
    exact = original.method == "exact" and original.complete
    title, size = request.title, stored.lines.size
    hint = request.hint if lines is stored.lines else request.hint.for_transcoded()
    frame = BriefingFrame(title, lines.total, size, original.tokens, exact, hint, request.preface)
    upper_bound = upper_bound_tokenizer(count, vocabulary)
    document = InputDocument(
        lines, read, upper_bound, request.target, request.name, request.content_type, parse, request.focus
    )
    return BriefingResult(
        brief_document(document, frame), frame.render_one_line().rstrip("\n"), original, size, lines.total
    )


def make_isolated_briefing(
    stored: StoredContent,
    request: BriefingRequest,
    vocabulary: Vocabulary,
    count: Tokenizer,
    parse: Parser,
    known_count: TokenCount | None,
    isolate: Isolate,
    *,
    strict: bool = False,
) -> BriefingResult:
    """Return the map that another process makes; where that dies, the head and the tail of the content.

    A strict call raises WorkerDied instead.
    """
    upper_bound = upper_bound_tokenizer(count, vocabulary)
    try:
        result = from_tuple(
            isolate(
                lambda: to_tuple(make_briefing(stored, request, vocabulary, count, parse, known_count)),
                stored.lines.size,
            )
        )
        if result.briefing and upper_bound(result.briefing.text) > request.target:
            raise WorkerDiedError("the worker process sent a map that is too large")
        return result
    except WorkerDiedError as error:
        if strict:
            raise WorkerDiedError(f"no map could be made: {error}", hint=error.hint) from None
        return make_head_and_tail(
            stored, request, upper_bound, known_count, f"head and tail replace the map: {error}"
        )


def make_head_and_tail(
    stored: StoredContent, request: BriefingRequest, count: Tokenizer, known_count: TokenCount | None, doubt: str
) -> BriefingResult:
    """Return head and tail of content in place of its map; ``doubt`` says why."""
    text, total = render_head_and_tail(stored, request.title, request.hint, request.preface, count, request.target)
    size = stored.lines.size
    briefing = Briefing("text", "", 0.0, count(text), text, doubt) if text else None
    envelope = BriefingFrame(
        request.title, total, size, 0, exact=False, hint=request.hint, preface=request.preface
    ).render_one_line()
    return BriefingResult(briefing, envelope.rstrip("\n"), known_count or UNCOUNTED, size, total)


def to_tuple(result: BriefingResult) -> tuple[Any, ...]:
    """Return a map as a tuple of tuples, strings and numbers, which another process can send."""
    briefing = astuple(result.briefing) if result.briefing else None
    return briefing, result.envelope, tuple(result.original), result.size, result.lines


def from_tuple(value: Any) -> BriefingResult:
    """Return the map that ``to_tuple`` made a tuple of; raises WorkerDied where the value is no such tuple."""
    try:
        briefing, envelope, original, size, lines = value
        result = BriefingResult(Briefing(*briefing) if briefing else None, envelope, TokenCount(*original), size, lines)
    except (TypeError, ValueError):
        raise WorkerDiedError("the worker process sent no map") from None
    numbers = (result.original.tokens, result.original.high, result.original.low, size, lines)
    if not isinstance(envelope, str) or not all(isinstance(number, int) for number in numbers):
        raise WorkerDiedError("the worker process sent no map")
    sent_briefing = result.briefing
    texts = (
        (sent_briefing.kind, sent_briefing.language, sent_briefing.text, sent_briefing.doubt) if sent_briefing else ()
    )
    if not all(isinstance(text, str) for text in texts) or (
        sent_briefing and not isinstance(sent_briefing.tokens, int)
    ):
        raise WorkerDiedError("the worker process sent no map")
    return result
