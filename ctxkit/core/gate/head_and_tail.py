"""Show head and tail of stored content if its briefing fails."""

from ctxkit.core.gate.excerpt import EndsBuffer, Excerpt, fit_excerpt
from ctxkit.core.store.blobs import StoredContent
from ctxkit.core.store.retrieval_hint import Hint
from ctxkit.core.text.measure import format_size, pluralize
from ctxkit.core.tokens.token_count import decode_chunks
from ctxkit.core.tokens.tokenizer import Tokenizer

CHUNK = 1 << 20
"""Bytes read at once."""
MAX_HINT_LINES = 120
"""Maximum number of lines that the hint asks for."""


def render_head_and_tail(
    stored: StoredContent, title: str, hint: Hint, preface: str, count: Tokenizer, target: int
) -> tuple[str | None, int]:
    """Return the largest head and tail within ``target`` tokens, and the number of lines of the content.

    The text is None if not even the header fits.
    """
    size, ends = stored.lines.size, EndsBuffer(target)
    for text in decode_chunks(stored.read(at, CHUNK) for at in range(0, size, CHUNK)):
        ends.add(text.encode("utf-8", "replace"))
    if ends.size != size:
        hint = hint.for_transcoded()
    header = f"# {title} ({pluralize(ends.line_count, 'line')}, {format_size(size)}): head and tail, not the content"
    header_lines = [preface, header] if preface else [header]

    def render(excerpt: Excerpt) -> str:
        start, end = excerpt.omitted_lines
        if excerpt.omitted_bytes is not None:
            gap = [f"[{pluralize(excerpt.omitted_bytes, 'byte')} are not shown]"]
            read_hint = hint.for_bytes(1, size)
        else:
            gap = [f"[lines {start:,}-{end:,} are not shown]"] if start <= end else []
            read_hint = (
                hint.for_lines(start, min(end, start + MAX_HINT_LINES - 1))
                if gap
                else hint.for_lines(1, ends.line_count or 1)
            )
        return "\n".join([*header_lines, "", *excerpt.first, *gap, *excerpt.last, "", read_hint]) + "\n"

    return fit_excerpt(ends, count, target, render), ends.line_count
