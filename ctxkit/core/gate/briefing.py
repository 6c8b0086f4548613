"""Make the briefing of stored content within a target, or show its beginning and end instead, with the gap named."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ctxkit.core.brief import Briefing, brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument, Parser
from ctxkit.core.gate.briefing_messages import BriefingRequest, BriefingResult, from_tuple, to_tuple
from ctxkit.core.gate.decision import UNCOUNTED
from ctxkit.core.store.store_interface import StoredContent, count_stored_tokens, identify_stored_encoding, open_as_utf8
from ctxkit.core.text.escapes import clean_map, strip_escapes
from ctxkit.core.text.limits import Isolate, WorkerDiedError, call_directly
from ctxkit.core.text.lines import blank_lines, find_largest
from ctxkit.core.text.quantity import format_size, pluralize
from ctxkit.core.text.retrieval_hint import Hint, indent_hints
from ctxkit.core.text.screen import read_drawn_lines
from ctxkit.core.tokens.token_count import TokenCount, decode_chunks, upper_bound_tokenizer
from ctxkit.core.tokens.vocabulary import Tokenizer, Vocabulary
from ctxkit.core.truncation.truncate import BYTES_PER_TOKEN, ContentEnds, Gap, cut_characters, fill_hint

CHUNK = 1 << 20
"""Bytes of stored content that are read at once."""


class ExcerptFrame(NamedTuple):
    """The lines around an excerpt: preface, title, and the size of the original in bytes.

    ``hint`` says how to read stored content, None if nothing is stored.
    """

    title: str
    size: int
    preface: str = ""
    hint: Hint | None = None

    def render(self, excerpt: "_Excerpt", total_lines: int) -> str:
        """Return the text of an excerpt of ``total_lines`` lines."""
        note = "head and tail, not the content" if self.hint else "beginning and end; nothing is stored"
        header = f"# {self.title} ({pluralize(total_lines, 'line')}, {format_size(self.size)}): {note}"
        lines = [self.preface, header] if self.preface else [header]
        first, last = (indent_hints(clean_map("\n".join(rows))).split("\n") if rows else [] for rows in excerpt[:2])
        body = [*first, *self._name_gap(excerpt.gap), *last]
        if self.hint is None:
            return "\n".join([*lines, *body, ""])
        hint = fill_hint(self.hint, excerpt.gap) if excerpt.gap else self.hint.for_lines(1, total_lines or 1)
        return "\n".join([*lines, "", *body, "", hint, ""])

    def _name_gap(self, gap: Gap | None) -> list[str]:
        return [f"[{gap.describe()}{'' if self.hint else ' and not stored'}]"] if gap else []


class _Excerpt(NamedTuple):
    """Lines shown of both ends, and the gap between them, None if nothing is omitted."""

    first: list[str]
    last: list[str]
    gap: Gap | None


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
        return _make_head_and_tail(stored, request, upper_bound, known_count, f"head and tail replace the map: {error}")


def _make_head_and_tail(
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


def collect_ends(chunks: Iterable[bytes], target: int) -> ContentEnds:
    """Return the ends of content for an excerpt of ``target`` tokens, as UTF-8."""
    ends = ContentEnds(max(target, 1) * BYTES_PER_TOKEN)
    for text in decode_chunks(chunks):
        ends.add(text.encode("utf-8", "replace"))
    return ends


def make_excerpt(ends: ContentEnds, frame: ExcerptFrame, count: Tokenizer, target: int) -> str | None:
    """Return the largest excerpt of both ends within ``target`` tokens, a third of it from the beginning.

    It shows complete lines, or parts of content without a line that is short enough. Return None if not even the
    lines around the excerpt fit.
    """
    first, last = _first_lines(ends), _last_lines(ends)

    def fits(text: str) -> bool:
        """Return whether a text has at most ``target`` tokens."""
        return count(text) <= target

    if first or last:
        most = min(max(2 * len(first), 2 * len(last)) + 2, 3 * target)
        return _find_excerpt(ends, frame, fits, most, lambda rows: _cut_lines(ends, first, last, rows))
    return _find_excerpt(ends, frame, fits, len(ends.head), lambda width: _cut_bytes(ends, width, frame.size))


def excerpt_stored(stored: StoredContent, frame: ExcerptFrame, count: Tokenizer, target: int) -> tuple[str | None, int]:
    """Return the largest excerpt of stored content, and the number of lines of the content."""
    ends = collect_ends((stored.read(at, CHUNK) for at in range(0, frame.size, CHUNK)), target)
    if frame.hint and ends.size != frame.size:
        frame = frame._replace(hint=frame.hint.for_transcoded())
    return make_excerpt(ends, frame, count, target), ends.total_lines


def _find_excerpt(
    ends: ContentEnds, frame: ExcerptFrame, fits: Callable[[str], bool], most: int, cut: Callable[[int], _Excerpt]
) -> str | None:
    return find_largest(0, most, lambda width: frame.render(cut(width), ends.total_lines), fits)


def _first_lines(ends: ContentEnds) -> list[str]:
    """Return the complete lines at the beginning that are known."""
    rows = _split_rows(ends.head)
    return rows if len(ends.head) == ends.size else rows[:-1]


def _last_lines(ends: ContentEnds) -> list[str]:
    """Return the complete lines at the end that are known."""
    rows = _split_rows(ends.tail)
    return rows if len(ends.tail) == ends.size else rows[1:]


def _split_rows(data: bytes) -> list[str]:
    return [strip_escapes(row) for row in data.removesuffix(b"\n").decode("utf-8", "replace").split("\n")]


def _cut_lines(ends: ContentEnds, first: list[str], last: list[str], rows: int) -> _Excerpt:
    """Return an excerpt of ``rows`` complete lines, a third of them from the beginning."""
    total = ends.total_lines
    first = first[: rows // 3]
    last = last[max(len(last) - (rows - rows // 3), len(first) + len(last) - total, 0) :]
    start, end = len(first) + 1, total - len(last)
    return _Excerpt(first, last, Gap("lines", start, end, total) if start <= end else None)


def _cut_bytes(ends: ContentEnds, width: int, size: int) -> _Excerpt:
    """Return an excerpt of about ``width`` bytes; ``size`` is that of the original, which may not be UTF-8."""
    parts = cut_characters(ends, width // 3, width - width // 3)
    source_size = size if size != ends.size else 0
    gap = Gap("bytes", len(parts.first) + 1, ends.size - len(parts.last), ends.size, source_size)
    first, last = (_split_rows(part) if part else [] for part in parts[:2])
    return _Excerpt(first, last, gap)
