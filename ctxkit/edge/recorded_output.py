"""Store the output of a command while it runs, and print its first lines if it runs longer than a moment."""

from __future__ import annotations

import re
from collections import Counter
from time import monotonic
from typing import TYPE_CHECKING

from ctxkit.edge import out, progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ctxkit.core.store.label import Label
    from ctxkit.core.store.store_interface import BlobWriter, Store

AFTER = 2.0
"""Seconds after the start of a command from which its first lines are printed."""
MAX_LINES, MAX_TOKENS, _TARGET_SHARE = 40, 1_000, 4
"""Limits of the lines that are printed: their number, their tokens, and a share (1 / n) of the target of a map."""
MAX_ALIKE = 1
"""Lines that differ in numbers alone of which the next ones wait for a line of another form: a test runner prints
thousands of them, and each that is printed is one that the map at the end would have left out."""
MAX_BYTES = 1 << 16
"""Bytes after which no more lines are printed, whatever their tokens."""
_NUMBER = re.compile(rb"\d+")


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
        from ctxkit.core.text.escapes import has_redraws

        if not has_redraws(data):
            return data
        from ctxkit.core.text.screen import draw_screen

        return draw_screen(data).text().encode("utf-8", "surrogateescape")


_KEPT_BYTES = 1 << 20
"""Bytes that are kept in memory before they are written."""


class RecordedOutput:
    """Writes output into an unfinished entry of the store: after ``AFTER`` seconds, or what exceeds ``KEPT_BYTES``.

    ``open_writer`` then continues the entry. If nobody does, ``close`` removes it: the output passed.
    """

    def __init__(self, store: Callable[[], Store] | None, label: Label | None) -> None:
        self._due = monotonic() + AFTER
        self._store, self._label = store, label
        self._kept: list[bytes] = []
        self._kept_size = 0
        self._writer: BlobWriter | None = None
        self._continued: _ContinuedWriter | None = None
        self.error: OSError | None = None

    @property
    def size(self) -> int:
        """Return the bytes in the entry."""
        return self._writer.size if self._writer is not None else 0

    def watch(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the chunks, and write them."""
        for chunk in chunks:
            if self._store is not None and self._label is not None and self.error is None:
                self._keep(chunk, self._store, self._label)
            yield chunk

    def _keep(self, chunk: bytes, store: Callable[[], Store], label: Label) -> None:
        if chunk:
            self._kept.append(chunk)
            self._kept_size += len(chunk)
        if not self._kept or (self._writer is None and self._kept_size <= _KEPT_BYTES and monotonic() < self._due):
            return
        kept, self._kept = self._kept, []
        try:
            if self._writer is None:
                self._writer = store().open_writer()
                self._writer.name_unfinished(label)
            for piece in kept:
                self._writer.write(piece)
        except OSError as error:
            self.error = error
        except Exception as error:
            self.error = OSError(str(error))

    def open_writer(self, store: Store) -> BlobWriter:
        """Return the writer of the entry, which takes all output from its beginning again, or a new one."""
        if self._writer is None:
            self._store = None  # the new writer stores the rest
            return store.open_writer()
        self._continued = _ContinuedWriter(self._writer, self)
        return self._continued

    def close(self) -> None:
        """Remove an entry that nobody finished."""
        if self._writer is not None and (self._continued is None or not self._continued.is_committed):
            self._writer.abandon()


class _ContinuedWriter:
    """Writes what the entry has already, or gets when the output is read on."""

    def __init__(self, writer: BlobWriter, recorded: RecordedOutput) -> None:
        self._writer, self._recorded = writer, recorded
        self.size = 0
        self.is_committed = False

    def write(self, chunk: bytes) -> None:
        """Take the next bytes of the output; raise OSError if they could not be written."""
        if self.size + len(chunk) > self._recorded.size:
            raise self._recorded.error or OSError("the output could not be stored")
        self.size += len(chunk)

    def commit(self, label: Label) -> str:
        """Store the entry and return its ref. Raise OSError on failure."""
        ref = self._writer.commit(label)
        self.is_committed = True
        return ref

    def name_unfinished(self, label: Label) -> str:  # noqa: ARG002 - the entry has its label
        """Return "": the entry has its name."""
        return ""

    def replay(self) -> Iterator[bytes]:
        """Yield the bytes that were taken."""
        left = self.size
        for piece in self._writer.replay():
            if left > 0:
                yield piece[:left]
            left -= len(piece)

    def abandon(self) -> None:
        """Remove the entry."""
        self._writer.abandon()


def limit_tokens(target: int) -> int:
    """Return the maximum tokens of the first lines, for the target of a map."""
    return min(MAX_TOKENS, target // _TARGET_SHARE)


def _may_be_wrapped(line: bytes) -> bool:
    """Return whether a key at the end of a line may go on in the next one."""
    from ctxkit.core.redaction.find_secrets import WRAP_WIDTH

    return len(line) > WRAP_WIDTH and line.rstrip()[-8:].isalnum()
