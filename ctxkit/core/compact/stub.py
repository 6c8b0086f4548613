"""The stub of a cleared tool result: its size, its tool, its beginning and the command that reads it."""

import re
from collections.abc import Iterator

from ctxkit.core.store.label import shorten_ref
from ctxkit.core.text.json_value import replace_surrogates
from ctxkit.core.text.retrieval_hint import PREFIX, PRESETS, Hint
from ctxkit.core.text.severity import FAILED, is_error_line

SHOWN_CHARS = 200
"""Characters of a result that a stub shows (specification: "First 200 chars")."""
MAX_LINES, MAX_WIDTH = 6, 240
"""Maximum number of lines that a stub quotes from a failed result, and maximum characters of each."""
MAX_LAST_LINE = 2_000
"""Characters at the end of a result in which its last line is looked for."""
_STORED_MARK = "[Tool result stored — "
_UNSTORED_MARK = "[Tool result left out — "
_CLEARED_STUB = re.compile(
    r"\s*\[(?:Tool result (?:stored|left out) — [\d,]+ bytes|Old tool result content cleared\]"
    r"|cleared[^\]\n]{0,40}\]\s*\Z)"
)
_STATUS = re.compile(
    r"(?:exit(?:ed)?(?: with)?(?: (?:code|status))?|returncode|return code)\W{0,3}(?:[1-9]\d*|-\d+)\b"
    r"|<returncode>[1-9-]",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"\s+")


def make_stub(text: str, tool: str, ref: str, *, failed: bool, template: str = "") -> str:
    """Return the stub of a result; an empty ``ref`` says that the result is not stored.

    The stub of a failed result quotes the lines that report the failure. ``template`` is that of the user's hint.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    head = f'{_STORED_MARK if ref else _UNSTORED_MARK}{size:,} bytes from "{tool or "tool"}".'
    first = _BLANKS.sub(" ", text[: 2 * SHOWN_CHARS]).strip()[:SHOWN_CHARS]
    preview = f"{head} First {len(first)} chars: {first}{'...' if len(first) < len(text.strip()) else ''}]"
    failure_lines = [line for line in find_failure_lines(text, failed=failed) if line not in preview]
    lines = [preview, *(["Lines that say what failed:", *failure_lines] if failure_lines else [])]
    return replace_surrogates("\n".join([*lines, _format_hint(text, ref, template)] if ref else lines))


def _format_hint(text: str, ref: str, template: str) -> str:
    """Return how to read a stored text: the user's hint if it names the ref, else the command."""
    if template == PRESETS["read_result"]:
        return Hint(template, shorten_ref(ref)).for_lines(1, 1)
    if "{ref}" not in template or template in PRESETS.values():
        return f"To read it: {format_read_command(text, ref)}"
    filled = Hint(template, shorten_ref(ref)).for_lines(1, count_lines(text))
    return f"To read it: {filled.removeprefix(PREFIX)}"


def format_read_command(text: str, ref: str) -> str:
    """Return the command that reads a stored text completely; the user can narrow its range."""
    total = count_lines(text)
    span = f"--lines 1:{total}" if total > 1 else f"--bytes 1:{len(text.encode('utf-8', 'surrogatepass'))}"
    return f"ctxkit cache get {shorten_ref(ref)} {span}"


def count_lines(text: str) -> int:
    """Return the number of lines of a text that is not empty; a last line without a newline counts."""
    return text.count("\n") + (not text.endswith("\n"))


def is_cleared(text: str) -> bool:
    """Return whether a result is already a stub, from this program or another one."""
    return _CLEARED_STUB.match(text) is not None


def find_failure_lines(text: str, *, failed: bool) -> list[str]:
    """Return the lines of a result that report a failure, empty if nothing failed."""
    has_status = _STATUS.search(text[-400:]) or _STATUS.search(text[:400])
    if not failed and not has_status and not FAILED.search(text) and not is_error_line(_last_line(text)):
        return []
    lines = list(dict.fromkeys(_find_trouble_lines(text)))
    return lines if len(lines) <= MAX_LINES else [*lines[: MAX_LINES // 2], *lines[-MAX_LINES // 2 :]]


def _last_line(text: str) -> str:
    """Return the last line of a text that is not blank, in which most programs report why they ended."""
    return text[-MAX_LAST_LINE:].rstrip().rsplit("\n", 1)[-1]


def _find_trouble_lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        bare = line.strip()
        if bare and len(line) < 4_000 and (is_error_line(line) or _STATUS.search(line)):
            yield bare if len(bare) <= MAX_WIDTH else f"{bare[: MAX_WIDTH - 3]}..."
