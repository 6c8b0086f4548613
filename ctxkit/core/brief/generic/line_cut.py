"""Cut a long line to its beginning, and to the reason that a line of trouble states further behind."""


from ctxkit.core.brief.outline import MARK_LENGTH
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.severity import PHRASES, rate_severity

REASON_SHARE = 60
"""Percentage of the width for the reason."""
READ_WIDTH = 4_000
"""Number of characters in which a reason is sought."""
SUBJECT_WIDTH = 16
"""Number of characters that precede a reason at least, if there are so many: they say what it is about."""
_REASON = compile_lazily(rf"(?<![\w/.-])(?i:{PHRASES})(?![\w/-])")
_EDGES = "\"'`{}[]|\n"
"""Characters that enclose the text of a message in a line of data."""


def cut_line(text: str, width: int) -> str:
    """Return a line cut to about ``width`` characters, without an indentation that takes half of them.

    Each mark ``[+N chars]`` stands for N characters that are left out.
    """
    text = text if text.isprintable() else strip_escapes(text)
    text = text.rstrip()
    if len(text) > width and text[: width // 2].isspace():
        text = text.lstrip()
    if len(text) <= width + MARK_LENGTH:
        return text
    size = width * REASON_SHARE // 100
    start, end = _find_reason(text, width, size) if rate_severity(text) else (0, 0)
    head = text[: width - size].rstrip() if end else text[:width].rstrip()
    if not end:
        return f"{head} [+{len(text) - len(head)} chars]"
    part = f"{head} [+{start - len(head)} chars] {text[start:end]}"
    return part if end == len(text) else f"{part} [+{len(text) - end} chars]"


def _find_reason(text: str, width: int, size: int) -> tuple[int, int]:
    """Return the start and end of the message of ``size`` characters that states a reason, (0, 0) if there is none."""
    match = _REASON.search(text, width * 2 // 3, READ_WIDTH)
    if match is None:
        return 0, 0
    after = min(len(text) - match.end(), size // 2)
    start = max(match.end() + after - size, width - size + MARK_LENGTH)
    last = match.start() - SUBJECT_WIDTH  # a quotation mark directly before "not found" ends what was not found
    edges = [place + 1 for place in (text.rfind(edge, start, last) for edge in _EDGES) if place >= 0]
    start = max(edges) if edges else text.find(" ", start, max(last, start)) + 1 or start
    start += len(text[start : match.start()]) - len(text[start : match.start()].lstrip(" :,;"))
    end = min(start + size, len(text))
    return (start, end if len(text) - end > MARK_LENGTH else len(text)) if match.end() <= end else (0, 0)
