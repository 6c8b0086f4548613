"""Make the briefing of stored content within a target, in this process or an isolated one."""

from dataclasses import astuple, dataclass

from ctxkit.core.brief import Briefing, brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.custom_kinds import KindRule
from ctxkit.core.brief.document import InputDocument, Parser
from ctxkit.core.brief.explanation import Explanation
from ctxkit.core.gate.excerpt import ExcerptFrame, excerpt_stored
from ctxkit.core.gate.result import UNCOUNTED
from ctxkit.core.store.blobs import StoredContent
from ctxkit.core.store.retrieval_hint import Hint
from ctxkit.core.store.total import count_stored_tokens, open_as_utf8
from ctxkit.core.text.worker_interface import Isolate, WorkerDiedError, WorkerValue
from ctxkit.core.tokens.token_count import TokenCount, upper_bound_tokenizer
from ctxkit.core.tokens.tokenizer import Tokenizer
from ctxkit.core.tokens.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class BriefingRequest:
    """Options of a briefing: target in tokens, title, preface, read hint and content type.

    ``name`` is the file name, which helps detection. ``title`` is the heading of the briefing. ``focus`` is what the
    caller searches for. ``rule`` is the user's rule for the content. With ``explain``, the briefing explains its kind.
    """

    target: int
    title: str
    hint: Hint
    name: str = ""
    content_type: str = ""
    preface: str = ""
    focus: str = ""
    rule: KindRule | None = None
    explain: bool = False


@dataclass(frozen=True, slots=True)
class BriefingResult:
    """A briefing, or None if not even one line fits, and the size of its source in tokens, bytes and lines."""

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
    """Return the briefing of stored content.

    ``known_count`` is the content's token count, if the caller has counted it.
    """
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
        brief_document(document, frame, request.rule, explain=request.explain),
        frame.render_one_line().rstrip("\n"),
        original,
        size,
        lines.total,
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
    """Return the briefing that an isolated process makes, or head and tail of the content if that process dies.

    Raise WorkerDiedError instead of falling back if ``strict``.
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
        return make_head_and_tail(stored, request, upper_bound, known_count, f"head and tail replace the map: {error}")


def make_head_and_tail(
    stored: StoredContent, request: BriefingRequest, count: Tokenizer, known_count: TokenCount | None, doubt: str
) -> BriefingResult:
    """Return head and tail of the content instead of its briefing; ``doubt`` says why."""
    size = stored.lines.size
    frame = ExcerptFrame(request.title, size, request.preface, request.hint)
    text, total = excerpt_stored(stored, frame, count, request.target)
    briefing = Briefing("text", "", 0.0, count(text), text, doubt) if text else None
    envelope = BriefingFrame(
        request.title, total, size, 0, exact=False, hint=request.hint, preface=request.preface
    ).render_one_line()
    return BriefingResult(briefing, envelope.rstrip("\n"), known_count or UNCOUNTED, size, total)


def to_tuple(result: BriefingResult) -> tuple[object, ...]:
    """Return a briefing result as a tuple of tuples, strings and numbers that another process can send."""
    briefing = None
    if result.briefing:
        *members, explanation = astuple(result.briefing)
        briefing = (*members, tuple(explanation) if explanation is not None else None)
    return briefing, result.envelope, tuple(result.original), result.size, result.lines


def _read_briefing(value: WorkerValue) -> Briefing:
    """Return the briefing of a tuple; raise ValueError or TypeError if its explanation has another shape."""
    kind, language, confidence, tokens, text, doubt, explanation = value
    if explanation is not None:
        rule, candidates, reasons = explanation
        pairs = tuple((str(name), float(score)) for name, score in candidates)
        explanation = Explanation(str(rule), pairs, tuple(map(str, reasons)))
    return Briefing(kind, language, confidence, tokens, text, doubt, explanation)


def from_tuple(value: WorkerValue) -> BriefingResult:
    """Return the briefing result that ``to_tuple`` encoded.

    Raise WorkerDiedError if the value has another shape.
    """
    try:
        briefing, envelope, original, size, lines = value
        sent = _read_briefing(briefing) if briefing else None
        result = BriefingResult(sent, envelope, TokenCount(*original), size, lines)
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
