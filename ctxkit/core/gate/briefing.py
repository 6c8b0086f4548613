"""Make the briefing of stored content within a target, in this process or an isolated one."""

from typing import NamedTuple

from ctxkit.core.brief import Briefing, brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument, Parser
from ctxkit.core.gate.briefing_messages import BriefingRequest, BriefingResult, from_tuple, to_tuple
from ctxkit.core.gate.excerpt import ExcerptFrame, excerpt_stored
from ctxkit.core.gate.result import UNCOUNTED
from ctxkit.core.store.blobs import StoredContent
from ctxkit.core.store.total import count_stored_tokens, identify_stored_encoding, open_as_utf8
from ctxkit.core.text.lines import blank_lines
from ctxkit.core.text.screen import read_drawn_lines
from ctxkit.core.text.worker_interface import Isolate, WorkerDiedError, call_directly
from ctxkit.core.tokens.token_count import TokenCount, upper_bound_tokenizer
from ctxkit.core.tokens.tokenizer import Tokenizer
from ctxkit.core.tokens.vocabulary import Vocabulary


class BriefingServices(NamedTuple):
    """The vocabulary and its tokenizer, the parser of code, and what calls the briefing code, by default directly."""

    vocabulary: Vocabulary
    count: Tokenizer
    parse: Parser
    isolate: Isolate = call_directly

    def count_upper_bound(self) -> Tokenizer:
        """Return the tokenizer, or an upper bound of what the vocabulary counts if that is an estimate."""
        return upper_bound_tokenizer(self.count, self.vocabulary)


def make_briefing(
    stored: StoredContent, request: BriefingRequest, services: BriefingServices, known_count: TokenCount | None = None
) -> BriefingResult:
    """Return the briefing of stored content, of which it shows what the screen of a terminal shows.

    ``known_count`` is the content's token count, if the caller has counted it.
    """
    encoding = identify_stored_encoding(stored)
    read, lines = open_as_utf8(stored, encoding)
    original = known_count or count_stored_tokens(read, lines.size, services.vocabulary, services.count)
    exact = original.method == "exact" and original.complete
    title, size = request.title, stored.lines.size
    hint = request.hint.for_transcoded() if encoding else request.hint
    frame = BriefingFrame(
        title, lines.total, size, original.tokens, exact, hint, request.preface, encoding=encoding
    )
    bound, parse = services.count_upper_bound(), services.parse
    drawn = blank_lines(read_drawn_lines(read, lines), request.shown_lines)
    document = InputDocument(
        drawn, drawn.read, bound, request.target, request.name, request.content_type, parse, request.focus
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
    services: BriefingServices,
    known_count: TokenCount | None = None,
    *,
    strict: bool = False,
) -> BriefingResult:
    """Return the briefing that an isolated process makes, or head and tail of the content if that process dies.

    Raise WorkerDiedError instead of falling back if ``strict``.
    """
    upper_bound = services.count_upper_bound()
    try:
        result = from_tuple(
            services.isolate(
                lambda: to_tuple(make_briefing(stored, request, services, known_count)), stored.lines.size
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
    lines = blank_lines(stored.lines, request.shown_lines)
    stored = stored._replace(read=lines.read, lines=lines)
    text, total = excerpt_stored(stored, frame, count, request.target)
    briefing = Briefing("text", "", 0.0, count(text), text, doubt) if text else None
    envelope = BriefingFrame(
        request.title, total, size, 0, exact=False, hint=request.hint, preface=request.preface
    ).render_one_line()
    return BriefingResult(briefing, envelope.rstrip("\n"), known_count or UNCOUNTED, size, total)
