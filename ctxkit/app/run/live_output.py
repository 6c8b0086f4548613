"""Gate the output of a command that runs: print its first lines, store it as it comes, decide at its end."""

from __future__ import annotations

import os
import re
from collections import Counter
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.app.services import sessions
from ctxkit.core.gate.decision import GatePolicy, GateServices, ShownLines
from ctxkit.core.gate.gate_content import gate_content
from ctxkit.core.store.label import Label
from ctxkit.core.text.lines import skip_lines
from ctxkit.core.tokens.token_count import token_bound, upper_bound_tokenizer
from ctxkit.edge import out, progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ctxkit.core.gate.decision import GateResult
    from ctxkit.core.store.store_interface import BlobWriter, Store
    from ctxkit.edge.child import Child, OutputPipe, WrappedCommand
    from ctxkit.edge.redaction import Redaction
    from ctxkit.edge.request import CliRequest
    from ctxkit.edge.settings import Settings

AFTER = 2.0
"""Seconds after the start of a command from which its first lines are printed."""
MAX_LINES, _MAX_TOKENS, _TARGET_SHARE = 40, 1_000, 4
"""Limits of the lines that are printed: their number, their tokens, and a share (1 / n) of the target of a map."""
MAX_ALIKE = 1
"""Lines that differ in numbers alone of which the next ones wait for a line of another form: a test runner prints
thousands of them, and each that is printed is one that the map at the end would have left out."""
_MAX_BYTES = 1 << 16
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
        if len(self._seen) > _MAX_BYTES or self._seen.count(b"\n") > MAX_LINES:
            self._seen, self._is_full = self._seen[: _MAX_BYTES + 1], True
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
            is_short = self._read < MAX_LINES and len(text) <= _MAX_BYTES and self._fits(text)
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


_MAX_STORED = 16 << 20
"""Bytes of late output that are stored; the rest is counted."""
_MAX_ID = 64
"""Bytes of the id of an entry."""


class GateSetup(NamedTuple):
    """Hold what the output of a command is gated with, and whether it passes whatever its size.

    ``cap_note`` says in a map that the setting ``result_cap`` kept the output out, "" if it does not apply.
    """

    config: Settings
    policy: GatePolicy
    services: GateServices
    events_file: str
    name: str
    passes: bool
    call_facts: dict[str, str]
    cap_note: str = ""

    def count(self, data: bytes) -> int:
        """Return an upper bound of the tokens of content."""
        vocabulary = self.policy.vocabulary
        count = upper_bound_tokenizer(self.services.tokenizer(vocabulary), vocabulary)
        return count(data.decode("utf-8", "replace"))

    def fits_before_map(self, data: bytes) -> bool:
        """Return whether first lines leave enough of the target of a map; a vocabulary is loaded only if it decides."""
        limit, bound = limit_tokens(self.policy.target), token_bound(data, self.policy.vocabulary)
        return bound <= limit or (limit > 0 and self.count(data) <= limit)


class LiveOutput:
    """The output of a command: its first lines are printed while it runs, unless it passes or is ``exact``.

    ``setup`` is None if nothing is gated.
    """

    def __init__(
        self, child: Child | WrappedCommand, redaction: Redaction, setup: GateSetup | None, *, exact: bool
    ) -> None:
        self._child, self._redaction, self._setup = child, redaction, setup
        is_gated = setup is not None and not setup.passes
        mask = redaction.mask if redaction.on else None
        fits = setup.fits_before_map if setup and is_gated and not exact else lambda _lines: False
        self._first_lines = FirstLines(fits, mask)
        self._shown: ShownLines | None = None
        self._recorded = RecordedOutput(
            setup.services.store if setup and is_gated else None, setup.policy.label if setup else None
        )

    def read(self) -> Iterable[bytes]:
        """Yield the output without its secrets, until the command has ended."""
        chunks = progress.announce_run(self._child.read_output(ticks=True), self._child.announce)
        return self._recorded.watch(self._redaction.apply(self._first_lines.watch(chunks)))

    def gate(self, output: Iterable[bytes], request: CliRequest) -> GateResult:
        """Return the result for the output, without the lines that were printed.

        Raise BrokenPipeError if nobody reads these.
        """
        assert self._setup is not None
        setup, first_lines = self._setup, self._first_lines
        services = setup.services._replace(open_writer=self._recorded.open_writer)
        policy = setup.policy._replace(preface=self._describe_end, shown=self._count_shown)
        gate_result = gate_content(output, policy, services)
        if first_lines.error is not None:
            raise first_lines.error
        first_lines.close()
        gate_result = sessions.replace_repeated(gate_result, policy, services, request, setup.config)
        shown, count = self._count_shown(), gate_result.token_count
        if not shown.lines:
            return gate_result
        if gate_result.result in ("raw", "tight"):
            return gate_result._replace(content=skip_lines(gate_result.content, shown.lines))
        return gate_result._replace(token_count=count.with_added(shown.tokens)) if count.tokens >= 0 else gate_result

    def _count_shown(self) -> ShownLines:
        """Return the lines that were printed so far, and their tokens."""
        if self._setup is None or not self._first_lines.count:
            return ShownLines()
        if self._shown is None or self._shown.lines != self._first_lines.count:
            self._shown = ShownLines(self._first_lines.count, self._setup.count(self._first_lines.printed))
        return self._shown

    def abandon(self) -> None:
        """Remove what was stored of output that nobody gated."""
        self._recorded.close()

    def close(self) -> None:
        """Remove what was stored of output that passed, and keep what a process prints that still runs."""
        self.abandon()
        self._child.wait()
        if self._child.pipe.has_writers():
            setup = self._setup
            store = setup.services.store if setup is not None and not setup.passes else None
            label = setup.policy.label if setup is not None else Label()
            where = _keep_late_output(self._child.pipe, self._redaction, store, label)
            self._child.announce(_describe_late_output(where, is_sandboxed=self._child.is_sandboxed()))

    def _describe_end(self) -> str:
        """Return how a failed command ended, why there is a map, and which lines were printed before."""
        lines = self._first_lines.count
        above = f"lines 1-{lines} are above, and not in this map" if lines > 1 else ""
        above = "line 1 is above, and not in this map" if lines == 1 else above
        cap_note = self._setup.cap_note if self._setup is not None else ""
        return "; ".join(filter(None, (self._child.describe_failure(), cap_note, above)))


