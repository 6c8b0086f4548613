"""Tables in Markdown: what is said more than once and where, and what files cost."""

from collections.abc import Iterator, Sequence

from ctxkit.core.escapes import escape_line
from ctxkit.core.lint.costs import Cost, Costs
from ctxkit.core.lint.finding import Finding

SOURCES = 3
KINDS = {
    "DUP001": "exact dup", "DUP002": "exact dup", "DUP003": "near dup", "DUP004": "triple", "DUP005": "copied section",
    "DUP006": "drifted", "DUP007": "cross-ref", "DUP008": "restated", "CON001": "contradiction",
}  # fmt: skip


def duplication(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield the table Concept | Source 1 | Source 2 | Source 3 | Waste, the dearest first."""
    rows = [one for one in findings if one.code in KINDS]
    yield "| Concept | Source 1 | Source 2 | Source 3 | Waste |"
    yield "|---------|----------|----------|----------|-------|"
    for one in sorted(rows, key=lambda one: (-one.tokens, one.path, one.line)):
        places = [escape_line(str(place)) for place in (*one.related, one.place)]
        more = f" +{len(places) - SOURCES}" if len(places) > SOURCES else ""
        cells = [*places[:SOURCES], *["—"] * (SOURCES - len(places))]
        cells[-1] += more
        waste = f"{one.tokens} tokens, {KINDS[one.code]}" if one.tokens else KINDS[one.code]
        yield f"| {_cell(one.concept or one.message)} | {' | '.join(cells)} | {waste} |"


def _cell(text: str) -> str:
    """Return words for a cell of a table."""
    words = escape_line(" ".join(text.split())).lstrip("-*+# ").replace("|", "\\|")
    return f'"{words if len(words) <= 60 else words[:57] + "..."}"'


def budget(costs: Costs, *, labelled: str) -> Iterator[str]:
    """Yield what each file and each load set costs now and after mending, in tokens; ``labelled`` names the counter."""
    yield f"Tokens by {labelled}; after: once every fix is made, safe or not."
    yield ""
    yield from _table("Component", costs.files)
    total = Cost("**Total**", sum(one.before for one in costs.files), sum(one.after for one in costs.files))
    yield _row(total)
    if costs.sets:
        yield ""
        yield from _table("Loaded together", costs.sets)


def _table(head: str, costs: Sequence[Cost]) -> Iterator[str]:
    yield f"| {head} | Before | After |"
    yield "|---|---:|---:|"
    yield from map(_row, costs)


def _row(cost: Cost) -> str:
    times = "" if cost.always else " (at times)"
    return f"| {escape_line(cost.name)}{times} | {cost.before:,} tok | {cost.after:,} tok |"
