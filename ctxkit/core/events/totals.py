"""Add events up, by day, project, model or command."""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, get_args

from ctxkit.core.events.event import LoggedEvent, read_number
from ctxkit.core.events.savings import SavingsMeter, TokenFlow, is_measurable
from ctxkit.core.text.json_value import JsonValue

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
