"""What a conversation has used of its window: sessions, what entered them, and who may take what is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from ctxkit.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LONGEST_NAME = 128
"""Characters of a session's name at most: it also names a file."""
ACTIVE_SECONDS = 30 * 86_400.0
"""Seconds after its last use during which what a session refers to is kept."""
_FIRST = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:")
_OTHER = _FIRST | frozenset(".-")


class LedgerEntry(NamedTuple):
    """Describe what entered: its name, tool and call id, ref, tokens and how they were counted, and as what.

    ``tokens`` of an estimate are the most likely number, not its high end. ``tight`` says that the
    session was past the compaction trigger with it.
    """

    name: str
    tokens: int
    method: str
    result: str
    tight: bool = False
    ref: str = ""
    tool: str = ""
    call: str = ""


class Session(NamedTuple):
    """Account for one conversation's window; every count of room is in tokens, times are seconds since 1970.

    ``used`` is what has entered, ``estimated`` the part of it that nobody could count exactly, and
    ``reserved`` what calls that are under way have been promised. ``gatings`` counts the items that
    entered as a map of something larger.
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
    reserved: int = 0

    @property
    def occupancy(self) -> int:
        """Return the tokens that nobody else may take."""
        return self.used + self.reserved

    def with_entry(self, entry: LedgerEntry, now: float) -> Session:
        """Return the session after something entered."""
        return self._replace(
            used=self.used + entry.tokens,
            estimated=self.estimated + (0 if entry.method == "exact" else entry.tokens),
            items=self.items + 1,
            gatings=self.gatings + (entry.result == "briefing"),
            updated=max(self.updated, now),
        )

    def with_used(self, used: int, now: float) -> Session:
        """Return the session with ``used`` tokens in context, as somebody who knows it says."""
        return self._replace(used=used, estimated=0, updated=max(self.updated, now))

    def with_compaction(self, used: int, estimated: int, now: float) -> Session:
        """Return the session after a compaction that left ``used`` tokens, ``estimated`` of them not exactly known."""
        return self.with_used(used, now)._replace(estimated=estimated, compactions=self.compactions + 1)


class Reservation(NamedTuple):
    """Promise room: ``occupancy`` tokens were gone before, and ``key`` is 0 where nothing was promised."""

    key: int
    occupancy: int


class Ledger(Protocol):
    """Keep sessions. Every method raises Locked when others are in the way for too long, or IOFailed."""

    def find(self, name: str) -> Session | None:
        """Return a session as it is now, None when there is none of that name."""

    def add(self, session: Session) -> bool:
        """Add a session; return False, changing nothing, when there is one of its name."""

    def sessions(self) -> Sequence[Session]:
        """Return every session, in the order in which they began."""

    def set_used(self, name: str, used: int) -> Session | None:
        """Say how many tokens are in context; return the session, None when there is none."""

    def record_compaction(self, name: str, used: int, estimated: int = 0) -> Session | None:
        """Count a compaction that left ``used`` tokens in context; return the session, None when there is none."""

    def remove(self, name: str) -> bool:
        """Forget a session and what entered it; return whether there was one."""

    def reserve(self, session: Session, share: Callable[[int], int | None]) -> Reservation:
        """Promise room in one step that no other call can come between.

        ``share`` gets the tokens that are taken, and gives those to promise, None for no. The session
        is begun where it has gone.
        """

    def record(self, name: str, key: int, entry: LedgerEntry) -> None:
        """Turn a promise into what entered; ``key`` 0 books without one."""

    def release(self, key: int) -> None:
        """Take a promise back."""


def check_session_name(name: str) -> str:
    """Return the name of a session; raises Misuse when it is none."""
    if 0 < len(name) <= LONGEST_NAME and name[0] in _FIRST and _OTHER.issuperset(name):
        return name
    hint = f"letters, digits and . _ - : up to {LONGEST_NAME}, beginning with neither a dot nor a dash"
    raise UsageError(f"{name[:LONGEST_NAME]!r} is not the name of a session", hint=hint)
