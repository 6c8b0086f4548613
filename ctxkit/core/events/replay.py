"""Add up what gate, deduplication and masking would have kept out of a conversation that took place without them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.drawing import Chart, Series
from ctxkit.core.events.totals import align_columns
from ctxkit.core.text.escapes import escape_line
from ctxkit.core.text.quantity import pluralize
from ctxkit.core.tokens.budget import COMPACT_TRIGGER

if TYPE_CHECKING:
    from ctxkit.core.text.json_value import JsonValue

COMPARED = 200
"""Tokens of content from which the gate recognizes it when it comes again."""
LINE = 60
"""Tokens of the line that replaces repeated content, or cleared content, at most."""
KEPT_RECENT = 20_000
"""Tokens of the newest results that masking keeps, or a quarter of the window if that is less."""
MIN_MAPS = 20
"""Maps in a file of events from which the share that was read back is a measurement."""
ASSUMED_READS = 0.2
"""Share of what maps keep out that is read back, where nothing was measured."""
COLUMNS = ("results", "entered", "gate", "repeated", "masked", "reads", "net")
MAX_ROWS = 40
"""Rows of a table; the rest is one row."""


class ReplayLimits(NamedTuple):
    """The tokens that a conversation may take, that one result may take, and that a map takes at most."""

    window: int
    output_limit: int
    map_limit: int


class ReplayStep(NamedTuple):
    """A part of a conversation in its order: its tokens, and of a tool result the program and the content's digest.

    ``is_gated`` marks a result that the adapters of hosts may replace: that of a command or of an MCP tool.
    """

    tokens: int
    program: str = ""
    digest: str = ""
    is_gated: bool = False


class ReplayTotals(NamedTuple):
    """The sums of the results of a program, in tokens.

    ``gate`` is what maps, ``repeated`` what lines about repeated content, and ``masked`` what the clearing of old
    results would have kept out. ``reads`` is what would have been read back.
    """

    program: str
    results: int = 0
    entered: int = 0
    gate: int = 0
    repeated: int = 0
    masked: int = 0
    reads: int = 0

    @property
    def net(self) -> int:
        """Return what would have been kept out, less what would have been read back."""
        return self.gate + self.repeated + self.masked - self.reads

    def plus(self, other: ReplayTotals) -> ReplayTotals:
        """Return the sums of both under the name of this one."""
        pairs = zip(self[1:], other[1:], strict=True)
        return ReplayTotals(self.program, *(mine + others for mine, others in pairs))

    def describe(self) -> dict[str, JsonValue]:
        """Return the sums by name."""
        return {**self._asdict(), "net": self.net}


class ReadRate(NamedTuple):
    """The share of what maps keep out that is read back, and whether it was measured."""

    share: float
    is_measured: bool


def make_read_rate(kept_out: int, brought_back: int, maps: int) -> ReadRate:
    """Return the rate that the totals of events show, in tokens; the assumed one if they have too few maps."""
    if maps < MIN_MAPS or kept_out <= 0:
        return ReadRate(ASSUMED_READS, False)
    return ReadRate(min(brought_back / kept_out, 1.0), True)


def replay_steps(steps: Iterable[ReplayStep], limits: ReplayLimits) -> list[ReplayTotals]:
    """Return the sums of a conversation by program, without reads, in the order of the first results."""
    totals: dict[str, ReplayTotals] = {}
    context = _Context(limits)
    for step in steps:
        if not step.program:
            context.add(step, step.tokens, totals)
            continue
        is_mapped = step.is_gated and step.tokens > limits.output_limit
        gate = max(step.tokens - limits.map_limit, 0) if is_mapped else 0
        after = step.tokens - gate
        repeated = after - LINE if step.tokens >= COMPARED and after > LINE and context.holds(step.digest) else 0
        row = totals.get(step.program) or ReplayTotals(step.program)
        totals[step.program] = row.plus(ReplayTotals("", 1, step.tokens, gate, repeated))
        context.add(step, after - repeated, totals)
    return list(totals.values())


class _Context:
    """What is in the window; old results are cleared when it is full, and if that is not enough, it is summarized."""

    def __init__(self, limits: ReplayLimits) -> None:
        self._trigger = round(limits.window * COMPACT_TRIGGER)
        self._kept = min(KEPT_RECENT, limits.window // 4)
        self._steps: list[tuple[str, int]] = []
        self._digests: set[str] = set()
        self._total = 0

    def holds(self, digest: str) -> bool:
        """Return whether content is in the window."""
        return digest in self._digests

    def add(self, step: ReplayStep, tokens: int, totals: dict[str, ReplayTotals]) -> None:
        """Add a part, and what clearing saves to the totals of its programs."""
        self._steps.append((step.program, tokens))
        self._digests.add(step.digest)
        self._total += tokens
        if self._total <= self._trigger:
            return
        recent, steps = 0, []
        for program, size in reversed(self._steps):
            if program and size > LINE and recent >= self._kept:
                totals[program] = totals[program].plus(ReplayTotals("", masked=size - LINE))
                self._total -= size - LINE
                size = LINE
            recent += size
            steps.append((program, size))
        self._steps, self._digests = steps[::-1], set()
        if self._total > self._trigger:
            self._steps, self._total = [("", self._kept)], self._kept


def add_reads(rows: Iterable[ReplayTotals], rate: ReadRate) -> list[ReplayTotals]:
    """Return rows with what would have been read back of what maps keep out, the largest savings first."""
    charged = [row._replace(reads=round(row.gate * rate.share)) for row in rows]
    return sorted(charged, key=lambda row: (-row.net, -row.entered, row.program))


def sum_rows(rows: Iterable[ReplayTotals], name: str) -> ReplayTotals:
    """Return the sums of rows under a name."""
    total = ReplayTotals(name)
    for row in rows:
        total = total.plus(row)
    return total


def format_replay(rows: Sequence[ReplayTotals], rate: ReadRate, *, exact: bool) -> str:
    """Return the rows as a table, and what its numbers are."""
    shown = [*rows[:MAX_ROWS], *([sum_rows(rows[MAX_ROWS:], "(others)")] if rows[MAX_ROWS:] else [])]
    cells = [["program", *COLUMNS]]
    for row in (*shown, sum_rows(rows, "total")):
        values = row.describe()
        cells.append([escape_line(row.program), *(f"{values[name]:,}" for name in COLUMNS)])
    share = f"{rate.share:.0%} of what maps keep out"
    source = "measured in the file of events" if rate.is_measured else "assumed, because no file of events has 20 maps"
    notes = [
        "gate: long output of commands and of MCP tools; a map counts at the most that it may take",
        "repeated, masked: where ctxkit turn or compact manages the conversation",
        f"reads: {share}, {source}",
    ]
    if not exact:
        notes.append("tokens are estimates")
    return "".join(f"{line}\n" for line in (*align_columns(cells), *notes))


def describe_sessions(sessions: int, skipped: int) -> str:
    """Return how many files were read, and how many were none."""
    rest = f", {pluralize(skipped, 'other file')}" if skipped else ""
    return f"{pluralize(sessions, 'session')}{rest}"


def make_replay_chart(rows: Sequence[ReplayTotals]) -> Chart:
    """Return a chart of what each program's results would have been kept out, less what would have been read back."""
    shown = rows[:MAX_ROWS]
    return Chart(
        title="Tokens that would have been kept out, by program",
        labels=tuple(row.program for row in shown),
        series=(
            Series("maps, less reads", tuple(max(row.gate - row.reads, 0) for row in shown)),
            Series("repeated", tuple(row.repeated for row in shown)),
            Series("masked", tuple(row.masked for row in shown)),
            Series("reads", tuple(row.reads for row in shown)),
        ),
        axis="program",
    )