def _keep_late_output(pipe: OutputPipe, redaction: Redaction, store: Callable[[], Store] | None, label: Label) -> str:
    """Start a process that reads a pipe to its end, so that its writers never get SIGPIPE.

    Return what happens to its output, and how to read it. Without a ``store`` it is lost.
    """
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            _detach(pipe.descriptor, writer)
            _read_to_end(pipe, redaction, store, label, writer)
        finally:
            os._exit(0)
    os.close(writer)
    pipe.close()
    with open(reader, "rb") as file:
        entry = file.read(_MAX_ID).decode("ascii", "replace")
    return f"is kept: ctxkit cache get {entry}" if entry else "is not kept"


def _describe_late_output(where: str, *, is_sandboxed: bool) -> str:
    """Return the line about a process that a command left behind, and what happens to its output."""
    until, end = ("until then", ", and ends with this sandbox") if is_sandboxed else ("from now on", "")
    return f"[ctxkit: a process that the command started still runs{end}; what it prints {until} {where}]"


def _detach(*kept: int) -> None:
    """Leave the session of the command, and close what a host or a make may wait for, except descriptors ``kept``."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    start = 3
    for descriptor in sorted(kept):
        os.closerange(start, descriptor)
        start = descriptor + 1
    os.closerange(start, os.sysconf("SC_OPEN_MAX"))


def _read_to_end(
    pipe: OutputPipe, redaction: Redaction, store: Callable[[], Store] | None, label: Label, announced: int
) -> None:
    """Store the beginning of what comes, and read the rest."""
    entry: BlobWriter | None = None
    try:
        if store is not None:
            entry = store().open_writer()
            os.write(announced, entry.name_unfinished(_rename(label, "after its end")).encode())
    except Exception:  # whatever it is, the pipe is read
        entry = None
    os.close(announced)
    chunks, left_out = pipe.read_all(), 0
    if entry is not None:
        left_out = _store(redaction.apply(chunks), entry)
    for chunk in chunks:
        left_out += len(chunk)
    if entry is not None:
        rest = f", without {left_out:,} more bytes" if left_out else ""
        entry.commit(_rename(label, f"after its end{rest}"))


def _store(chunks: Iterable[bytes], entry: BlobWriter) -> int:
    """Write at most ``MAX_STORED`` bytes; return how many more came."""
    left_out = 0
    try:
        for chunk in chunks:
            kept = chunk[: max(_MAX_STORED - entry.size, 0)]
            if kept:
                entry.write(kept)
            left_out += len(chunk) - len(kept)
    except Exception:  # a full disk, or content that cannot be masked
        return left_out
    return left_out


def _rename(label: Label, when: str) -> Label:
    return label._replace(name=f"{when}: {label.name}")


def limit_tokens(target: int) -> int:
    """Return the maximum tokens of the first lines, for the target of a map."""
    return min(_MAX_TOKENS, target // _TARGET_SHARE)


def _may_be_wrapped(line: bytes) -> bool:
    """Return whether a key at the end of a line may go on in the next one."""
    from ctxkit.core.redaction.find_secrets import WRAP_WIDTH

    return len(line) > WRAP_WIDTH and line.rstrip()[-8:].isalnum()
