"""Format Markdown tables of duplicates and of costs."""

from collections.abc import Iterator, Sequence

from ctxkit.core.lint.costs import Cost, Costs
from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.savings import Saving
from ctxkit.core.text.escapes import escape_line

SOURCES = 3
KINDS = {
    "DUP001": "exact dup", "DUP002": "exact dup", "DUP003": "near dup", "DUP004": "triple", "DUP005": "copied section",
    "DUP006": "drifted", "DUP007": "cross-ref", "DUP009": "kept apart", "CON001": "contradiction",
}  # fmt: skip


def duplication_lines(findings: Sequence[LintFinding]) -> Iterator[str]:
    """Yield the table Concept | Source 1 | Source 2 | Source 3 | Waste, the most expensive first."""
    rows = [finding for finding in findings if finding.code in KINDS]
    yield "| Concept | Source 1 | Source 2 | Source 3 | Waste |"
    yield "|---------|----------|----------|----------|-------|"
    for finding in sorted(rows, key=lambda finding: (-finding.tokens, finding.path, finding.line)):
        places = [escape_line(str(place)) for place in (*finding.related, finding.location)]
        more = f" +{len(places) - SOURCES}" if len(places) > SOURCES else ""
        cells = [*places[:SOURCES], *["—"] * (SOURCES - len(places))]
        cells[-1] += more
        waste = f"{finding.tokens} tokens, {KINDS[finding.code]}" if finding.tokens else KINDS[finding.code]
        yield f"| {_quote_cell(finding.concept or finding.message)} | {' | '.join(cells)} | {waste} |"


def _quote_cell(text: str) -> str:
    """Return quoted text for a table cell."""
    words = escape_line(" ".join(text.split())).lstrip("-*+# ").replace("|", "\\|")
    return f'"{words if len(words) <= 60 else words[:57] + "..."}"'


def budget_lines(
    costs: Costs, *, counter_name: str, over: Sequence[LintFinding] = (), savings: Sequence[Saving] = ()
) -> Iterator[str]:
    """Yield the tokens of each file and each load set, before and after fixes; then the verdict.

    The verdict is what is ``over`` a limit, and what would save most. ``counter_name`` names the tokenizer.
    """
    yield f"Tokens by {counter_name}; after: once every fix is made, safe or not."
    yield ""
    yield from _table_lines("Component", costs.files)
    total = Cost("**Total**", sum(cost.before for cost in costs.files), sum(cost.after for cost in costs.files))
    yield _format_row(total)
    yield _format_savings(total)
    if costs.sets:
        yield ""
        yield "| Loaded together | Before | After | Savings |"
        yield "|---|---:|---:|---:|"
        yield from (f"{_format_row(cost)} {cost.saving:,} tok |" for cost in merge_sets(costs.sets))
    yield from _verdict_lines(over, savings)


def merge_sets(costs: Sequence[Cost]) -> list[Cost]:
    """Return the costs with one row for load sets of the same files; its name has the names of all."""
    merged: dict[tuple[object, ...], Cost] = {}
    for cost in costs:
        key = (cost.paths, cost.before, cost.after, cost.always)
        earlier = merged.get(key)
        merged[key] = earlier._replace(name=_join_names(earlier.name, cost.name)) if earlier else cost
    return list(merged.values())


def _join_names(first: str, second: str) -> str:
    """Return two names of load sets as one, with the directory that both end with only once."""
    _, separator, directory = second.partition(" in ")
    return f"{first.removesuffix(separator + directory) if separator else first}, {second}"


def _verdict_lines(over: Sequence[LintFinding], savings: Sequence[Saving]) -> Iterator[str]:
    yield ""
    yield "Over a limit:" if over else "Nothing is over a limit."
    for finding in over:
        yield f"- {escape_line(finding.path)}: {finding.code} {escape_line(finding.message)}"
    if savings:
        yield ""
        yield "Largest savings on every turn:"
        for number, saving in enumerate(savings, 1):
            yield f"{number}. {saving.tokens:,} tok, {escape_line(saving.path)}: {saving.action}"


def _format_savings(total: Cost) -> str:
    share = f" ({total.saving / total.before:.0%})" if total.before and total.saving else ""
    return f"| **Savings** | | {total.saving:,} tok{share} |"


def _table_lines(head: str, costs: Sequence[Cost]) -> Iterator[str]:
    yield f"| {head} | Before | After |"
    yield "|---|---:|---:|"
    yield from map(_format_row, costs)


def _format_row(cost: Cost) -> str:
    times = "" if cost.always else " (at times)"
    return f"| {escape_line(cost.name)}{times} | {cost.before:,} tok | {cost.after:,} tok |"
