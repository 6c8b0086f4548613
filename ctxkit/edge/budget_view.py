"""Format the usage of a context by component: as an object, as a table with a bar, as a note."""

from typing import Any

from ctxkit.core.budget.context_budget import NoteKind, format_note
from ctxkit.core.budget.measure import ContextReport

BAR_WIDTH = 40
"""Characters of the bar for the whole effective window."""


def make_note(report: ContextReport, kind: NoteKind) -> str:
    """Return the note for a model, empty if it is not due."""
    return format_note(kind, report.budget, report.items, report.prunings)


def make_facts(report: ContextReport, note: NoteKind | None = None) -> dict[str, Any]:
    """Return the documented members of a report; counts are in tokens."""
    budget, amount = report.budget, report.amount
    facts = {
        "total": budget.total,
        "max_output_tokens": budget.max_output_tokens,
        "effective_window": budget.effective_window,
        "system_prompt": budget.system_prompt,
        "skill_prompts": budget.skill_prompts,
        "tool_descriptions": budget.tool_descriptions,
        "conversation": budget.conversation,
        "unmeasured": budget.unmeasured,
        "used_tokens": budget.used_tokens,
        "remaining_tokens": budget.remaining_tokens,
        "used_percentage": round(budget.used_percentage, 4),
        "should_compact": budget.should_compact(),
        "is_blocked": budget.is_blocked(),
        "exceeds_budget": budget.exceeds_budget(),
        "items": report.items,
        "prunings": report.prunings,
        "method": "exact" if amount.low == amount.high else "estimate",
        "low": amount.low,
        "high": amount.high,
        "tokenizer": report.tokenizer,
        "session": report.session or None,
    }
    return {**facts, "note": make_note(report, note)} if note else facts


def format_report(report: ContextReport) -> str:
    """Return a row for each component, the sum, what remains, and what follows from it."""
    budget, amount = report.budget, report.amount
    rows = [
        ("system prompt", budget.system_prompt),
        ("skills", budget.skill_prompts),
        ("tools", budget.tool_descriptions),
        ("conversation", budget.conversation),
    ]
    if budget.unmeasured:
        rows.append(("in the ledger alone", budget.unmeasured))
    rows.append(("used", budget.used_tokens))
    width = max(len(f"{tokens:,}") for _, tokens in (*rows, ("", budget.remaining_tokens)))
    lines = [_format_row(name, tokens, budget.effective_window, width) for name, tokens in rows]
    lines.append(f"{'remaining':<{NAME_WIDTH}}  {budget.remaining_tokens:>{width},}")
    window = f"window {budget.total:,}, {budget.max_output_tokens:,} reserved for the answer"
    lines.append(f"{budget.effective_window:,} in the effective window ({window})")
    if amount.low != amount.high:
        lines.append(f"an estimate: {amount.low:,} to {amount.high:,} tokens")
    lines.append(_describe_state(report))
    return "".join(f"{line.rstrip()}\n" for line in lines)


NAME_WIDTH = len("in the ledger alone")


def _format_row(name: str, tokens: int, effective: int, width: int) -> str:
    share = tokens / effective if effective else 1.0
    bar = "#" * min(round(share * BAR_WIDTH), BAR_WIDTH)
    return f"{name:<{NAME_WIDTH}}  {tokens:>{width},}  {share:>4.0%}  |{bar:<{BAR_WIDTH}}|"


def _describe_state(report: ContextReport) -> str:
    budget = report.budget
    if budget.exceeds_budget():
        return "exceeded: compact before the next request"
    if budget.is_blocked():
        return f"blocked from {budget.block_at:,}: compact before anything more enters"
    if budget.should_compact():
        return f"compact now; blocked from {budget.block_at:,}"
    return f"compact from {budget.compact_at:,}, blocked from {budget.block_at:,}"
