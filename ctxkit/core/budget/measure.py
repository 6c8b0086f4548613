"""Measure the components of a context: system prompt, skills, tool descriptions and conversation."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from ctxkit.core.budget.context_budget import ContextBudget
from ctxkit.core.chat.formats import openai
from ctxkit.core.chat.model.message import ChatEntry, ChatMessage, MessagePart, Tool, Toolset
from ctxkit.core.chat.reading.format_registry import ConversationFormat
from ctxkit.core.count.amount import ZERO, Amount, CountOptions, exact_amount, sum_amounts
from ctxkit.core.count.conversation import count_entries, make_counter
from ctxkit.core.count.conversation_tokens import ConversationTokens
from ctxkit.core.count.message_tokens import SYSTEM, MessageTokens
from ctxkit.core.drawing import Chart, Limit, Mark, Series
from ctxkit.core.session.ledger_interface import ContextChange, DatedEntry

BETWEEN = "\n\n"
"""Text between the parts of a system prompt."""


class ContextSources(NamedTuple):
    """What enters a context: texts of the system prompt and of skills, tools, and a conversation in a format.

    A skill whose text the conversation's own system prompt contains is measured there and not added.
    """

    system: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()
    entries: Iterable[ChatEntry] = ()
    format: ConversationFormat = openai


class ComponentUsage(NamedTuple):
    """The tokens of each component, which add up to those of the whole request, and the number of messages."""

    system_prompt: Amount = ZERO
    skill_prompts: Amount = ZERO
    tool_descriptions: Amount = ZERO
    conversation: Amount = ZERO
    messages: int = 0

    @property
    def total(self) -> Amount:
        """Return the tokens of all components."""
        return sum_amounts((self.system_prompt, self.skill_prompts, self.tool_descriptions, self.conversation))

    def apply_to(self, budget: ContextBudget) -> ContextBudget:
        """Return a budget with these components."""
        return budget._replace(
            system_prompt=self.system_prompt.tokens,
            skill_prompts=self.skill_prompts.tokens,
            tool_descriptions=self.tool_descriptions.tokens,
            conversation=self.conversation.tokens,
        )


def measure_usage(sources: ContextSources, count_options: CountOptions) -> ComponentUsage:
    """Return the tokens of each component of a context; raise MalformedInputError if the conversation is invalid.

    A conversation in a session's tree is counted apart from the other components, which are not part of the tree.
    """
    watcher = _SystemWatcher()
    entries = watcher.watch(sources.entries)
    if sources.format.LINEAR:
        entries = chain(entries, _make_entries(sources, watcher))
        return _split_components(count_entries(entries, sources.format, count_options), sources, count_options)
    totals = count_entries(entries, sources.format, count_options)
    inside = tuple(skill for skill in sources.skills if watcher.contains(skill))
    usage = _split_components(totals, sources._replace(skills=inside), count_options)
    others = sources._replace(
        skills=tuple(skill for skill in sources.skills if skill not in inside), entries=(), format=openai
    )
    totals = count_entries(_make_entries(sources, watcher), openai, count_options)
    return _add_usage(usage, _split_components(totals, others, count_options)) if totals.amount.tokens else usage


class _SystemWatcher:
    """Collects the texts of the system prompt of a conversation on the way."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def watch(self, entries: Iterable[ChatEntry]) -> Iterator[ChatEntry]:
        """Yield entries unchanged."""
        for entry in entries:
            if isinstance(entry, ChatMessage) and entry.role in SYSTEM:
                self.texts.extend(part.text for part in entry.parts)
            yield entry

    def contains(self, text: str) -> bool:
        """Return whether the system prompt contains a text."""
        return bool(text.strip()) and any(text.strip() in own for own in self.texts)


def _make_entries(sources: ContextSources, watcher: _SystemWatcher) -> Iterator[ChatEntry]:
    """Yield the system prompt and the tools that the conversation itself does not contain.

    They may follow the conversation, because the order does not change the counts.
    """
    texts = [*sources.system, *(skill for skill in sources.skills if not watcher.contains(skill))]
    if any(texts):
        yield ChatMessage("system", (MessagePart("text", BETWEEN.join(filter(None, texts))),))
    if sources.tools:
        yield Toolset(sources.tools)


def _split_components(
    totals: ConversationTokens, sources: ContextSources, count_options: CountOptions
) -> ComponentUsage:
    """Return the components of a request; what is neither system prompt nor tools belongs to the conversation."""
    sums = totals.components
    conversation = sum_amounts(amount for name, amount in sums.items() if name not in ("system", "tools"))
    counter = make_counter(sources.format, count_options).text_counter
    skills = sum_amounts(counter.count(skill) for skill in sources.skills)
    skills = Amount(*map(min, skills, sums["system"]))
    return ComponentUsage(
        _subtract(sums["system"], skills), skills, sums["tools"], conversation, totals.messages
    )


def _subtract(whole: Amount, part: Amount) -> Amount:
    return Amount(whole.low - part.low, whole.tokens - part.tokens, whole.high - part.high)


def _add_usage(usage: ComponentUsage, other: ComponentUsage) -> ComponentUsage:
    """Return the sum of two usages."""
    return ComponentUsage(
        usage.system_prompt.plus(other.system_prompt),
        usage.skill_prompts.plus(other.skill_prompts),
        usage.tool_descriptions.plus(other.tool_descriptions),
        usage.conversation.plus(other.conversation),
        usage.messages + other.messages,
    )


class ContextReport(NamedTuple):
    """The usage of a context and its budget, with the number of its items and of the prunings so far."""

    usage: ComponentUsage
    budget: ContextBudget
    items: int
    prunings: int
    tokenizer: str
    session: str = ""

    @property
    def amount(self) -> Amount:
        """Return the used tokens with the range of their estimates."""
        return self.usage.total.plus(exact_amount(self.budget.unmeasured))


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
