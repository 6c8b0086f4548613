"""Measure the components of a context: system prompt, skills, tool descriptions and conversation."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from ctxkit.core.budget.context_budget import ContextBudget
from ctxkit.core.chat.formats import openai
from ctxkit.core.chat.model.message import ChatEntry, ChatMessage, MessagePart, Tool, Toolset
from ctxkit.core.chat.reading.format_registry import ConversationFormat
from ctxkit.core.count.amount import ZERO, Amount, exact_amount, sum_amounts
from ctxkit.core.count.conversation import count_entries, make_counter
from ctxkit.core.count.conversation_tokens import ConversationTokens
from ctxkit.core.count.message_tokens import SYSTEM
from ctxkit.core.count.options import CountOptions

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
