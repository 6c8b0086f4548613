"""One call's dealings with the ledger: look, hold room, fill it, book what went in."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ctxkit.core.ledger import Hold

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxkit.core.budget import Budget
    from ctxkit.core.ledger import Item, Ledger, Session

    Made = TypeVar("Made")
    Result = TypeVar("Result")


class Account:
    """Hold and book room of a session on behalf of one call.

    ``budget`` is the room of this call, ours not counted, as last seen. Trouble with the ledger is said
    once, and from then on the budget alone decides and nothing is booked; a strict account raises it.
    """

    def __init__(
        self, ledger: Ledger, session: Session, budget: Budget, warn: Callable[[str], None], *, strict: bool = False
    ) -> None:
        self.session = session
        self.budget = budget
        self._ledger = ledger
        self._warn = warn
        self._strict = strict
        self._key = 0
        self._broken = False

    @property
    def name(self) -> str:
        """Return the session's name."""
        return self.session.name

    def look(self) -> Budget:
        """Return the budget as it is now."""
        found = self._tried(lambda: self._ledger.find(self.name), None)
        if found is not None:
            self.budget = self.budget.reset(found.taken)
        return self.budget

    def take(self, tokens: int, limit: int | None) -> bool:
        """Hold room for so many tokens; return whether there is as much."""
        return self._hold(lambda budget: tokens if tokens <= budget.room(limit) else None) is not None

    def claim(self, limit: int | None) -> int:
        """Hold room for a map, and return how much that is."""
        return self._hold(lambda budget: budget.target(limit)) or 0

    def fit(self, limit: int | None, make: Callable[[int], Made], size: Callable[[Made], int | None]) -> Made:
        """Make something within the target and hold room for its ``size``, None being that nothing is short enough.

        Where others took that room meanwhile, the room is held first and it is made again.
        """
        made = make(self.look().target(limit))
        tokens = size(made)
        if tokens is None or self.take(tokens, limit):
            return made
        made = make(self.claim(limit))
        if size(made) is None:
            self.release()
        return made

    def book(self, item: Item) -> None:
        """Note what went in, in place of what was held for it."""
        self._tried(lambda: self._ledger.book(self.name, self._key, item), None)
        self._key = 0
        self.budget = self.budget.consume(item.tokens)

    def release(self) -> None:
        """Give back what was held."""
        key, self._key = self._key, 0
        if key:
            self._tried(lambda: self._ledger.release(key), None)

    def _hold(self, share: Callable[[Budget], int | None]) -> int | None:
        """Hold what ``share`` makes of the budget; return it, None when there is no room."""
        self.release()
        granted = share(self.budget)

        def asked(taken: int) -> int | None:
            nonlocal granted
            granted = share(self.budget.reset(taken))
            return granted

        hold = self._tried(lambda: self._ledger.hold(self.session, asked), Hold(0, self.budget.used))
        self._key = hold.key
        self.budget = self.budget.reset(hold.taken)
        return granted

    def _tried(self, work: Callable[[], Result], otherwise: Result) -> Result:
        if self._broken:
            return otherwise
        try:
            return work()
        except Exception as error:  # whatever it is, content does not wait for the ledger
            if self._strict:
                raise
            self._broken = True
            self._warn(f"session {self.name} is not kept: {error}")
            return otherwise
