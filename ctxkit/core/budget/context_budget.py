"""The budget of a context window by component (seed 001, enhancements 1 and 3)."""

from typing import NamedTuple

from ctxkit.core.tokens.budget import COMPACT_TRIGGER, HARD_BLOCK, Budget, threshold_of


class ContextBudget(NamedTuple):
    """The tokens of a context window by component.

    ``total`` is the window, ``max_output_tokens`` the part of it that is reserved for the answer. ``unmeasured`` counts
    what a session's ledger contains beyond the four components.
    """

    total: int
    max_output_tokens: int
    system_prompt: int = 0
    skill_prompts: int = 0
    tool_descriptions: int = 0
    conversation: int = 0
    unmeasured: int = 0
    compact_trigger: float = COMPACT_TRIGGER
    hard_block: float = HARD_BLOCK

    @property
    def effective_window(self) -> int:
        """Return the tokens that input may take: Total - MaxOutputTokens."""
        return max(self.total - self.max_output_tokens, 0)

    @property
    def used_tokens(self) -> int:
        """Return the sum of all components."""
        return sum((self.system_prompt, self.skill_prompts, self.tool_descriptions, self.conversation, self.unmeasured))

    @property
    def remaining_tokens(self) -> int:
        """Return EffectiveWindow - UsedTokens, negative if the budget is exceeded."""
        return self.effective_window - self.used_tokens

    @property
    def used_percentage(self) -> float:
        """Return UsedTokens / EffectiveWindow, a share of 1; 1 if there is no effective window."""
        return self.used_tokens / self.effective_window if self.effective_window else 1.0

    @property
    def compact_at(self) -> int:
        """Return the tokens from which a conversation should be compacted: 0.95 * effective_window."""
        return threshold_of(self.compact_trigger, self.effective_window)

    @property
    def block_at(self) -> int:
        """Return the tokens from which nothing more should enter: 0.98 * effective_window."""
        return threshold_of(self.hard_block, self.effective_window)

    def should_compact(self) -> bool:
        """Return whether the conversation should be compacted."""
        return self.used_tokens >= self.compact_at

    def is_blocked(self) -> bool:
        """Return whether a compaction must come before the next message."""
        return self.used_tokens >= self.block_at

    def exceeds_budget(self) -> bool:
        """Return whether the components overflow: UsedTokens() > EffectiveWindow()."""
        return self.used_tokens > self.effective_window


def make_context_budget(budget: Budget) -> ContextBudget:
    """Return an empty context budget with the window, the reserve and the thresholds of a budget."""
    return ContextBudget(
        budget.window, budget.reserve, compact_trigger=budget.compact_trigger, hard_block=budget.hard_block
    )
