"""Add events up, by day, project, model or command; format them as lines, as a table, as CSV, as a chart."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from ctxkit.core.drawing import Chart, Series
from ctxkit.core.events.event import LoggedEvent, read_number
from ctxkit.core.text.escapes import escape_line
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.quantity import pluralize
from ctxkit.core.truncation.truncate import MAX_BYTES, MAX_LINES

_REMEMBERED = 200_000
"""Number of mapped contents that are remembered, to recognize when they are read again."""
_PASSED = ("raw", "tight")
_IN_CONTEXT = ("repeated", "changed")
"""Results for content that entered before and is still in the window: nothing needs to bring it back."""
_COMPACTED = ("cleared", "truncated")
"""Results that a compaction shortened: its own event has the tokens."""


class TokenFlow(NamedTuple):
    """The tokens of one event.

    ``kept_out`` is what truncation to 2,000 lines and 50 KB would have let in of content that was replaced, ``maps``
    what entered instead. ``brought_back`` entered because a model read replaced content after all. ``beyond`` passed
    unchanged though truncation would have kept it out. ``estimated`` tells whether any of these is an estimate.
    """

    kept_out: int = 0
    maps: int = 0
    brought_back: int = 0
    beyond: int = 0
    estimated: bool = False

    @property
    def net(self) -> int:
        """Return the net savings, which may be negative."""
        return self.kept_out - self.maps - self.brought_back - self.beyond


class SavingsMeter:
    """Measures events in order, and recognizes what brings replaced content back."""

    def __init__(self) -> None:
        self._replaced: OrderedDict[int, None] = OrderedDict()

    def measure(self, event: LoggedEvent) -> TokenFlow | None:
        """Return the tokens of an event; None if it lets nothing in, or if its tokens were not counted."""
        entered = read_number(event.facts.get("after_tokens"))
        if entered is None or not is_measurable(event):
            return None
        estimated = event.facts.get("method") != "exact"
        if event.kind == "cache_get":
            return TokenFlow(brought_back=entered, estimated=estimated)
        if event.facts.get("result") in _PASSED:
            return self._measure_passed(event, entered, estimated)
        return self._measure_replaced(event, entered, estimated)

    def _measure_passed(self, event: LoggedEvent, entered: int, estimated: bool) -> TokenFlow:
        """Return the tokens of content that passed; what was mapped under its name before is brought back."""
        if self._is_known(event, event.name):
            return TokenFlow(brought_back=entered, estimated=estimated)
        share = _share_below_cap(event.facts)
        beyond = entered - round(entered * share)
        return TokenFlow(beyond=beyond, estimated=bool(beyond) or estimated)

    def _measure_replaced(self, event: LoggedEvent, entered: int, estimated: bool) -> TokenFlow | None:
        """Return the tokens of content that was replaced; the same content again is not kept out a second time."""
        if event.facts.get("result") not in _IN_CONTEXT:
            repeated = self._is_known(event, event.ref)
            for name in filter(None, (event.name, event.ref)):
                self._remember(event, name)
            if repeated:
                return TokenFlow(brought_back=entered, estimated=estimated)
        before = read_number(event.facts.get("before_tokens"))
        share = _share_below_cap(event.facts)
        if before is None:
            return None
        original_method = _member(event.facts, "original").get("method", event.facts.get("method"))
        is_estimate = estimated or share < 1 or original_method != "exact"
        return TokenFlow(kept_out=round(before * share), maps=entered, estimated=is_estimate)

    def _remember(self, event: LoggedEvent, name: str) -> None:
        key = _make_key(event, name)
        self._replaced[key] = None
        self._replaced.move_to_end(key)
        if len(self._replaced) > _REMEMBERED:
            self._replaced.popitem(last=False)

    def _is_known(self, event: LoggedEvent, name: str) -> bool:
        return bool(name) and _make_key(event, name) in self._replaced


Grouping = Literal["day", "project", "model", "command"]
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)
MAX_GROUPS = 10_000
"""Number of groups that are kept apart; further ones are added up as ``OTHERS``."""
OTHERS = "(others)"
_KEYS: Mapping[Grouping, Callable[[LoggedEvent], str]] = {
    "day": lambda event: event.at.date().isoformat(),
    "project": lambda event: event.project,
    "model": lambda event: event.model,
    "command": lambda event: event.command,
}


class Price(NamedTuple):
    """The price of a million input tokens in US dollars, the day it was valid, and where it comes from."""

    amount: float
    as_of: str = ""
    source: str = ""


FindPrice = Callable[[str], Price | None]
"""Returns the price of a model, None if it is not known."""


class EventTotals(NamedTuple):
    """The sums of a group of events; counts are in tokens.

    ``estimates`` counts the events with an estimate, ``unmeasured`` those whose tokens were not counted. ``cost`` is
    what the net savings of the ``priced`` events would cost as input, in US dollars; ``unpriced`` counts the events
    whose model has no known price. ``compacted`` is what compactions removed.
    """

    key: str
    events: int = 0
    kept_out: int = 0
    maps: int = 0
    brought_back: int = 0
    beyond: int = 0
    compactions: int = 0
    compacted: int = 0
    estimates: int = 0
    unmeasured: int = 0
    cost: float = 0.0
    priced: int = 0
    unpriced: int = 0

    @property
    def net(self) -> int:
        """Return the net savings, which may be negative."""
        return self.kept_out - self.maps - self.brought_back - self.beyond

    def plus_flow(self, flow: TokenFlow, price: Price | None) -> "EventTotals":
        """Return the totals with one more event that was measured."""
        return self._replace(
            events=self.events + 1,
            kept_out=self.kept_out + flow.kept_out,
            maps=self.maps + flow.maps,
            brought_back=self.brought_back + flow.brought_back,
            beyond=self.beyond + flow.beyond,
            estimates=self.estimates + flow.estimated,
            cost=self.cost + (flow.net * price.amount / 1e6 if price else 0.0),
            priced=self.priced + (price is not None),
            unpriced=self.unpriced + (price is None),
        )

    def plus_other(self, event: LoggedEvent) -> "EventTotals":
        """Return the totals with one more event that adds nothing to a window, or whose tokens were not counted."""
        totals = self._replace(events=self.events + 1, unmeasured=self.unmeasured + is_measurable(event))
        before, after = (read_number(event.facts.get(f"{when}_tokens")) for when in ("before", "after"))
        if event.kind != "context_compaction_end" or before is None or after is None or after >= before:
            return totals
        return totals._replace(compactions=self.compactions + 1, compacted=self.compacted + before - after)

    def describe(self) -> dict[str, JsonValue]:
        """Return the sums by name."""
        return {**self._asdict(), "cost": round(self.cost, 6), "net": self.net}


class EventSummary:
    """Adds events up in groups, in order; ``find_price`` returns the price of a model."""

    def __init__(self, grouping: Grouping, find_price: FindPrice = lambda _: None) -> None:
        self._key_of = _KEYS[grouping]
        self._find_price = find_price
        self._meter = SavingsMeter()
        self._groups: dict[str, EventTotals] = {}
        self.total = EventTotals("total")

    def add(self, event: LoggedEvent) -> None:
        """Add an event to its group and to the total."""
        key = self._key_of(event) or "-"
        if key not in self._groups and len(self._groups) >= MAX_GROUPS:
            key = OTHERS
        group = self._groups.get(key) or EventTotals(key)
        flow = self._meter.measure(event)
        if flow is None:
            self._groups[key], self.total = group.plus_other(event), self.total.plus_other(event)
            return
        price = self._find_price(event.model)
        self._groups[key], self.total = group.plus_flow(flow, price), self.total.plus_flow(flow, price)

    def groups(self) -> list[EventTotals]:
        """Return the groups, sorted by their keys."""
        return sorted(self._groups.values(), key=lambda group: (group.key == OTHERS, group.key))


def is_measurable(event: LoggedEvent) -> bool:
    """Return whether content enters or is kept out by an event; a compaction is measured apart."""
    if event.kind in ("cache_get", "brief", "gate"):
        return True
    is_compaction = event.verb == "compact" or event.facts.get("result") in _COMPACTED
    return event.kind == "tool_output_truncated" and not is_compaction


def _make_key(event: LoggedEvent, name: str) -> int:
    return hash((event.session or event.project, name))


def _share_below_cap(facts: dict[str, JsonValue]) -> float:
    """Return the share of the content that its last 2,000 lines or 51,200 bytes are, by its bytes and lines."""
    original = _member(facts, "original")
    size = read_number(original.get("bytes", facts.get("total_bytes")))
    lines = read_number(original.get("lines", facts.get("total_lines")))
    return min(1.0, MAX_BYTES / size if size else 1.0, MAX_LINES / lines if lines else 1.0)


def _member(facts: dict[str, JsonValue], key: str) -> dict[str, JsonValue]:
    value = facts.get(key)
    return value if isinstance(value, dict) else {}


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
