"""Use a shared ledger, and a ledger of this machine while the shared one fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ctxkit.core.session.fallback import Fallback

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ctxkit.core.session.ledger import AnswerEntry, LedgerEntry, Reservation, Session, TurnEntry
    from ctxkit.core.session.ledger_interface import ConditionalEntry, ContextChange, DatedEntry, Ledger


class KnownSessions(Protocol):
    """What this machine knows of shared sessions: names, windows, reserves, models and tokenizers."""

    def find(self, name: str) -> Session | None:
        """Return a session without its tokens, None if it is not known."""

    def save(self, session: Session) -> None:
        """Note a session."""

    def remove(self, name: str) -> None:
        """Forget a session."""


class FallbackLedger(Fallback["Ledger"]):
    """A shared ledger with a local one behind it; satisfies ledger_interface.Ledger.

    A session that this process knows continues on this machine with the last known number of tokens; of one that only
    ``copies`` know, the window, the reserve, the model and the tokenizer hold. The shared ledger may ``record_if_fits``
    an entry.
    """

    def __init__(
        self,
        shared: Ledger,
        open_local: Callable[[], Ledger],
        notify_failed: Callable[[OSError], None],
        record_if_fits: Callable[[ConditionalEntry], int | None] = lambda _: None,
        copies: KnownSessions | None = None,
    ) -> None:
        super().__init__(shared, open_local, notify_failed)
        self._record_if_fits, self._copies = record_if_fits, copies
        self._known: dict[str, Session] = {}

    def find(self, name: str) -> Session | None:
        """Return the current state of a session, None if it does not exist."""
        return self._remember(self._use(lambda ledger: ledger.find(name) or self._recall(name)))

    def add(self, session: Session) -> bool:
        """Add a session; return False without a change if the name exists."""
        added = self._use(lambda ledger: ledger.add(session))
        if added:
            self._remember(session)
            if self._copies is not None:
                self._copies.save(session)
        return added

    def sessions(self) -> Sequence[Session]:
        """Return all sessions in order of creation."""
        return self._use(lambda ledger: ledger.sessions())

    def set_used(self, name: str, used: int) -> Session | None:
        """Set the number of tokens in context; return the session, None if it does not exist."""
        return self._remember(self._use(lambda ledger: ledger.set_used(name, used)))

    def record_compaction(self, name: str, used: int, estimated: int = 0) -> Session | None:
        """Record a compaction to ``used`` tokens; return the session, None if it does not exist."""
        return self._remember(self._use(lambda ledger: ledger.record_compaction(name, used, estimated)))

    def record_edit(self, name: str, used: int, estimated: int = 0) -> Session | None:
        """Record an edit to ``used`` tokens; return the session, None if it does not exist."""
        return self._remember(self._use(lambda ledger: ledger.record_edit(name, used, estimated)))

    def record_turn(self, name: str, turn: TurnEntry) -> Session | None:
        """Record the request of a turn; return the session, None if it does not exist."""
        return self._remember(self._use(lambda ledger: ledger.record_turn(name, turn)))

    def record_answer(self, name: str, answer: AnswerEntry) -> Session | None:
        """Record the answer to a request; return the session, None if it does not exist."""
        return self._remember(self._use(lambda ledger: ledger.record_answer(name, answer)))

    def sum_entries(self, name: str, since: float) -> int:
        """Return the tokens of the content that entered a session after a time, in seconds since 1970."""
        return self._use(lambda ledger: ledger.sum_entries(name, since))

    def entries(self, name: str) -> Sequence[DatedEntry]:
        """Return the entries of a session, oldest first."""
        return self._use(lambda ledger: ledger.entries(name))

    def entries_in_context(self, name: str) -> Sequence[LedgerEntry]:
        """Return the entries since the last change of the context, oldest first."""
        return self._use(lambda ledger: ledger.entries_in_context(name))

    def changes(self, name: str) -> Sequence[ContextChange]:
        """Return what a session's context lost, oldest first."""
        return self._use(lambda ledger: ledger.changes(name))

    def remove(self, name: str) -> bool:
        """Remove a session and its entries; return whether it existed."""
        self._forget(name)
        return self._use(lambda ledger: ledger.remove(name))

    def remove_whole(self, names: Iterable[str]) -> None:
        """Remove sessions with their snapshots."""
        listed = list(names)
        for name in listed:
            self._forget(name)
        self._use(lambda ledger: ledger.remove_whole(listed))

    def reserve(self, session: Session, share: Callable[[int], int | None]) -> Reservation:
        """Reserve tokens atomically."""
        return self._use(lambda ledger: ledger.reserve(session, share))

    def record(self, name: str, key: int, entry: LedgerEntry, items: int = 1) -> None:
        """Replace a reservation with a recorded entry of ``items`` items."""
        self._use(lambda ledger: ledger.record(name, key, entry, items))

    def record_if_fits(self, request: ConditionalEntry) -> int | None:
        """Record an entry if its session is as expected; return the tokens taken before, or None.

        Only a shared ledger does so.
        """
        return self._use(lambda ledger: self._record_if_fits(request) if ledger is self._shared else None)

    def release(self, key: int) -> None:
        """Release a reservation."""
        self._use(lambda ledger: ledger.release(key))

    def find_references(self, since: float) -> tuple[set[str], set[str]]:
        """Return the names of the sessions used after ``since``, and the refs in them."""
        return self._use(lambda ledger: ledger.find_references(since))

    def _remember(self, session: Session | None) -> Session | None:
        if session is not None:
            self._known[session.name] = session._replace(reserved=0)
        return session

    def _recall(self, name: str) -> Session | None:
        """Add a session to the local ledger as this machine knows it, if the shared one has failed; return it."""
        if self._local is None or self._copies is None:
            return None
        session = self._copies.find(name)
        if session is not None:
            self._local.add(session)
        return session and self._local.find(name)

    def _forget(self, name: str) -> None:
        self._known.pop(name, None)
        if self._copies is not None:
            self._copies.remove(name)

    def _prepare_local(self, local: Ledger) -> None:
        for session in self._known.values():
            local.add(session)


def merge_ledger(local: Ledger, shared: Ledger) -> int:
    """Move the sessions of a local ledger to the shared one; return their number.

    Entries are added to the session there. If the context was changed meanwhile, the local number of tokens holds.
    """
    sessions = local.sessions()
    for session in sessions:
        entries, changes = local.entries(session.name), local.changes(session.name)
        start = changes[0].before if changes else session.used
        shared.add(session._replace(used=max(start - sum(dated.entry.tokens for dated in entries), 0), items=0))
        if not local.remove(session.name):  # another process moves it
            continue
        for dated in entries:
            shared.record(session.name, 0, dated.entry)
        if changes:
            shared.set_used(session.name, session.used)
    return len(sessions)
