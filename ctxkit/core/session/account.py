"""The interface of the session ledger, the records that only it takes or lists, and the reservation of one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.session.ledger import AnswerEntry, LedgerEntry, Reservation, Session, TurnEntry
from ctxkit.core.store.label import Label

if TYPE_CHECKING:
    from ctxkit.core.tokens.budget import Budget

    Candidate = TypeVar("Candidate")
    Result = TypeVar("Result")

ChangeKind = Literal["compaction", "edit", "reset"]
"""Kinds of changes: a compaction, an edit, and used tokens that the caller set to fewer than before."""


class DatedEntry(NamedTuple):
    """A ledger entry and the time at which it was recorded, in seconds since 1970."""

    entry: LedgerEntry
    at: float


class ContextChange(NamedTuple):
    """A change of what is in context: its kind, the used tokens before and after it, and its time."""

    kind: ChangeKind
    before: int
    after: int
    at: float


class Ledger(Protocol):
    """A store of sessions; every method may raise LockedError after a timeout, or InputOutputError."""

    def find(self, name: str) -> Session | None:
        """Return the current state of a session, None if it does not exist."""

    def add(self, session: Session) -> bool:
        """Add a session; return False without a change if the name exists."""

    def sessions(self) -> Sequence[Session]:
        """Return all sessions in order of creation."""

    def set_used(self, name: str, used: int) -> Session | None:
        """Set the number of tokens in context; return the session, None if it does not exist."""

    def record_compaction(self, name: str, used: int, estimated: int = 0) -> Session | None:
        """Record a compaction to ``used`` tokens; return the session, None if it does not exist."""

    def record_edit(self, name: str, used: int, estimated: int = 0) -> Session | None:
        """Record an edit to ``used`` tokens; return the session, None if it does not exist."""

    def record_turn(self, name: str, turn: TurnEntry) -> Session | None:
        """Record the request of a turn; return the session, None if it does not exist."""

    def record_answer(self, name: str, answer: AnswerEntry) -> Session | None:
        """Record the answer to a request; return the session, None if it does not exist."""

    def sum_entries(self, name: str, since: float) -> int:
        """Return the tokens of the content that entered a session after a time, in seconds since 1970."""

    def entries(self, name: str) -> Sequence[DatedEntry]:
        """Return the entries of a session, oldest first."""

    def entries_in_context(self, name: str) -> Sequence[LedgerEntry]:
        """Return the entries since the last change of the context, oldest first; of many, the newest."""

    def changes(self, name: str) -> Sequence[ContextChange]:
        """Return what a session's context lost, oldest first."""

    def remove(self, name: str) -> bool:
        """Remove a session and its entries; return whether it existed."""

    def remove_whole(self, names: Iterable[str]) -> None:
        """Remove sessions with their snapshots."""

    def reserve(self, session: Session, share: Callable[[int], int | None]) -> Reservation:
        """Reserve tokens atomically.

        ``share`` receives the tokens that are taken, and returns the tokens to reserve, None for no reservation. The
        session is created if it no longer exists.
        """

    def record(self, name: str, key: int, entry: LedgerEntry, items: int = 1) -> None:
        """Replace a reservation with a recorded entry of ``items`` items; ``key`` 0 means no reservation."""

    def release(self, key: int) -> None:
        """Release a reservation."""

    def find_references(self, since: float) -> tuple[set[str], set[str]]:
        """Return the names of the sessions used after ``since`` (seconds since 1970), and the refs in them."""


class ConditionalEntry(NamedTuple):
    """An entry, and the conditions under which it is recorded.

    The window, the reserve, the model and the tokenizer of the session are those of ``session``, at most ``most_taken``
    of its tokens are taken, and if ``is_compared``, no content in its context has the same ref or name. ``data`` is the
    content to store under the ref of the entry, for ``max_age`` seconds at least; empty if it is not stored.
    """

    session: Session
    most_taken: int
    entry: LedgerEntry
    data: bytes = b""
    label: Label = Label()
    max_age: float = 0
    is_compared: bool = True


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
