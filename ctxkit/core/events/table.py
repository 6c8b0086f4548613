"""Format events and their totals: as lines, as a table, as CSV, as a chart."""

from collections.abc import Sequence

from ctxkit.core.drawing import Chart, Series
from ctxkit.core.events.event import LoggedEvent, read_number
from ctxkit.core.events.totals import EventTotals
from ctxkit.core.text.escapes import escape_line
from ctxkit.core.text.quantity import pluralize

COLUMNS = ("events", "kept_out", "maps", "brought_back", "beyond", "net", "compacted")
"""Members of totals in the table."""


def format_event(event: LoggedEvent) -> str:
    """Return an event as one line: time, event, command, name, and tokens before and after."""
    before, after = (read_number(event.facts.get(f"{when}_tokens")) for when in ("before", "after"))
    change = f"{_format_count(before)} -> {_format_count(after)}" if after is not None else ""
    words = (event.at.strftime("%Y-%m-%d %H:%M:%S"), event.kind, event.command, event.name, change, event.ref)
    return escape_line("  ".join(filter(None, words)))


def _format_count(tokens: int | None) -> str:
    return "?" if tokens is None else f"{tokens:,}"


def format_table(title: str, groups: Sequence[EventTotals], total: EventTotals, *, cost: bool) -> str:
    """Return totals as a table with a row for each group, and the notes on what its numbers are."""
    columns = [*COLUMNS, *(["cost"] if cost else [])]
    rows = [[title, *(name.replace("_", " ") for name in columns)]]
    rows += [[escape_line(group.key), *(_format_cell(group, name) for name in columns)] for group in (*groups, total)]
    return "".join(f"{line}\n" for line in (*align_columns(rows), *_list_notes(total, cost=cost)))


def align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of cells as lines: the first column to the left, all others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [_format_row(row, widths).rstrip() for row in rows]


def _format_row(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = (f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
    return "  ".join((f"{row[0]:<{widths[0]}}", *cells))


def _format_cell(group: EventTotals, column: str) -> str:
    if column == "cost":
        return f"${group.cost:,.4f}" if group.priced else "-"
    return f"{group.describe()[column]:,}"


def _list_notes(total: EventTotals, *, cost: bool) -> list[str]:
    """Return sentences on estimates, and on events that the sums do not contain."""
    notes = []
    if total.estimates:
        notes.append(f"{pluralize(total.estimates, 'event')} with an estimate")
    if total.unmeasured:
        notes.append(f"{pluralize(total.unmeasured, 'event')} without a count, not in the sums")
    if cost and total.unpriced:
        notes.append(f"{pluralize(total.unpriced, 'event')} of a model without a price, not in the cost")
    return notes


def format_csv(title: str, groups: Sequence[EventTotals]) -> str:
    """Return totals as CSV with a header, each group in a row."""
    from csv import writer
    from io import StringIO

    names = [name for name in EventTotals._fields if name != "key"]
    text = StringIO()
    rows = writer(text, lineterminator="\n")
    rows.writerow([title, *names, "net"])
    for group in groups:
        members = group.describe()
        rows.writerow([escape_line(group.key), *(members[name] for name in names), group.net])
    return text.getvalue()


def make_chart(title: str, groups: Sequence[EventTotals]) -> Chart:
    """Return a chart of what each group kept out, split into what entered instead and the net savings."""
    return Chart(
        title=f"Tokens kept out, by {title}",
        labels=tuple(group.key for group in groups),
        series=(
            Series("net savings", tuple(max(group.net, 0) for group in groups)),
            Series("maps", tuple(group.maps for group in groups)),
            Series("brought back", tuple(group.brought_back for group in groups)),
            Series("beyond truncation", tuple(group.beyond for group in groups)),
        ),
        axis=title,
    )
