"""Hold what a briefing is asked for and what it answers, and encode both for other processes."""

from ctxkit.core.brief import Briefing
from ctxkit.core.brief.custom_kinds import KindRule
from ctxkit.core.brief.kind_detection import Explanation
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.limits import WorkerDiedError, WorkerValue
from ctxkit.core.text.retrieval_hint import Hint
from ctxkit.core.tokens.token_count import TokenCount


@dataclass(frozen=True, slots=True)
class BriefingRequest:
    """Options of a briefing: target in tokens, title, preface, read hint and content type.

    The first ``shown_lines`` lines were printed before, so that the briefing leaves them out.
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
    shown_lines: int = 0
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


def request_to_tuple(request: BriefingRequest) -> tuple[object, ...]:
    """Return a request as a tuple of tuples, strings and numbers that another process can send."""
    *members, rule, explain = (getattr(request, name) for name in BriefingRequest.__slots__)
    return *(tuple(member) if isinstance(member, Hint) else member for member in members), rule and tuple(rule), explain


def request_from_tuple(value: WorkerValue) -> BriefingRequest:
    """Return the request that ``request_to_tuple`` encoded; raise ValueError or TypeError if it has another shape."""
    target, title, hint, name, content_type, preface, focus, shown_lines, rule, explain = value
    rule = KindRule(rule[0], *map(_tuple_unless_text, rule[1:])) if rule else None
    texts = name, content_type, preface, focus
    return BriefingRequest(target, title, Hint(*hint), *texts, shown_lines, rule, explain)


def _tuple_unless_text(value: WorkerValue) -> WorkerValue:
    return value if isinstance(value, str | int) else tuple(value)


def to_tuple(result: BriefingResult) -> tuple[object, ...]:
    """Return a briefing result as a tuple of tuples, strings and numbers that another process can send."""
    briefing = None
    if result.briefing:
        *members, explanation = (getattr(result.briefing, name) for name in Briefing.__slots__)
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
