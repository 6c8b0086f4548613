"""The budget of a context window by component (seed 001, enhancements 1 and 3)."""

from typing import Literal, NamedTuple

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


NoteKind = Literal["full", "short"]
NOTE_KINDS: tuple[NoteKind, ...] = ("full", "short")
_WARNING_PERCENT = 80
"""Percentage above which the notes advise to free space."""
_FULL_NOTE = """\
**Context Status**:
- Tokens: {used:,} / {total:,} used ({percent}%)
- Items: {items} context items ({prunings} pruning operations so far)
- Capacity: {capacity:,} tokens remaining

Use this information to decide:
- Whether to continue current approach
- Whether to request context pruning
- Whether to summarize old discussions
- Whether to switch strategies
"""
_ADVICE = """\

If approaching limit (>80%), consider:
1. Removing low-value context items
2. Summarizing completed tasks
3. Focusing on essential information
"""
_SHORT_NOTE = (
    "[Context: {percent}% used. You can call compact_context to free space before continuing with large operations.]\n"
)
_HOST_NOTE = "[Context: {percent}% used. Finish steps that are open, and read large files in parts.]"


def format_note(kind: NoteKind, budget: ContextBudget, items: int, prunings: int) -> str:
    """Return a note; the short one is empty while at most 80 % of the effective window is used."""
    return format_short_note(budget) if kind == "short" else format_full_note(budget, items, prunings)


def format_full_note(budget: ContextBudget, items: int, prunings: int) -> str:
    """Return the status of seed 004, with its advice past 80 % of the whole window; percentages are rounded down."""
    used, total = budget.used_tokens, budget.total
    note = _FULL_NOTE.format(
        used=used,
        total=total,
        percent=_round_down(used, total),
        items=items,
        prunings=prunings,
        capacity=max(total - used, 0),
    )
    return note + (_ADVICE if _is_past_warning(used, total) else "")


def format_short_note(budget: ContextBudget) -> str:
    """Return the note of seed 001 past 80 % of the effective window, otherwise an empty text."""
    used, effective = budget.used_tokens, budget.effective_window
    return _SHORT_NOTE.format(percent=_round_down(used, effective)) if _is_past_warning(used, effective) else ""


def format_host_note(used: int, effective: int) -> str:
    """Return the note for an agent that cannot compact its context itself, empty up to 80 % of the effective window."""
    return _HOST_NOTE.format(percent=_round_down(used, effective)) if _is_past_warning(used, effective) else ""


def _round_down(used: int, total: int) -> int:
    return 100 * used // total if total else 100


def _is_past_warning(used: int, total: int) -> bool:
    return 100 * used > _WARNING_PERCENT * total
