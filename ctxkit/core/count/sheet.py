"""Adding up a conversation, message by message."""

from collections.abc import Iterable
from typing import NamedTuple

from ctxkit.core.chat.message import Entry, Message, Part, Rewind, Start, Toolset
from ctxkit.core.chat.steps import Step, path, places_of, remaining, step
from ctxkit.core.count import definitions
from ctxkit.core.count.amount import NOTHING, Amount, about, exactly
from ctxkit.core.count.row import COMPONENTS, SYSTEM, Component, Row, Scale

Placed = tuple[Step, Row | None]
"""An entry of a session on its way through the tree, and what it takes if it is a message."""


class Sum(NamedTuple):
    """Hold what a conversation takes: in all, by component, and by message where that was asked for.

    ``rows`` end with those of tools and of what stands around the whole, so that they add up to ``amount``.
    """

    amount: Amount
    components: dict[Component, Amount]
    messages: int
    rows: list[Row]


class Sheet:
    """Add up entries as they come; a linear format without ``rows`` is held as sums alone."""

    def __init__(self, scale: Scale, *, linear: bool, rows: bool) -> None:
        self._scale = scale
        self._linear, self._rows = linear, rows
        self._placed: list[Placed] = []
        self._places: dict[str, int] = {}
        self._sums: dict[Component, Amount] = dict.fromkeys(COMPONENTS, NOTHING)
        self._messages = 0
        self._tools, self._around = NOTHING, NOTHING
        self._begun = self._instructed = False

    def add(self, entry: Entry) -> None:
        """Take the next entry of the conversation."""
        if isinstance(entry, Message):
            self._take(entry)
        elif isinstance(entry, Toolset):
            scale = self._scale
            self._tools = self._tools.plus(definitions.tokens_of(entry, scale.scheme, scale.meter, scale.model))
            self._begun = True
        elif isinstance(entry, Start):
            self._end()
        elif isinstance(entry, Rewind):
            self._rewind(entry)
        elif not self._linear:
            self._place(step(entry), None)

    def sum(self) -> Sum:
        """Return what the conversation takes."""
        self._end()
        rows = self._chosen()
        if not (self._linear and not self._rows):
            self._messages = len(rows)
            for row in rows:
                self._enter(row)
        self._sums["tools"] = self._sums["tools"].plus(self._tools)
        self._sums["overhead"] = self._sums["overhead"].plus(self._around)
        total = NOTHING
        for amount in self._sums.values():
            total = total.plus(amount)
        return Sum(total, self._sums, self._messages, [*rows, *self._rest()] if self._rows else [])

    def _chosen(self) -> list[Row]:
        """Return the messages that are sent: of a session those of its newest path."""
        places = range(len(self._placed)) if self._linear else path([one for one, _ in self._placed])
        return [row for at in places if (row := self._placed[at][1])]

    def _rest(self) -> Iterable[Row]:
        if self._tools.tokens:
            yield Row("tools", "", (("tools", self._tools),))
        if self._around.tokens:
            yield Row("overhead", "", (("overhead", self._around),))

    def _take(self, message: Message) -> None:
        self._begun = True
        self._instructed = self._instructed or message.role in SYSTEM
        row = self._scale.row(message)
        if self._linear and not self._rows:
            self._messages += 1
            self._enter(row)
        else:
            self._place(step(message), row)

    def _place(self, one: Step, row: Row | None) -> None:
        """Take a step, or put it in the place of the earlier one that it is written again for."""
        if one.link.again and one.link.id in self._places:
            self._placed[self._places[one.link.id]] = one, row
            return
        self._places[one.link.id] = len(self._placed)
        self._placed.append((one, row))

    def _enter(self, row: Row) -> None:
        for component, amount in row.costs:
            self._sums[component] = self._sums[component].plus(amount)

    def _end(self) -> None:
        """Add what stands around a whole conversation, once it is over."""
        if not self._begun:
            return
        scheme = self._scale.scheme
        around = exactly(scheme.begin + scheme.priming)
        self._around = self._around.plus(around if scheme.exact else about(around))
        words = scheme.preface if self._instructed else scheme.preface + scheme.system
        if words and self._instructed:
            self._around = self._around.plus(self._scale.meter.of(words))
        elif words:
            self._around = self._around.plus(self._scale.row(Message("system", (Part("text", words),))).amount)
        self._begun = self._instructed = False

    def _rewind(self, back: Rewind) -> None:
        stay = remaining([one for one, _ in self._placed], back.turns, back.since)
        self._placed = [self._placed[at] for at in stay]
        self._places = places_of(one for one, _ in self._placed)
