"""The notes that tell a model how full its context is, in the words of the seeds."""

from typing import Literal

from ctxkit.core.budget.context_budget import ContextBudget

NoteKind = Literal["full", "short"]
NOTE_KINDS: tuple[NoteKind, ...] = ("full", "short")
WARNING_PERCENT = 80
"""Percentage above which the notes advise to free space."""
FULL_NOTE = """\
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
ADVICE = """\

If approaching limit (>80%), consider:
1. Removing low-value context items
2. Summarizing completed tasks
3. Focusing on essential information
"""
SHORT_NOTE = (
    "[Context: {percent}% used. You can call compact_context to free space before continuing with large operations.]\n"
)
HOST_NOTE = "[Context: {percent}% used. Finish steps that are open, and read large files in parts.]"


def format_note(kind: NoteKind, budget: ContextBudget, items: int, prunings: int) -> str:
    """Return a note; the short one is empty while at most 80 % of the effective window is used."""
    return format_short_note(budget) if kind == "short" else format_full_note(budget, items, prunings)


def format_full_note(budget: ContextBudget, items: int, prunings: int) -> str:
    """Return the status of seed 004, with its advice past 80 % of the whole window; percentages are rounded down."""
    used, total = budget.used_tokens, budget.total
    note = FULL_NOTE.format(
        used=used,
        total=total,
        percent=_round_down(used, total),
        items=items,
        prunings=prunings,
        capacity=max(total - used, 0),
    )
    return note + (ADVICE if _is_past_warning(used, total) else "")


def format_short_note(budget: ContextBudget) -> str:
    """Return the note of seed 001 past 80 % of the effective window, otherwise an empty text."""
    used, effective = budget.used_tokens, budget.effective_window
    return SHORT_NOTE.format(percent=_round_down(used, effective)) if _is_past_warning(used, effective) else ""


def format_host_note(used: int, effective: int) -> str:
    """Return the note for an agent that cannot compact its context itself, empty up to 80 % of the effective window."""
    return HOST_NOTE.format(percent=_round_down(used, effective)) if _is_past_warning(used, effective) else ""


def _round_down(used: int, total: int) -> int:
    return 100 * used // total if total else 100


def _is_past_warning(used: int, total: int) -> bool:
    return 100 * used > WARNING_PERCENT * total
