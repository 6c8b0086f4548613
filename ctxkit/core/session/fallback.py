"""Use what is shared by machines, and what is on this machine while the shared one fails."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from ctxkit.core.session.history import MARKS, HistoryExtent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ctxkit.core.session.history import Addition, AppendResult, ContextMark, HistoryStore, MarkStore
    from ctxkit.core.session.snapshot import Snapshot, SnapshotStore
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
    """Shared snapshots; satisfies core.session.snapshot.SnapshotStore."""

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
