"""Define the interface of the session ledger, and the records that only it takes or lists."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, Protocol

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.session.ledger import AnswerEntry, LedgerEntry, Reservation, Session, TurnEntry
from ctxkit.core.store.label import Label

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
