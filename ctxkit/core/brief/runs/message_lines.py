"""Ways to find the message of a failure among the lines of its block, for the tables of runners."""

import re
from collections.abc import Callable, Sequence

from ctxkit.core.brief.runs.failures import NumberedLine

PANIC = re.compile(r"thread '(?:(?!thread ').)*' (?:\(\d+\) )?panicked at (.*)")
BELOW_PANIC = ("note: ", "stack backtrace:", "thread '")


def take_until(pattern: str, skipped: str = r"(?!)") -> Callable[[Sequence[NumberedLine]], list[NumberedLine]]:
    """Return a function that returns the lines above the first that ``pattern`` matches, or else the first line.

    Lines that ``skipped`` matches as a whole are left out.
    """
    end = re.compile(pattern)
    left_out = re.compile(skipped)

    def find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
        """Return the lines of the message."""
        body = [row for row in body if not left_out.fullmatch(row[1])]
        cut = next((at for at, (_, text) in enumerate(body) if end.match(text)), len(body))
        return list(body[:cut] or body[:1])

    return find_message


def find_panic(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the message of a panic of Rust, or the error that the test returned."""
    at = next((at for at, (_, text) in enumerate(body) if PANIC.search(text)), -1)
    if at < 0:
        error_rows = [row for row in body if row[1].startswith("Error: ")]
        return error_rows or list(body[-1:])
    rows = list(body[at + 1 :])
    cut = next((n for n, (_, text) in enumerate(rows) if text.lstrip().startswith(BELOW_PANIC)), len(rows))
    # Before Rust 1.73, the line of the panic contains the message.
    return [body[at], *rows[:cut]] if "panicked at '" in body[at][1] else rows[:cut] or [body[at]]
