"""Use what is shared by machines, and what is on this machine while the shared one fails."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from ctxkit.core.session.history import MARKS, HistoryExtent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ctxkit.core.session.history import (
        Addition,
        AppendResult,
        ContextMark,
        HistoryStore,
        MarkStore,
        Snapshot,
        SnapshotStore,
    )
    from ctxkit.core.session.ledger import AnswerEntry, LedgerEntry, Reservation, Session, TurnEntry
    from ctxkit.core.session.ledger_interface import ConditionalEntry, ContextChange, DatedEntry, Ledger
    from ctxkit.core.text.lines import IndexedLines

    Result = TypeVar("Result")

Service = TypeVar("Service")


class Fallback(Generic[Service]):
    """A shared service with a local one behind it.

    After the first OSError of the shared service, every call uses the one that ``open_local`` returns.
    ``notify_failed`` gets the error once; it may raise an error instead.
    """

    def __init__(
        self, shared: Service, open_local: Callable[[], Service], notify_failed: Callable[[OSError], None]
    ) -> None:
        self._shared = shared
        self._open_local = open_local
        self._notify_failed = notify_failed
        self._local: Service | None = None

    @property
    def is_local(self) -> bool:
        """Return whether the shared service has failed."""
        return self._local is not None

    def _use(self, work: Callable[[Service], Result]) -> Result:
        """Return the result of the shared service, or of the local one if the shared one has failed."""
        if self._local is None:
            try:
                return work(self._shared)
            except OSError as error:
                self._notify_failed(error)
                self._local = self._open_local()
                self._prepare_local(self._local)
        return work(self._local)

    def _prepare_local(self, local: Service) -> None:
        """Prepare the local service for its first use."""


class FallbackHistories(Fallback["HistoryStore"]):
    """Shared histories; satisfies core.session.history.HistoryStore."""

    def path(self, name: str) -> str:
        """Return the place of the history of a session, for messages."""
        return self._use(lambda histories: histories.path(name))

    def append(self, name: str, lines: Sequence[bytes]) -> AppendResult:
        """Append lines without newlines; add all or none."""
        return self._use(lambda histories: histories.append(name, lines))

    def extent(self, name: str) -> HistoryExtent | None:
        """Return the number of lines and bytes of a history, or None if there is none."""
        return self._use(lambda histories: histories.extent(name))

    def open(self, name: str) -> IndexedLines | None:
        """Return the current lines of a history, or None if there is none."""
        return self._use(lambda histories: histories.open(name))

    def read_after(self, name: str, start: HistoryExtent, end: HistoryExtent) -> Iterable[bytes]:
        """Return the lines of a history between two of its extents."""
        return self._use(lambda histories: histories.read_after(name, start, end))

    def additions(self, name: str) -> list[Addition]:
        """Return the recorded additions, in order."""
        return self._use(lambda histories: histories.additions(name))

    def find_last_addition(self, name: str) -> Addition | None:
        """Return the last recorded addition."""
        return self._use(lambda histories: histories.find_last_addition(name))

    def remove(self, name: str) -> bool:
        """Remove a history; return whether it existed."""
        return self._use(lambda histories: histories.remove(name))

    @contextmanager
    def removal(self, name: str) -> Iterator[bool]:
        """Remove a history after the body has removed its session; yield whether there is a history."""
        yield self.extent(name) is not None
        self.remove(name)


class FallbackSnapshots(Fallback["SnapshotStore"]):
    """Shared snapshots; satisfies core.session.history.SnapshotStore."""

    def save(self, snapshot: Snapshot) -> Snapshot:
        """Save a snapshot with the current time as the session's newest one; return it."""
        return self._use(lambda snapshots: snapshots.save(snapshot))

    def find(self, session: str, number: int = 1) -> Snapshot | None:
        """Return the newest snapshot of a session, or the one of a number from 2 on; None if it does not exist."""
        return self._use(lambda snapshots: snapshots.find(session, number))

    def earlier(self, session: str) -> list[Snapshot]:
        """Return the earlier snapshots of a session without their content, the newest first."""
        return self._use(lambda snapshots: snapshots.earlier(session))

    def all(self) -> list[Snapshot]:
        """Return the newest snapshot of every session without its content, the oldest first."""
        return self._use(lambda snapshots: snapshots.all())

    def remove(self, session: str) -> bool:
        """Remove all snapshots of a session; return whether there was one."""
        return self._use(lambda snapshots: snapshots.remove(session))


class FallbackMarks(Fallback["MarkStore"]):
    """Shared marks; satisfies core.session.history.MarkStore."""

    def find(self, session: str) -> dict[str, str]:
        """Return the mark of each marked message by its digest."""
        return self._use(lambda marks: marks.find(session))

    def set_mark(self, session: str, digests: Iterable[str], mark: ContextMark) -> None:
        """Mark messages; a new mark replaces an older one."""
        listed = list(digests)
        self._use(lambda marks: marks.set_mark(session, listed, mark))


class LocalHistories(Protocol):
    """Histories that can be moved."""

    def move(self, name: str, write: Callable[[bytes], object]) -> None:
        """Remove a history, if there is one, once ``write`` has taken its bytes."""


def merge_history(name: str, local: LocalHistories, shared: HistoryStore) -> HistoryExtent:
    """Move the lines of a local history to the end of the shared one; return the extent of that one before."""
    before = shared.extent(name) or HistoryExtent()
    local.move(name, lambda data: shared.append(name, data.removesuffix(b"\n").split(b"\n")))
    return before


def merge_snapshots(local: SnapshotStore, shared: SnapshotStore, extents: dict[str, HistoryExtent]) -> None:
    """Move the newest local snapshot of each session to the shared ones.

    ``extents`` are those of the shared histories before the local lines came to their end, which a snapshot made
    meanwhile stands for too.
    """
    for newest in local.all():
        before, snapshot = extents.get(newest.session, HistoryExtent()), local.find(newest.session)
        if snapshot is not None:
            lines, size = snapshot.covers
            shared.save(snapshot._replace(covers=HistoryExtent(before.lines + lines, before.size + size)))
        local.remove(newest.session)


def merge_marks(names: Iterable[str], local: MarkStore, shared: MarkStore) -> None:
    """Copy the local marks of sessions to the shared ones."""
    for name in names:
        marks = local.find(name)
        for mark in MARKS:
            shared.set_mark(name, [digest for digest, given in marks.items() if given == mark], mark)


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
