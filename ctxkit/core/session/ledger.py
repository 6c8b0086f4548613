"""The records of the session ledger: sessions and their names, their content, and reservations of tokens."""

from __future__ import annotations

from ctxkit.core.errors import UsageError
from ctxkit.core.named_tuple import NamedTuple

ACTIVE_SECONDS = 30 * 86_400.0
"""Seconds after its last use during which the content that a session refers to is kept."""
MOST_ENTRIES = 1000
"""Number of entries that content is compared with."""
HOST_SESSION = "CLAUDE_CODE_SESSION_ID"
"""The variable in which Claude Code (2.1.330) names its session to its commands; no other host has one."""
LONGEST_NAME = 128
"""Maximum characters of a session's name, which is also part of a file name."""
_FIRST = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:")
_OTHER = _FIRST | frozenset(".-")


def check_session_name(name: str) -> str:
    """Return the name of a session; raise UsageError if it is invalid."""
    if 0 < len(name) <= LONGEST_NAME and name[0] in _FIRST and _OTHER.issuperset(name):
        return name
    hint = f"letters, digits and . _ - : up to {LONGEST_NAME}, beginning with neither a dot nor a dash"
    raise UsageError(f"{name[:LONGEST_NAME]!r} is not the name of a session", hint=hint)


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


class Session(NamedTuple):
    """The account of one context window, in tokens; times are seconds since 1970.

    ``used`` counts all recorded content, ``estimated`` the part of it without an exact count, and ``reserved`` the
    reservations of current calls. ``gatings`` counts the items that entered as a briefing, ``edits`` the edits of the
    conversation by hand or by its model. ``due`` is 1 if the next turn should compact the conversation. ``cold_from``
    is the time from which the provider has the conversation no longer in its cache, 0 if that is unknown.
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
    cold_from: float = 0.0
    reserved: int = 0

    @property
    def occupancy(self) -> int:
        """Return the tokens that are used or reserved."""
        return self.used + self.reserved

    def with_entry(self, entry: LedgerEntry, now: float, items: int = 1) -> Session:
        """Return the session after an entry of one or several items."""
        return self._replace(
            used=self.used + entry.tokens,
            estimated=self.estimated + (0 if entry.method == "exact" else entry.tokens),
            items=self.items + items,
            gatings=self.gatings + (entry.result == "briefing"),
            updated=max(self.updated, now),
        )

    def with_used(self, used: int, now: float) -> Session:
        """Return the session with ``used`` tokens in context, as reported by the caller."""
        return self._replace(used=used, estimated=0, updated=max(self.updated, now))

    def with_compaction(self, used: int, estimated: int, now: float) -> Session:
        """Return the session after a compaction to ``used`` tokens, of which ``estimated`` are not exact."""
        return self.with_used(used, now)._replace(
            estimated=estimated, compactions=self.compactions + 1, due=0, cold_from=0.0
        )

    def with_edit(self, used: int, estimated: int, now: float) -> Session:
        """Return the session after an edit to ``used`` tokens, of which ``estimated`` are not exact."""
        return self.with_used(used, now)._replace(estimated=estimated, edits=self.edits + 1)

    def with_turn(self, turn: TurnEntry, now: float) -> Session:
        """Return the session after the request of a turn was made."""
        items, gatings = self.items + turn.items, self.gatings + turn.gatings
        return self.with_used(turn.used, now)._replace(estimated=turn.estimated, items=items, gatings=gatings, due=0)

    def with_answer(self, answer: AnswerEntry, now: float) -> Session:
        """Return the session after an answer."""
        session = self if answer.used is None else self.with_used(answer.used, now)
        return session._replace(
            items=self.items + answer.items,
            due=int(answer.is_due),
            updated=max(self.updated, now),
            cold_from=now + answer.cache_seconds if answer.cache_seconds else 0.0,
        )


class TurnEntry(NamedTuple):
    """The request of a turn: all its tokens, those that are estimated, its new items, and those that are maps."""

    used: int
    estimated: int
    items: int
    gatings: int


class AnswerEntry(NamedTuple):
    """The answer to a request: the tokens in context after it, None if the provider did not say, and its new items.

    ``is_due`` asks for a compaction in the next turn. The provider keeps the prompt for ``cache_seconds`` in its cache,
    0 if that is unknown.
    """

    used: int | None
    items: int
    is_due: bool = False
    cache_seconds: int = 0


class Reservation(NamedTuple):
    """A reservation; ``occupancy`` is the number of tokens taken before it, ``key`` is 0 if nothing was reserved."""

    key: int
    occupancy: int
