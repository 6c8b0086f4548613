"""Head and tail of stored content, for when no map of it could be made."""

from ctxkit.core.clip import Cut, Ends, fit_ends
from ctxkit.core.hint import Hint
from ctxkit.core.measure import plural, size_of
from ctxkit.core.store import Held
from ctxkit.core.tally import decoded
from ctxkit.core.tokenizer import Tokenizer

STEP = 1 << 20
"""Bytes that are read at once."""
SHOWN = 120
"""Lines that the hint asks for at most."""


def head_and_tail(
    held: Held, title: str, hint: Hint, preface: str, count: Tokenizer, target: int
) -> tuple[str | None, int]:
    """Return the most of both ends that takes at most ``target`` tokens, and the lines that there are in all.

    The text is None where not even the line that says what it is of fits.
    """
    size, ends = held.lines.size, Ends(target)
    for text in decoded(held.read(at, STEP) for at in range(0, size, STEP)):
        ends.take(text.encode("utf-8", "replace"))
    if ends.size != size:
        hint = hint.transcoded()
    header = f"# {title} ({plural(ends.total, 'line')}, {size_of(size)}): head and tail, not the content"
    above = [preface, header] if preface else [header]

    def rendered(cut: Cut) -> str:
        start, end = cut.lines
        if cut.octets is not None:
            gap = [f"[{plural(cut.octets, 'byte')} are not shown]"]
            way = hint.octets(1, size)
        else:
            gap = [f"[lines {start:,}-{end:,} are not shown]"] if start <= end else []
            way = hint.line(start, min(end, start + SHOWN - 1)) if gap else hint.line(1, ends.total or 1)
        return "\n".join([*above, "", *cut.first, *gap, *cut.last, "", way]) + "\n"

    return fit_ends(ends, count, target, rendered), ends.total
