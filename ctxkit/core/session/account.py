"""The reservation of one call: reserves tokens in the ledger and records the content that enters."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ctxkit.core.session.ledger import Reservation

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxkit.core.session.ledger import LedgerEntry, Session
    from ctxkit.core.session.ledger_interface import Ledger
    from ctxkit.core.tokens.budget import Budget

    Candidate = TypeVar("Candidate")
    Result = TypeVar("Result")


class SessionReservation:
    """A reservation of tokens in a session for one call.

    ``budget`` is the last known budget without this reservation. After the first ledger error it warns once, then only
    the budget decides and nothing is recorded; a strict reservation raises the error.
    """

    def __init__(
        self,
        ledger: Ledger,
        session: Session,
        budget: Budget,
        warn: Callable[[str], None],
        *,
        strict: bool = False,
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
        """Return the current budget."""
        session = self._try_ledger(lambda: self._ledger.find(self.name), None)
        if session is not None:
            self.budget = self.budget.with_used(session.occupancy)
        return self.budget

    def reserve(self, tokens: int, limit: int | None) -> bool:
        """Reserve tokens; return whether the budget allows it."""
        return self._reserve(lambda budget: tokens if tokens <= budget.allowance(limit) else None) is not None

    def reserve_target(self, limit: int | None) -> int:
        """Reserve tokens for a briefing, and return their number."""
        return self._reserve(lambda budget: budget.briefing_target(limit)) or 0

    def cap_briefing(self, tokens: int) -> None:
        """Set the maximum number of tokens of a briefing."""
        self.budget = self.budget._replace(briefing_cap=tokens)

    def make_within_target(
        self, limit: int | None, make: Callable[[int], Candidate], size: Callable[[Candidate], int | None]
    ) -> Candidate:
        """Make a value within the target, and reserve its ``size``, None if no version is short enough.

        If other calls reserved the tokens in the meantime, the tokens are reserved first and the value is made again.
        """
        candidate = make(self.refresh_budget().briefing_target(limit))
        tokens = size(candidate)
        if tokens is None or self.reserve(tokens, limit):
            return candidate
        candidate = make(self.reserve_target(limit))
        if size(candidate) is None:
            self.release()
        return candidate

    def record(self, entry: LedgerEntry, items: int = 1) -> None:
        """Record the content that entered, one or several items, in place of its reservation."""
        self._try_ledger(lambda: self._ledger.record(self.name, self._key, entry, items), None)
        self._key = 0
        self.budget = self.budget.with_added(entry.tokens)

    def release(self) -> None:
        """Release the reserved tokens."""
        key, self._key = self._key, 0
        if key:
            self._try_ledger(lambda: self._ledger.release(key), None)

    def _reserve(self, share: Callable[[Budget], int | None]) -> int | None:
        """Reserve the tokens that ``share`` returns for the budget; return them, None if the budget is too small."""
        self.release()
        granted = share(self.budget)

        def compute_share(occupancy: int) -> int | None:
            """Return the share for an occupancy, and remember it."""
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
        except Exception as error:  # no ledger error may block the content
            if self._strict:
                raise
            self._broken = True
            self._warn(f"session {self.name} is not kept: {error}")
            return default


class RecordedReservation(SessionReservation):
    """A reservation for content that the ledger has recorded already."""

    def record(self, entry: LedgerEntry, items: int = 1) -> None:
        """Take the content that entered into account, without recording it again."""
        del items
        self.budget = self.budget.with_added(entry.tokens)
