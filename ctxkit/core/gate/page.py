"""Return as many lines or bytes of a range as fit, and the command that reads the rest."""

from collections.abc import Callable
from typing import NamedTuple

from ctxkit.core.gate.content_ranges import read_rows
from ctxkit.core.text.lines import IndexedLines, Read, trim_partial_character
from ctxkit.core.text.search import find_largest
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.tokenizer import Tokenizer

ReadCommand = Callable[[str], str]
"""Returns the command that reads a range, given as ``--lines 46:200`` or ``--bytes 1:4096``."""
MAX_BYTES_PER_TOKEN = 64
"""Maximum mean bytes per token of real text; content with more bytes for each available token never fits."""


class PageTerms(NamedTuple):
    """What counts the tokens of a page, how many it may have, and the command that reads what follows it."""

    count: Tokenizer
    budget: Budget
    read_command: ReadCommand

    def is_within(self, page: bytes, target: int) -> bool:
        """Return whether a page has at most ``target`` tokens."""
        return self.count(page.decode("utf-8", "replace")) <= target


def make_lines_page(lines: IndexedLines, start: int, end: int, terms: PageTerms) -> bytes | None:
    """Return lines ``start`` to ``end`` unchanged if they fit, else as many as fit the target and a read command.

    If the first line alone is too long, return its beginning and the command that reads the rest in bytes. Return None
    if not even that fits.
    """
    first, stop = lines.span(start, end)
    available = terms.budget.available
    if stop - first <= available * MAX_BYTES_PER_TOKEN:
        whole = b"".join(lines.raw(start, end))
        if terms.is_within(whole, available):
            return whole
    return fit_lines(lines, start, end, terms) or make_bytes_page(lines.read, first + 1, stop, terms)


def make_bytes_page(read: Read, start: int, end: int, terms: PageTerms) -> bytes | None:
    """Return bytes ``start`` to ``end`` (1-based) unchanged if they fit, else as many as fit and a read command.

    The cut falls between characters. Return None if nothing fits.
    """
    available = terms.budget.available
    data = read(start - 1, min(end - start + 1, available * MAX_BYTES_PER_TOKEN))
    if len(data) == end - start + 1 and terms.is_within(data, available):
        return data
    while data := trim_partial_character(data):
        following = start + len(data)
        command = terms.read_command(f"--bytes {following}:{end}")
        page = data + f"\n[bytes {following}-{end} follow: {command}]\n".encode()
        if terms.is_within(page, terms.budget.briefing_target()):
            return page
        data = data[: len(data) * 3 // 4]
    return None


def fit_lines(lines: IndexedLines, start: int, end: int, terms: PageTerms) -> bytes | None:
    """Return as many of lines ``start`` to ``end`` as fit the target, and the command that reads the rest."""
    target = terms.budget.briefing_target()
    raw_rows = [row for _, row in read_rows(lines, start, min(end, start + target))]
    return find_largest(
        1,
        len(raw_rows),
        lambda number: _render_page(raw_rows[:number], start, end, terms.read_command),
        lambda page: terms.is_within(page, target),
    )


def _render_page(raw_rows: list[bytes], start: int, end: int, read_command: ReadCommand) -> bytes:
    following = start + len(raw_rows)
    rest = (
        f"[lines {following}-{end} follow: {read_command(f'--lines {following}:{end}')}]\n" if following <= end else ""
    )
    return b"".join(raw_rows) + rest.encode()
