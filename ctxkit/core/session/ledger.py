"""The session ledger: sessions, their recorded content, and reservations of the remaining tokens."""

# Without postponed annotations, which typing would compile for each field when this module is loaded.
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, Protocol

from ctxkit.core.named_tuple import NamedTuple

ACTIVE_SECONDS = 30 * 86_400.0
"""Seconds after its last use during which the content that a session refers to is kept."""
MOST_ENTRIES = 1000
"""Number of entries that content is compared with."""

ChangeKind = Literal["compaction", "edit", "reset"]
"""Kinds of changes: a compaction, an edit, and used tokens that the caller set to fewer than before."""


class LedgerEntry(NamedTuple):
    """A ledger entry: name, tool, call id and ref of the content, its tokens with their method, and its result.

    ``tokens`` is the most likely number of an estimate, not its upper bound. ``tight`` means that the entry put the
    session above its compaction trigger.
    """

    name: str
    tokens: int
    method: str
    result: str
    tight: bool = False
    ref: str = ""
    tool: str = ""
    call: str = ""
    agent: str = ""


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


class Session(NamedTuple):
    """The account of one context window, in tokens; times are seconds since 1970.

    ``used`` counts all recorded content, ``estimated`` the part of it without an exact count, and ``reserved`` the
    reservations of current calls. ``gatings`` counts the items that entered as a briefing, ``edits`` the edits of the
    conversation by hand or by its model. ``due`` is 1 if the next turn should compact the conversation.
    """

    name: str
    window: int
    reserve: int
    model: str = ""
    tokenizer: str = ""
    used: int = 0
    estimated: int = 0
    items: int = 0
    gatings: int = 0
    compactions: int = 0
    created: float = 0.0
    updated: float = 0.0
    edits: int = 0
    due: int = 0
    reserved: int = 0

    @property
    def occupancy(self) -> int:
        """Return the tokens that are used or reserved."""
        return self.used + self.reserved

    def with_entry(self, entry: LedgerEntry, now: float, items: int = 1) -> "Session":
        """Return the session after an entry of one or several items."""
        return self._replace(
            used=self.used + entry.tokens,
            estimated=self.estimated + (0 if entry.method == "exact" else entry.tokens),
            items=self.items + items,
            gatings=self.gatings + (entry.result == "briefing"),
            updated=max(self.updated, now),
        )

    def with_used(self, used: int, now: float) -> "Session":
        """Return the session with ``used`` tokens in context, as reported by the caller."""
        return self._replace(used=used, estimated=0, updated=max(self.updated, now))

    def with_compaction(self, used: int, estimated: int, now: float) -> "Session":
        """Return the session after a compaction to ``used`` tokens, of which ``estimated`` are not exact."""
        return self.with_used(used, now)._replace(estimated=estimated, compactions=self.compactions + 1, due=0)

    def with_edit(self, used: int, estimated: int, now: float) -> "Session":
        """Return the session after an edit to ``used`` tokens, of which ``estimated`` are not exact."""
        return self.with_used(used, now)._replace(estimated=estimated, edits=self.edits + 1)

    def with_turn(self, turn: "TurnEntry", now: float) -> "Session":
        """Return the session after the request of a turn was made."""
        items, gatings = self.items + turn.items, self.gatings + turn.gatings
        return self.with_used(turn.used, now)._replace(estimated=turn.estimated, items=items, gatings=gatings, due=0)

    def with_answer(self, used: int | None, items: int, now: float, *, is_due: bool) -> "Session":
        """Return the session after an answer; ``used`` is None if the provider did not say what is in context."""
        session = self if used is None else self.with_used(used, now)
        return session._replace(items=self.items + items, due=int(is_due), updated=max(self.updated, now))


class TurnEntry(NamedTuple):
    """The request of a turn: all its tokens, those that are estimated, its new items, and those that are maps."""

    used: int
    estimated: int
    items: int
    gatings: int


class Reservation(NamedTuple):
    """A reservation; ``occupancy`` is the number of tokens taken before it, ``key`` is 0 if nothing was reserved."""

    key: int
    occupancy: int


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

    def record_answer(self, name: str, used: int | None, items: int, *, is_due: bool) -> Session | None:
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
