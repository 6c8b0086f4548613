"""Store the ledger of sessions on a Redis or Valkey server, for agents on many machines."""

import errno
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from ctxkit.core.errors import UsageError
from ctxkit.core.session.ledger import (
    MOST_ENTRIES,
    AnswerEntry,
    LedgerEntry,
    Reservation,
    Session,
    TurnEntry,
    check_session_name,
)
from ctxkit.core.session.ledger_interface import ChangeKind, ConditionalEntry, ContextChange, DatedEntry
from ctxkit.engines import ledger_scripts as scripts
from ctxkit.engines.redis_connection import LARGE, ServerError
from ctxkit.engines.redis_server import RedisServer
from ctxkit.engines.redis_session_state import (
    RENEW_EVERY,
    TTL,
    SessionState,
    find_most_taken,
    list_sums,
    pair_fields,
    parse_changes,
    parse_entries,
    parse_state,
    send_entry,
)
from ctxkit.engines.session_copies import SessionCopies
from ctxkit.system.processes import identify_process

ATTEMPTS = 1000
"""Maximum number of attempts at a change while others change the same session."""


class RedisLedger:
    """Sessions on a server; satisfies ledger_interface.Ledger. Every method raises ServerError if the server fails.

    ``renew`` keeps content that an active session refers to. ``list_content_keys`` returns the keys of the content of a
    ref, by which a script that records it keeps it as well; none if it cannot. ``copies`` keep what this machine knows
    of sessions.
    """

    def __init__(
        self,
        server: RedisServer,
        renew: Callable[[Iterable[str]], None] = lambda _: None,
        list_content_keys: Callable[[str], list[str]] = lambda _: [],
        copies: SessionCopies | None = None,
    ) -> None:
        self._server = server
        self._keys = scripts.SessionKeys(server)
        self._renew, self._list_content_keys, self._copies = renew, list_content_keys, copies
        self._states: dict[str, SessionState] = {}
        self._unread: dict[str, SessionState] = {}
        self._reserved: dict[int, str] = {}

    def close(self) -> None:
        """Close the connections."""
        self._server.close()

    def find(self, name: str) -> Session | None:
        """Return the current state of a session, or None if there is none with that name."""
        return state.session if (state := self._unread.pop(name, None) or self._read(name)) else None

    def add(self, session: Session) -> bool:
        """Add a session, unless one with its name exists; return whether it was added."""
        keys, fields = self._keys.make_all(session.name), pair_fields(session)
        added = bool(self._server.run(scripts.ADD, keys, TTL, *fields))
        if added:
            self._server.run(scripts.INDEX, [self._keys.index, self._keys.counter], session.name)
        return added

    def sessions(self) -> list[Session]:
        """Return every session in the order of creation."""
        rows = self._server.execute("ZRANGE", self._keys.index, 0, -1, most=LARGE)
        names = [row.decode("utf-8", "replace") for row in rows]
        states = [(name, state) for name in names for state in self._read_listed(name)]
        if gone := [name for name, state in states if state is None]:
            self._server.execute("ZREM", self._keys.index, *gone)
        return [state.session for _, state in states if state]

    def set_used(self, name: str, used: int) -> Session | None:
        """Set the number of tokens in the context."""
        return self._change(name, lambda session, now: session.with_used(used, now), "reset")

    def record_compaction(self, name: str, used: int, estimated: int = 0) -> Session | None:
        """Count a compaction, and set the number of tokens after it."""
        return self._change(name, lambda session, now: session.with_compaction(used, estimated, now), "compaction")

    def record_edit(self, name: str, used: int, estimated: int = 0) -> Session | None:
        """Count an edit of the conversation, and set the number of tokens after it."""
        return self._change(name, lambda session, now: session.with_edit(used, estimated, now), "edit")

    def record_turn(self, name: str, turn: TurnEntry) -> Session | None:
        """Record the request of a turn."""
        return self._change(name, lambda session, now: session.with_turn(turn, now))

    def record_answer(self, name: str, answer: AnswerEntry) -> Session | None:
        """Record the answer to a request."""
        return self._change(name, lambda session, now: session.with_answer(answer, now))

    def sum_entries(self, name: str, since: float) -> int:
        """Return the tokens of the content that entered a session after a time, in seconds since 1970."""
        return sum(dated.entry.tokens for dated in self.entries(name) if dated.at > since)

    def entries(self, name: str) -> list[DatedEntry]:
        """Return the entries of a session, oldest first."""
        return parse_entries(self._list(name, 1))

    def entries_in_context(self, name: str) -> list[LedgerEntry]:
        """Return the entries since the last change of the context, oldest first; of many, the newest."""
        rows = self._server.run(scripts.CONTEXT, self._keys.make_all(name), MOST_ENTRIES)
        return [dated.entry for dated in parse_entries(rows)]

    def changes(self, name: str) -> list[ContextChange]:
        """Return what a session's context lost, oldest first."""
        return parse_changes(self._list(name, 2))

    def _list(self, name: str, place: int) -> Any:
        return self._server.execute("LRANGE", self._keys.make_all(name)[place], 0, -1, most=LARGE)

    def remove(self, name: str) -> bool:
        """Remove a session with its entries, reservations and marks."""
        keys = (*self._keys.make_all(name), *self._keys.make(name, "marks"))
        removed = bool(self._server.execute("UNLINK", *keys))
        self._server.execute("ZREM", self._keys.index, name)
        self._states.pop(name, None)
        return removed

    def remove_whole(self, names: Iterable[str]) -> None:
        """Remove sessions."""
        for name in names:
            self.remove(name)

    def reserve(self, session: Session, share: Callable[[int], int | None]) -> Reservation:
        """Reserve tokens exclusively; drop the reservations of ended processes.

        The last known state is tried first. The server accepts the reservation while so few tokens are taken that
        ``share`` answers the same, so that calls at the same time seldom have to try again.
        """
        state = self._states.pop(session.name, None)
        is_current = state is None
        for _ in range(ATTEMPTS):
            state = state or self._read_or_add(session)
            tokens = share(state.session.occupancy)
            if tokens is None and is_current:
                return Reservation(0, state.session.occupancy)
            answer = None if tokens is None else self._try_reserve(state, tokens, share)
            if isinstance(answer, Reservation):
                return answer
            state, is_current = answer, True
        raise self._make_busy_error(session.name)

    def _try_reserve(
        self, state: SessionState, tokens: int, share: Callable[[int], int | None]
    ) -> Reservation | SessionState | None:
        """Return the reservation, or the current state if the server refuses it, None if there is no session."""
        name, key = state.session.name, int.from_bytes(os.urandom(6), "big") + (1 << 48)
        most = find_most_taken(state.session, tokens, share)
        facts = (TTL, most, key, tokens, identify_process(), *state.void)
        answer = self._server.run(scripts.RESERVE, self._keys.make_all(name), *facts)
        if not isinstance(answer, int):
            return parse_state(name, answer, place=self._server.place)
        self._reserved[key] = name
        if share(answer) == tokens:
            return Reservation(key, answer)
        self.release(key)
        return None

    def record(self, name: str, key: int, entry: LedgerEntry, items: int = 1) -> None:
        """Replace a reservation by an entry; do nothing for a session that was removed meanwhile."""
        self._reserved.pop(key, None)
        self._states.pop(name, None)
        facts = (TTL, key, *list_sums(entry, items), entry.ref, json.dumps(entry), RENEW_EVERY)
        content_keys = self._list_content_keys(entry.ref) if entry.ref else []
        refs = self._server.run(scripts.RECORD, [*self._keys.make_all(name), *content_keys], *facts)
        if refs:
            self._renew([ref.decode() for ref in refs])
        elif entry.ref and not content_keys:
            self._renew([entry.ref])

    def record_if_fits(self, request: ConditionalEntry) -> int | None:
        """Record an entry in one round trip if its session is as expected; return the tokens taken before, or None.

        The state that comes with a refusal is what ``find`` returns next.
        """
        name = request.session.name
        is_recorded, *facts = send_entry(self._server, self._keys.make_all(name), request, MOST_ENTRIES)
        if not is_recorded:
            self._unread |= {name: state} if (state := self._remember(name, facts)) else {}
            return None
        self._states.pop(name, None)
        if refs := facts[1]:
            with suppress(OSError):  # the entry is recorded
                self._renew([ref.decode() for ref in refs])
        return int(facts[0])

    def release(self, key: int) -> None:
        """Remove a reservation of this process."""
        name = self._reserved.pop(key, None)
        if name is not None:
            self._server.execute("HDEL", self._keys.make_all(name)[3], key)

    def find_references(self, since: float) -> tuple[set[str], set[str]]:
        """Return the names of the sessions used after ``since`` (seconds since 1970), and the refs in them."""
        names = {session.name for session in self.sessions() if session.updated > since}
        sets = self._server.execute_many([("SMEMBERS", self._keys.make_all(name)[4]) for name in names])
        return names, {ref.decode() for refs in sets for ref in refs}

    def _read(self, name: str) -> SessionState | None:
        return self._remember(name, self._server.run(scripts.READ, self._keys.make_all(name)))

    def _read_listed(self, name: str) -> Iterator[SessionState | None]:
        """Yield the state of a session, None if it has expired; warn of one that is damaged, and yield nothing."""
        try:
            yield self._read(check_session_name(name))
        except (ServerError, UsageError) as error:
            if getattr(error, "errno", errno.EPROTO) not in (errno.EBADMSG, errno.EPROTO):
                raise
            self._server.warn_of_row(f"session {name}")

    def _remember(self, name: str, answer: Any) -> SessionState | None:
        """Return the state in an answer; keep it for the next reservation, and for later processes what stays."""
        if state := parse_state(name, answer, place=self._server.place):
            self._states[name] = state
            if self._copies is not None:
                self._copies.save(state.session)
        return state

    def _read_or_add(self, session: Session) -> SessionState:
        """Return the state of a session; add it if it does not exist."""
        state = self._read(session.name)
        if state is None:
            self.add(session)
            state = self._read(session.name)
        if state is None:
            raise self._make_busy_error(session.name)
        return state

    def _change(
        self, name: str, update: Callable[[Session, float], Session], kind: ChangeKind | None = None
    ) -> Session | None:
        """Change a session; note a change of the context, but a reset only if it takes something out."""
        for _ in range(ATTEMPTS):
            state = self._read(name)
            if state is None:
                return None
            before, after = state.session, update(state.session, state.now)
            is_loss = kind and (kind != "reset" or after.used < before.used)
            note = f"{kind} {before.used} {after.used}" if is_loss else ""
            facts = (TTL, state.version, note, *pair_fields(after))
            if self._server.run(scripts.SWAP, self._keys.make_all(name), *facts):
                self._states.pop(name, None)
                return after
        raise self._make_busy_error(name)

    def _make_busy_error(self, name: str) -> ServerError:
        return ServerError(errno.EBUSY, f"session {name} changes all the time", self._server.place)
