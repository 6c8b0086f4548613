"""The usage of a context over the turns of its conversation."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.budget.context_budget import ContextBudget
from ctxkit.core.count.message_tokens import SYSTEM, MessageTokens
from ctxkit.core.drawing import Chart, Limit, Mark, Series
from ctxkit.core.session.ledger_interface import ContextChange, DatedEntry

_USER = ("user", "human")


class TurnUsage(NamedTuple):
    """The tokens of each component at the end of a turn."""

    system_prompt: int = 0
    skill_prompts: int = 0
    tool_descriptions: int = 0
    conversation: int = 0


class ContextCut(NamedTuple):
    """A change that took something out of the context after so many messages, and the used tokens after it."""

    messages: int
    kind: str
    after: int


class Timeline(NamedTuple):
    """The usage at the end of each turn, and the turns before which something was taken out."""

    turns: tuple[TurnUsage, ...]
    cuts: tuple[tuple[int, str], ...] = ()
    axis: str = "turn"


def build_timeline(
    rows: Sequence[MessageTokens], components: TurnUsage, cuts: Sequence[ContextCut] = ()
) -> Timeline:
    """Return the timeline of a conversation with the token counts of its messages.

    ``components`` has the measured sums. What no message contains is there from the first turn on: tools, skills, and
    a system prompt outside the conversation.
    """
    system = sum(row.amount.tokens for row in rows if row.role in SYSTEM)
    skills = components.skill_prompts
    usage = components._replace(system_prompt=max(components.system_prompt + skills - system, 0), conversation=0)
    builder = _TimelineBuilder(usage._replace(skill_prompts=0), cuts)
    for at, row in enumerate(rows):
        builder.apply_cuts(at)
        builder.add(row)
    timeline = builder.finish()
    return timeline._replace(turns=tuple(_split_skills(turn, skills) for turn in timeline.turns))


def _split_skills(usage: TurnUsage, skills: int) -> TurnUsage:
    """Return the usage with the skills, which are part of the system prompt, apart from it."""
    inside = min(skills, usage.system_prompt)
    return usage._replace(system_prompt=usage.system_prompt - inside, skill_prompts=inside)


class _TimelineBuilder:
    """Adds messages up, and closes a turn before each message of a user."""

    def __init__(self, usage: TurnUsage, cuts: Sequence[ContextCut]) -> None:
        self._usage = usage
        self._cuts = sorted(cuts, reverse=True)
        self._turns: list[TurnUsage] = []
        self._marks: list[tuple[int, str]] = []

    def apply_cuts(self, messages: int) -> None:
        """Apply the cuts that came after so many messages."""
        while self._cuts and self._cuts[-1].messages <= messages:
            cut = self._cuts.pop()
            if self._usage.conversation:
                self._close_turn()
            static = sum(self._usage) - self._usage.conversation
            self._usage = self._usage._replace(conversation=max(cut.after - static, 0))
            self._marks.append((len(self._turns), cut.kind))

    def add(self, row: MessageTokens) -> None:
        """Add a message."""
        tokens, usage = row.amount.tokens, self._usage
        if row.role in SYSTEM:
            self._usage = usage._replace(system_prompt=usage.system_prompt + tokens)
            return
        if row.role in _USER and not row.has_results and usage.conversation and not self._is_after_cut():
            self._close_turn()
        self._usage = self._usage._replace(conversation=self._usage.conversation + tokens)

    def finish(self) -> Timeline:
        """Return the timeline, with the cuts after the last message."""
        if self._cuts:
            self.apply_cuts(max(cut.messages for cut in self._cuts))
        self._close_turn()
        return Timeline(tuple(self._turns), tuple(self._marks))

    def _is_after_cut(self) -> bool:
        return bool(self._marks) and self._marks[-1][0] == len(self._turns)

    def _close_turn(self) -> None:
        self._turns.append(self._usage)


def build_ledger_timeline(entries: Iterable[DatedEntry], changes: Iterable[ContextChange]) -> Timeline:
    """Return the timeline of a session without a history: one column for each content that entered."""
    used = 0
    turns: list[TurnUsage] = []
    marks: list[tuple[int, str]] = []
    for step in _merge_by_time(entries, changes):
        if isinstance(step, ContextChange):
            used = step.after
            marks.append((len(turns), step.kind))
        else:
            used += step.entry.tokens
        turns.append(TurnUsage(conversation=used))
    return Timeline(tuple(turns), tuple(marks), axis="entry")


def _merge_by_time(
    entries: Iterable[DatedEntry], changes: Iterable[ContextChange]
) -> Iterator[DatedEntry | ContextChange]:
    steps: list[DatedEntry | ContextChange] = [*entries, *changes]
    return iter(sorted(steps, key=lambda step: step.at))


def place_cuts(changes: Iterable[ContextChange], times: Sequence[float]) -> list[ContextCut]:
    """Return the changes with the number of messages before them; ``times`` are those of the messages."""
    from bisect import bisect_right

    return [ContextCut(bisect_right(times, change.at), change.kind, change.after) for change in changes]


def make_chart(title: str, timeline: Timeline, budget: ContextBudget) -> Chart:
    """Return the chart of a timeline, with the effective window and the compaction trigger."""
    columns = zip(*timeline.turns, strict=True) if timeline.turns else [()] * len(TurnUsage._fields)
    names = ("system prompt", "skills", "tools", "conversation")
    return Chart(
        title=title,
        labels=tuple(str(number) for number in range(1, len(timeline.turns) + 1)),
        series=tuple(Series(name, tuple(values)) for name, values in zip(names, columns, strict=True)),
        marks=tuple(Mark(at, kind) for at, kind in timeline.cuts),
        limits=(
            Limit(budget.effective_window, f"effective window {budget.effective_window:,}"),
            Limit(budget.compact_at, ""),
        ),
        axis=timeline.axis,
    )
