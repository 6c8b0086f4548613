"""Print the first lines of a command's output while it runs, if it runs for longer than a moment."""

from __future__ import annotations

import re
from collections import Counter
from time import monotonic
from typing import TYPE_CHECKING

from ctxkit.edge import out, progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

AFTER = 2.0
"""Seconds after the start of a command from which its first lines are printed."""
MAX_LINES, MAX_TOKENS, TARGET_SHARE = 40, 1_000, 4
"""Limits of the lines that are printed: their number, their tokens, and a share (1 / n) of the target of a map."""
MAX_ALIKE = 1
"""Lines that differ in numbers alone of which the next ones wait for a line of another form: a test runner prints
thousands of them, and each that is printed is one that the map at the end would have left out."""
MAX_BYTES = 1 << 16
"""Bytes after which no more lines are printed, whatever their tokens."""


_NUMBER = re.compile(rb"\d+")


def limit_tokens(target: int) -> int:
    """Return the maximum tokens of the first lines, for the target of a map."""
    return min(MAX_TOKENS, target // TARGET_SHARE)


class FirstLines:
    """Prints the first complete lines of output as they come, once the command has run for ``AFTER`` seconds.

    ``printed`` and ``count`` are the text and the number of these lines, ``error`` that of a stdout that nobody reads.
    Of lines that differ in numbers alone, more than ``MAX_ALIKE`` come with the next line of another form, or not.
    Binary output is not printed. ``mask`` removes secrets: what follows a line never changes how it was printed, or
    no more is printed. ``fits`` returns whether the tokens of the lines so far are within their limit.
    """

    def __init__(self, fits: Callable[[bytes], bool], mask: Callable[[bytes], bytes] | None = None) -> None:
        self._due = monotonic() + AFTER
        self._fits, self._mask = fits, mask
        self._seen, self.printed = b"", b""
        self._end = self._read = 0  # of the lines that were printed or wait, in what was seen, and their number
        self._forms: Counter[bytes] = Counter()
        self._is_open, self._is_full = True, False
        self.count = 0
        self.error: BrokenPipeError | None = None

    def watch(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the chunks; an empty one is an occasion to print."""
        for chunk in chunks:
            if self._is_open:
                self._seen += b"" if self._is_full else chunk
                self._print_when_due()
            yield chunk

    def _print_when_due(self) -> None:
        """Print lines if it is time; keep no more of the output than may be printed."""
        if len(self._seen) > MAX_BYTES or self._seen.count(b"\n") > MAX_LINES:
            self._seen, self._is_full = self._seen[: MAX_BYTES + 1], True
        if monotonic() < self._due:
            return
        try:
            self._print_lines()
        except BrokenPipeError as error:
            self.error = error
            raise
        except Exception:  # whatever it is, the gate writes the lines at the end
            self._is_open = False
        if self._is_full:
            self._is_open = False

    def _print_lines(self) -> None:
        """Print the complete lines that have come and fit."""
        while self._is_open and (end := self._seen.find(b"\n", self._end) + 1):
            text = self._draw(self._seen[:end])
            if self._mask is not None:
                if end == self._seen.rfind(b"\n") + 1 and _may_be_wrapped(text[text.rfind(b"\n", 0, -1) + 1 :]):
                    return  # the next line may be the rest of a key
                text = self._mask(text)
            is_short = self._read < MAX_LINES and len(text) <= MAX_BYTES and self._fits(text)
            if not is_short or not text.startswith(self.printed) or b"\0" in text:
                self._is_open = False
                return
            form = _NUMBER.sub(b"0", self._seen[self._end : end])
            self._forms[form] += 1
            self._end, self._read = end, self._read + 1
            if self._forms[form] > MAX_ALIKE:
                continue
            progress.clear_line()
            out.write((text[len(self.printed) :],))
            self.printed, self.count = text, self._read

    def close(self) -> None:
        """Print no more lines."""
        self._is_open = False

    @staticmethod
    def _draw(data: bytes) -> bytes:
        """Return lines without what was drawn over in them, such as the steps of a progress bar."""
        from ctxkit.core.text.redraws import has_redraws

        if not has_redraws(data):
            return data
        from ctxkit.core.text.screen import draw_screen

        return draw_screen(data).text().encode("utf-8", "surrogateescape")


def _may_be_wrapped(line: bytes) -> bool:
    """Return whether a key at the end of a line may go on in the next one."""
    from ctxkit.core.redaction.find_secrets import WRAP_WIDTH

    return len(line) > WRAP_WIDTH and line.rstrip()[-8:].isalnum()
