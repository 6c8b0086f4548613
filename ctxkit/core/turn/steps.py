"""The steps that make a request fit, and the rules of a user that a compaction must keep."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from ctxkit.core.chat.model.message import Record
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.store.label import shorten_ref
from ctxkit.core.summary.frame import is_summary
from ctxkit.core.summary.sentences import is_standing_rule, split_sentences
from ctxkit.core.tokens.budget import Budget, find_cold_trigger, threshold_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ctxkit.core.budget.context_budget import ContextBudget
    from ctxkit.core.count.amount import Amount
    from ctxkit.core.count.message_tokens import Component
    from ctxkit.core.text.json_value import JsonValue
    from ctxkit.core.turn.results import GatedResult

TurnStep = Literal["prune", "compact", "force", "block"]
"""Clear old tool results, compact, compact by force, or send nothing."""


class TurnThresholds(NamedTuple):
    """The tokens from which each step is due; ``prune`` is None if nobody asked for it."""

    prune: int | None
    compact: int
    block: int


def make_thresholds(
    budget: Budget, prune: float | None, fixed: int = 0, low_water: float | None = None
) -> TurnThresholds:
    """Return the thresholds of a budget; ``prune`` is a share of the effective window.

    A compaction is due at its share of what ``fixed`` tokens leave, those of a prompt that no step changes. With
    ``low_water``, the share to which it brings a conversation, it is due earlier: the provider's cache is cold, so that
    all of the prompt is paid for anyway.
    """
    effective = budget.effective
    block = threshold_of(budget.hard_block, effective)
    trigger = budget.compact_trigger if low_water is None else find_cold_trigger(budget.compact_trigger, low_water)
    compact = threshold_of(raise_share(trigger, fixed, effective), effective)
    return TurnThresholds(None if prune is None else threshold_of(prune, effective), min(compact, block), block)


def raise_share(share: float, fixed: int, effective: int) -> float:
    """Return the share of a window that is ``fixed`` tokens and a ``share`` of what they leave."""
    return share + (1 - share) * min(fixed / max(effective, 1), 1)


def choose_step(
    used: int, thresholds: TurnThresholds, done: Collection[TurnStep] = (), *, is_due: bool = False
) -> TurnStep | None:
    """Return the next step for a request of ``used`` tokens, None if it can be sent.

    A step in ``done`` does not come again. Pruning comes first, then a compaction, by force from the hard block on.
    What is still at the hard block after that is not sent. ``is_due`` asks for a compaction below its threshold.
    """
    is_blocked = used >= thresholds.block
    if thresholds.prune is not None and used >= thresholds.prune and "prune" not in done:
        return "prune"
    if is_blocked and "force" not in done:
        return "force"
    if (is_due or used >= thresholds.compact) and not {"compact", "force"} & set(done):
        return "compact"
    return "block" if is_blocked else None


_MAX_RULES, _MAX_MESSAGE = 10, 20_000
"""Rules that are kept, the oldest first, and characters of a message that are searched."""


def find_standing_rules(transcript: Transcript, most: int) -> tuple[str, ...]:
    """Return the standing rules in requests and summaries, verbatim, of ``most`` characters in all."""
    rules: list[str] = []
    for record in transcript.records:
        if record.is_user_request or is_summary(record):
            rules += [rule for rule in _find_rules(record) if rule not in rules]
    kept: list[str] = []
    for rule in rules[:_MAX_RULES]:
        if sum(map(len, kept)) + len(rule) <= most:
            kept.append(rule)
    return tuple(kept)


def _find_rules(record: Record) -> Iterator[str]:
    text = record.words[:_MAX_MESSAGE]
    for line in text.split("\n"):
        for sentence in split_sentences(line.strip().removeprefix("- ")):
            for part in sentence.split("; "):
                if is_standing_rule(part) and part in text:
                    yield part


class TurnReport(NamedTuple):
    """The figures of a turn: tokens of the request, its components, steps, and the results that are not raw."""

    session: str
    provider: str
    amount: Amount
    method: str
    tokenizer: str
    budget: ContextBudget
    messages: int
    appended: int
    steps: tuple[TurnStep, ...]
    deferred: tuple[str, ...]
    gated: tuple[GatedResult, ...]
    repairs: tuple[str, ...]
    reason: str = ""

    def make_facts(self) -> dict[str, JsonValue]:
        """Return the documented members of the report."""
        budget = self.budget
        return {
            "session": self.session,
            "provider": self.provider,
            "tokens": self.amount.tokens,
            "high": self.amount.high,
            "method": self.method,
            "tokenizer": self.tokenizer,
            "components": {
                "system_prompt": budget.system_prompt,
                "skills": budget.skill_prompts,
                "tools": budget.tool_descriptions,
                "conversation": budget.conversation,
                "unmeasured": budget.unmeasured,
            },
            "window": budget.total,
            "reserve": budget.max_output_tokens,
            "effective": budget.effective_window,
            "percent": round(100 * budget.used_percentage, 1),
            "messages": self.messages,
            "appended": self.appended,
            "steps": list(self.steps),
            "deferred": list(self.deferred),
            "results": [_describe_result(item) for item in self.gated],
            "repairs": list(self.repairs),
            "reason": self.reason or None,
        }


def _describe_result(item: GatedResult) -> dict[str, JsonValue]:
    result = item.result
    return {
        "call": item.call or None,
        "tool": item.tool or None,
        "result": result.result,
        "tokens": max(result.token_count.tokens, 0),
        "ref": shorten_ref(result.ref) or None,
    }


def split_components(
    budget: ContextBudget, components: Mapping[Component, Amount], skills: Iterable[int], unmeasured: int
) -> ContextBudget:
    """Return the budget with the tokens of each component; ``skills`` are part of the system prompt."""
    system = components["system"].tokens
    skill_tokens = min(sum(skills), system)
    tools = components["tools"].tokens
    rest = sum(amount.tokens for name, amount in components.items() if name not in ("system", "tools"))
    return budget._replace(
        system_prompt=system - skill_tokens,
        skill_prompts=skill_tokens,
        tool_descriptions=tools,
        conversation=rest,
        unmeasured=unmeasured,
    )
