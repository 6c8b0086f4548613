"""A long text as its beginning and its end, with the gap between them named."""

from ctxkit.core.ref import short
from ctxkit.core.tokenizer import Tokenizer

HEAD = 0.4
"""Share of what is kept that is the beginning: what came of something stands at its end."""
TRIES = 6


def shortened(text: str, most: int, count: Tokenizer, ref: str) -> str | None:
    """Return a text in at most ``most`` tokens, None where that cannot be had; whole lines where they are short.

    The gap names the command that reads it back; with an empty ``ref`` it says that it is stored nowhere.
    """
    total = count(text)
    room = int(len(text) * most / max(total, 1)) - 100
    for _ in range(TRIES):
        if room < 0:
            return _ends(text, 0, ref) if count(_ends(text, 0, ref)) <= most else None
        made = _ends(text, room, ref)
        size = count(made)
        if size <= most:
            return made
        room = int(room * most / size * 0.95) - 8
    return None


def _ends(text: str, room: int, ref: str) -> str:
    """Return about ``room`` characters of both ends."""
    first, last = int(room * HEAD), len(text) - (room - int(room * HEAD))
    begin, end = _snapped(text, first, last)
    return "".join([text[:begin], _gap(text, begin, end, ref), text[end:]])


def _snapped(text: str, first: int, last: int) -> tuple[int, int]:
    """Return both ends at line breaks, where those are near: within a fifth of what is kept."""
    at = text.rfind("\n", 0, first) + 1
    begin = at if at > 0.8 * first else first
    at = text.find("\n", last) + 1
    end = at if 0 < at < last + 0.2 * (len(text) - last) else last
    return begin, max(begin, end)


def _gap(text: str, begin: int, end: int, ref: str) -> str:
    size = len(text[begin:end].encode("utf-8", "surrogatepass"))
    first = text.count("\n", 0, begin) + 1
    last = text.count("\n", 0, end) + (not text[:end].endswith("\n"))
    whole = begin == 0 or text[begin - 1] == "\n"
    start = len(text[:begin].encode("utf-8", "surrogatepass")) + 1
    span = f"--lines {first}:{last}" if last > first else f"--bytes {start}:{start + size - 1}"
    way = f"to read them: ctxkit cache get {short(ref)} {span}" if ref else "stored nowhere"
    named = f"[{size:,} bytes are left out here{f' (lines {first}-{last})' if last > first else ''}; {way}]"
    return f"{'' if whole else chr(10)}{named}\n"
