"""What stands where a tool result stood: how large it was, from which tool, its beginning, and the way back to it."""

import re
from collections.abc import Iterator

from ctxkit.core.brief.signs import FAILED, means_trouble
from ctxkit.core.ref import short

SHOWN = 200
"""Characters of a result that are shown (seed: "First 200 chars")."""
LINES, WIDTH = 6, 240
"""Lines of a failed result that survive at most, and characters of each."""
_OPENING = "[Tool result stored — "
_UNSTORED = "[Tool result left out — "
_CLEARED = re.compile(
    r"\s*\[(?:Tool result (?:stored|left out) — [\d,]+ bytes|Old tool result content cleared\]"
    r"|cleared[^\]\n]{0,40}\]\s*\Z)"
)
_STATUS = re.compile(
    r"(?:exit(?:ed)?(?: with)?(?: (?:code|status))?|returncode|return code)\W{0,3}(?:[1-9]\d*|-\d+)\b"
    r"|<returncode>[1-9-]",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"\s+")


def stub(text: str, tool: str, ref: str, *, failed: bool) -> str:
    """Return the text that stands in for a result; an empty ``ref`` says that it is stored nowhere.

    Of a result that says that something failed, the lines that say so stay.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    head = f'{_OPENING if ref else _UNSTORED}{size:,} bytes from "{tool or "tool"}".'
    first = _BLANKS.sub(" ", text[: 2 * SHOWN]).strip()[:SHOWN]
    shown = f"{head} First {len(first)} chars: {first}{'...' if len(first) < len(text.strip()) else ''}]"
    kept = [line for line in complaints(text, failed=failed) if line not in shown]
    lines = [shown, *(["Lines that say what failed:", *kept] if kept else [])]
    return "\n".join([*lines, f"To read it: {way_back(text, ref)}"] if ref else lines)


def way_back(text: str, ref: str) -> str:
    """Return the command that reads all of a stored text; another range reads a part."""
    total = text.count("\n") + (not text.endswith("\n"))
    span = f"--lines 1:{total}" if total > 1 else f"--bytes 1:{len(text.encode('utf-8', 'surrogatepass'))}"
    return f"ctxkit cache get {short(ref)} {span}"


def is_cleared(text: str) -> bool:
    """Tell whether a result was cleared before, by this program or another one."""
    return _CLEARED.match(text) is not None


def complaints(text: str, *, failed: bool) -> list[str]:
    """Return the lines of a result that say what failed, none where nothing did."""
    if not failed and not _STATUS.search(text[-400:]) and not _STATUS.search(text[:400]) and not FAILED.search(text):
        return []
    found = list(dict.fromkeys(_troubles(text)))
    return found if len(found) <= LINES else [*found[: LINES // 2], *found[-LINES // 2 :]]


def _troubles(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        bare = line.strip()
        if bare and len(line) < 4_000 and (means_trouble(line) or _STATUS.search(line)):
            yield bare if len(bare) <= WIDTH else f"{bare[: WIDTH - 3]}..."
