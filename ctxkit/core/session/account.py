"""One call's dealings with the ledger: look, hold room, fill it, book what went in."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ctxkit.core.session.ledger import Reservation

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxkit.core.session.ledger import Ledger, LedgerEntry, Session
    from ctxkit.core.tokens.budget import Budget

    Candidate = TypeVar("Candidate")
    Result = TypeVar("Result")


class SessionReservation:
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

    def refresh_budget(self) -> Budget:
        """Return the budget as it is now."""
        session = self._try_ledger(lambda: self._ledger.find(self.name), None)
        if session is not None:
            self.budget = self.budget.with_used(session.occupancy)
        return self.budget

    def reserve(self, tokens: int, limit: int | None) -> bool:
        """Hold room for so many tokens; return whether there is as much."""
        return self._reserve(lambda budget: tokens if tokens <= budget.allowance(limit) else None) is not None

    def reserve_target(self, limit: int | None) -> int:
        """Hold room for a map, and return how much that is."""
        return self._reserve(lambda budget: budget.briefing_target(limit)) or 0

    def make_within_target(
        self, limit: int | None, make: Callable[[int], Candidate], size: Callable[[Candidate], int | None]
    ) -> Candidate:
        """Make something within the target and hold room for its ``size``, None being that nothing is short enough.

        Where others took that room meanwhile, the room is held first and it is made again.
        """
        candidate = make(self.refresh_budget().briefing_target(limit))
        tokens = size(candidate)
        if tokens is None or self.reserve(tokens, limit):
            return candidate
        candidate = make(self.reserve_target(limit))
        if size(candidate) is None:
            self.release()
        return candidate

    def record(self, entry: LedgerEntry) -> None:
        """Note what went in, in place of what was held for it."""
        self._try_ledger(lambda: self._ledger.record(self.name, self._key, entry), None)
        self._key = 0
        self.budget = self.budget.with_added(entry.tokens)

    def release(self) -> None:
        """Give back what was held."""
        key, self._key = self._key, 0
        if key:
            self._try_ledger(lambda: self._ledger.release(key), None)

    def _reserve(self, share: Callable[[Budget], int | None]) -> int | None:
        """Hold what ``share`` makes of the budget; return it, None when there is no room."""
        self.release()
        granted = share(self.budget)

        def compute_share(occupancy: int) -> int | None:
            nonlocal granted
            granted = share(self.budget.with_used(occupancy))
            return granted

        reservation = self._try_ledger(
            lambda: self._ledger.reserve(self.session, compute_share), Reservation(0, self.budget.used)
        )
        self._key = reservation.key
        self.budget = self.budget.with_used(reservation.occupancy)
        return granted

    def _try_ledger(self, work: Callable[[], Result], default: Result) -> Result:
        if self._broken:
            return default
        try:
            return work()
        except Exception as error:  # whatever it is, content does not wait for the ledger
            if self._strict:
                raise
            self._broken = True
            self._warn(f"session {self.name} is not kept: {error}")
            return default
