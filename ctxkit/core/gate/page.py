"""Return as many lines or bytes of a range as fit, and the command that reads the rest."""

from collections.abc import Callable

from ctxkit.core.gate.content_ranges import read_rows
from ctxkit.core.text.bisection import find_largest
from ctxkit.core.text.lines import IndexedLines, Read, trim_partial_character
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.tokenizer import Tokenizer

ReadCommand = Callable[[str], str]
"""Returns the command that reads a range, given as ``--lines 46:200`` or ``--bytes 1:4096``."""
MAX_BYTES_PER_TOKEN = 64
"""Maximum mean bytes per token of real text; content with more bytes for each available token never fits."""


def make_lines_page(
    lines: IndexedLines, start: int, end: int, count: Tokenizer, budget: Budget, read_command: ReadCommand
) -> bytes | None:
    """Return lines ``start`` to ``end`` unchanged if they fit, else as many as fit the target and a read command.

    If the first line alone is too long, return its beginning and the command that reads the rest in bytes. Return None
    if not even that fits.
    """
    first, stop = lines.span(start, end)
    if stop - first <= budget.available * MAX_BYTES_PER_TOKEN:
        whole = b"".join(lines.raw(start, end))
        if count(whole.decode("utf-8", "replace")) <= budget.available:
            return whole
    return fit_lines(lines, start, end, count, budget.briefing_target(), read_command) or make_bytes_page(
        lines.read, first + 1, stop, count, budget, read_command
    )


def make_bytes_page(
    read: Read, start: int, end: int, count: Tokenizer, budget: Budget, read_command: ReadCommand
) -> bytes | None:
    """Return bytes ``start`` to ``end`` (1-based) unchanged if they fit, else as many as fit and a read command.

    The cut falls between characters. Return None if nothing fits.
    """
    data = read(start - 1, min(end - start + 1, budget.available * MAX_BYTES_PER_TOKEN))
    if len(data) == end - start + 1 and count(data.decode("utf-8", "replace")) <= budget.available:
        return data
    while data := trim_partial_character(data):
        following = start + len(data)
        page = data + f"\n[bytes {following}-{end} follow: {read_command(f'--bytes {following}:{end}')}]\n".encode()
        if count(page.decode("utf-8", "replace")) <= budget.briefing_target():
            return page
        data = data[: len(data) * 3 // 4]
    return None


def fit_lines(
    lines: IndexedLines, start: int, end: int, count: Tokenizer, target: int, read_command: ReadCommand
) -> bytes | None:
    """Return as many of lines ``start`` to ``end`` as fit the target, and the command that reads the rest."""
    raw_rows = [row for _, row in read_rows(lines, start, min(end, start + target))]
    return find_largest(
        1,
        len(raw_rows),
        lambda number: _render_page(raw_rows[:number], start, end, read_command),
        lambda page: count(page.decode("utf-8", "replace")) <= target,
    )


def _render_page(raw_rows: list[bytes], start: int, end: int, read_command: ReadCommand) -> bytes:
    following = start + len(raw_rows)
    rest = (
        f"[lines {following}-{end} follow: {read_command(f'--lines {following}:{end}')}]\n" if following <= end else ""
    )
    return b"".join(raw_rows) + rest.encode()
