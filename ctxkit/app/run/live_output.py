"""Gate the output of a command that runs: print its first lines, store it as it comes, decide on it at its end."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.app.services import sessions
from ctxkit.core.gate.decision import GatePolicy, GateServices, ShownLines
from ctxkit.core.gate.gate_content import gate_content
from ctxkit.core.store.label import Label
from ctxkit.core.text.lines import skip_lines
from ctxkit.core.tokens.token_count import token_bound, upper_bound_tokenizer
from ctxkit.edge import progress
from ctxkit.edge.recorded_output import FirstLines, RecordedOutput, limit_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctxkit.core.gate.decision import GateResult
    from ctxkit.core.store.store_interface import BlobWriter, Store
    from ctxkit.edge.child import Child, OutputPipe
    from ctxkit.edge.redaction import Redaction
    from ctxkit.edge.request import CliRequest
    from ctxkit.edge.settings import Settings
    from ctxkit.edge.wrapped_command import WrappedCommand

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
