"""Gate the output of a command that runs: print its first lines, store it as it comes, decide on it at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctxkit.app.run.late_output import describe_late_output, keep_late_output
from ctxkit.app.services import sessions
from ctxkit.core.gate.gate_content import gate_content
from ctxkit.core.gate.policy import GatePolicy, GateServices, ShownLines
from ctxkit.core.store.label import Label
from ctxkit.core.text.shown_lines import skip_lines
from ctxkit.core.tokens.token_count import token_bound, upper_bound_tokenizer
from ctxkit.edge import progress
from ctxkit.edge.first_lines import FirstLines, limit_tokens
from ctxkit.edge.recorded_output import RecordedOutput

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctxkit.core.gate.result import GateResult
    from ctxkit.edge.child import Child
    from ctxkit.edge.redaction import Redaction
    from ctxkit.edge.request import CliRequest
    from ctxkit.edge.settings import Settings
    from ctxkit.edge.wrapped_command import WrappedCommand


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
            where = keep_late_output(self._child.pipe, self._redaction, store, label)
            self._child.announce(describe_late_output(where, is_sandboxed=self._child.is_sandboxed()))

    def _describe_end(self) -> str:
        """Return how a failed command ended, why there is a map, and which lines were printed before."""
        lines = self._first_lines.count
        above = f"lines 1-{lines} are above, and not in this map" if lines > 1 else ""
        above = "line 1 is above, and not in this map" if lines == 1 else above
        cap_note = self._setup.cap_note if self._setup is not None else ""
        return "; ".join(filter(None, (self._child.describe_failure(), cap_note, above)))
