"""Shortening of a long text to its beginning and its end, with a label for the gap."""

from ctxkit.core.store.label import shorten_ref
from ctxkit.core.text.retrieval_hint import name_reader
from ctxkit.core.tokens.vocabulary import Tokenizer

HEAD_SHARE = 0.4
"""Share of the beginning in a shortened text; results and errors come at the end."""
MAX_TRIES = 6


def shorten_text(text: str, max_tokens: int, count: Tokenizer, ref: str, template: str = "") -> str | None:
    """Return a text shortened to ``max_tokens`` tokens, or None if that is impossible; prefer whole lines.

    The gap names what reads it back, by the ``template`` of a hint, or says that it is not stored if ``ref`` is empty.
    """
    total = count(text)
    char_budget = int(len(text) * max_tokens / max(total, 1)) - 100
    for _ in range(MAX_TRIES):
        if char_budget < 0:
            excerpt = _keep_ends(text, 0, ref, template)
            return excerpt if count(excerpt) <= max_tokens else None
        excerpt = _keep_ends(text, char_budget, ref, template)
        size = count(excerpt)
        if size <= max_tokens:
            return excerpt
        char_budget = int(char_budget * max_tokens / size * 0.95) - 8
    return None


def _keep_ends(text: str, char_budget: int, ref: str, template: str) -> str:
    """Return about ``char_budget`` characters from both ends of a text."""
    first, last = int(char_budget * HEAD_SHARE), len(text) - (char_budget - int(char_budget * HEAD_SHARE))
    begin, end = _snap_to_lines(text, first, last)
    return "".join([text[:begin], _format_gap(text, begin, end, ref, template), text[end:]])


def _snap_to_lines(text: str, first: int, last: int) -> tuple[int, int]:
    """Return both ends moved to line breaks, if those are within a fifth of the kept text."""
    at = text.rfind("\n", 0, first) + 1
    begin = at if at > 0.8 * first else first
    at = text.find("\n", last) + 1
    end = at if 0 < at < last + 0.2 * (len(text) - last) else last
    return begin, max(begin, end)


def _format_gap(text: str, begin: int, end: int, ref: str, template: str) -> str:
    size = len(text[begin:end].encode("utf-8", "surrogatepass"))
    first = text.count("\n", 0, begin) + 1
    last = text.count("\n", 0, end) + (not text[:end].endswith("\n"))
    at_line_start = begin == 0 or text[begin - 1] == "\n"
    start = len(text[:begin].encode("utf-8", "surrogatepass")) + 1
    span = f"--lines {first}:{last}" if last > first else f"--bytes {start}:{start + size - 1}"
    reader = name_reader(template, shorten_ref(ref), (first, max(first, last)), span) if ref else ""
    way = f"to read them: {reader}" if reader else "stored nowhere"
    label = f"[{size:,} bytes are left out here{f' (lines {first}-{last})' if last > first else ''}; {way}]"
    return f"{'' if at_line_start else chr(10)}{label}\n"
