"""Store the ledger of sessions on a Redis or Valkey server, for agents on many machines."""

import errno
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from ctxkit.core.errors import UsageError
from ctxkit.core.session.history import ContextMark
from ctxkit.core.session.ledger import (
    ACTIVE_SECONDS,
    MOST_ENTRIES,
    AnswerEntry,
    LedgerEntry,
    Reservation,
    Session,
    TurnEntry,
    check_session_name,
)
from ctxkit.core.session.ledger_interface import ChangeKind, ConditionalEntry, ContextChange, DatedEntry
from ctxkit.core.text.lines import LineIndex, find_largest_number, pack_counts
from ctxkit.engines import redis_scripts as scripts
from ctxkit.engines.redis_scripts import BlobKeys, SessionKeys
from ctxkit.engines.redis_server import LARGE, RedisServer, ServerError
from ctxkit.engines.session_copies import SessionCopies
from ctxkit.system.processes import has_ended, identify_process

TTL = int(ACTIVE_SECONDS)
"""Seconds after its last use at which a session expires."""
_ENTRY_TYPES = [str, int, str, str, bool, str, str, str, str]
_FLOATS = ("created", "updated", "cold_from")
_TEXTS = ("name", "model", "tokenizer")
_LARGEST_NUMBER, _LONGEST_NUMBER = 1 << 62, 40
_LATEST = 253_402_300_800.0
"""Seconds from 1970 to the year 10000, after which no date can be printed."""
_STORED_FIELDS = Session._fields[:-1]


class SessionState(NamedTuple):
    """A session as the server has it: its version, its void reservations, and the time of the server."""

    session: Session
    version: bytes
    void: list[bytes]
    now: float


RENEW_EVERY = 3600
"""Minimum seconds between two renewals of the content that a session refers to."""


class RedisContextMarks:
    """The marks of sessions on a server; satisfies core.session.history.MarkStore. They raise ServerError."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self._keys = SessionKeys(server)

    def find(self, session: str) -> dict[str, str]:
        """Return the mark of each marked message by its digest, and renew the time of the marks."""
        (key,) = self._keys.make(session, "marks")
        words, _ = self._server.execute_many([("HGETALL", key), ("EXPIRE", key, TTL)])
        pairs = words.items() if isinstance(words, dict) else zip(words[::2], words[1::2], strict=True)
        return {digest.decode("utf-8", "replace"): mark.decode("utf-8", "replace") for digest, mark in pairs}

    def set_mark(self, session: str, digests: Iterable[str], mark: ContextMark) -> None:
        """Mark messages; a new mark replaces an older one."""
        (key,) = self._keys.make(session, "marks")
        if words := [word for digest in digests for word in (digest, mark)]:
            self._server.execute_many([("HSET", key, *words), ("EXPIRE", key, TTL)])


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
        most = _find_most_taken(state.session, tokens, share)
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
        is_recorded, *facts = _send_entry(self._server, self._keys.make_all(name), request, MOST_ENTRIES)
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


def read_number(word: bytes) -> int:
    """Return a whole number that the server has; raise ValueError if it is negative, too large, or none."""
    number = int(word) if len(word) < _LONGEST_NUMBER else -1
    if not 0 <= number < _LARGEST_NUMBER:
        raise ValueError("no number")
    return number


def read_time(word: bytes) -> float:
    """Return a time that the server has, in seconds since 1970; raise ValueError if it is none that a date has."""
    at = float(word)
    if not 0 <= at < _LATEST:
        raise ValueError("no time")
    return at


def pair_fields(session: Session) -> list[Any]:
    """Return the names and the values of the fields of a session."""
    return [
        word
        for name, value in zip(_STORED_FIELDS, session, strict=False)
        for word in (name, f"{value:.6f}" if name in _FLOATS else value)
    ]


def parse_state(name: str, answer: Any, *, place: str = "") -> SessionState | None:
    """Return the state of a session in the answer of a script, None if there is none.

    Raise ServerError if it is damaged.
    """
    try:
        return _parse_state(name, answer)
    except (ValueError, TypeError, IndexError) as error:
        hint = f"remove it: ctxkit session rm {name}"
        raise ServerError(errno.EBADMSG, f"session {name} is damaged", place, hint) from error


def _parse_state(name: str, answer: Any) -> SessionState | None:
    fields, holds, now = _parse_pairs(answer[0]), _parse_pairs(answer[1]), float(answer[2])
    if not fields:
        return None
    if fields.get(b"name") != name.encode() or b"version" not in fields:
        raise ValueError("no session")
    values: dict[str, Any] = {field: _parse_field(field, fields.get(field.encode(), b"0")) for field in _STORED_FIELDS}
    rows = {key: value.decode().split(" ", 2) for key, value in holds.items()}
    void = [key for key, (_, at, holder) in rows.items() if has_ended(holder, now - float(at))]
    reserved = sum(int(rows[key][0]) for key in rows if key not in void)
    return SessionState(Session(**values, reserved=reserved), fields[b"version"], void, now)


def _parse_pairs(words: Any) -> Mapping[bytes, bytes]:
    return dict(zip(words[::2], words[1::2], strict=True))


def _parse_field(name: str, word: bytes) -> Any:
    if name in _TEXTS:
        return word.decode("utf-8", "replace")
    return read_time(word) if name in _FLOATS else read_number(word)


def parse_entries(rows: Iterable[bytes]) -> list[DatedEntry]:
    """Return the entries of rows of the list of entries, without those that are damaged."""
    return [entry for row in rows for entry in _parse_entry(row)]


def _parse_entry(row: bytes) -> Iterator[DatedEntry]:
    at, _, text = row.partition(b" ")
    with suppress(ValueError, RecursionError):
        facts = json.loads(text)
        if isinstance(facts, list) and [type(fact) for fact in facts] == _ENTRY_TYPES[: len(facts)] and len(facts) > 3:
            yield DatedEntry(LedgerEntry(*facts), read_time(at))


def parse_changes(rows: Iterable[bytes]) -> list[ContextChange]:
    """Return the changes of rows of the list of changes, without those that are damaged."""
    return [change for row in rows for change in _parse_change(row)]


def _parse_change(row: bytes) -> Iterator[ContextChange]:
    with suppress(ValueError):
        at, _, kind, before, after = row.split(b" ")
        numbers = read_number(before), read_number(after), read_time(at)
        yield ContextChange(kind.decode(), *numbers)  # type: ignore[arg-type]  # written by the ledger


def list_sums(entry: LedgerEntry, items: int) -> tuple[int, int, int, int]:
    """Return what an entry of some items adds to the tokens, the estimated tokens, the items and the maps."""
    estimated = 0 if entry.method == "exact" else entry.tokens
    return entry.tokens, estimated, items, int(entry.result == "briefing")


def _send_entry(server: RedisServer, keys: list[str], request: ConditionalEntry, most_entries: int) -> list[Any]:
    """Return the answer of the script: whether it recorded the entry, and what follows from that.

    ``keys`` are those of the session, which is not in a cluster. Content is compared with ``most_entries`` entries.
    """
    session, entry = request.session, request.entry
    is_compared = request.is_compared and entry.ref
    facts = (
        *(TTL, *list_sums(entry, 1), entry.ref, json.dumps(entry), RENEW_EVERY),
        *(request.most_taken, session.window, session.reserve, session.model, session.tokenizer),
        *(most_entries if is_compared else "", _find_name(request)),
    )
    if not request.data:
        return list(server.run(scripts.RECORD_IF_FITS, keys, *facts))
    blobs = BlobKeys(server)
    keys = [*keys, blobs.blob(entry.ref), blobs.refs(entry.ref), blobs.index]
    return list(server.run(scripts.RECORD_IF_FITS, keys, *facts, *_describe_content(request), request.data))


def _find_name(request: ConditionalEntry) -> str:
    """Return how the row of an entry with the same name begins after its time, "" if the content has no name."""
    return f" {json.dumps([request.entry.name])[:-1]}, " if request.label.name else ""


def _describe_content(request: ConditionalEntry) -> tuple[Any, ...]:
    """Return the arguments of content in one block: ref, seconds, size, lines with their index, and label."""
    index = LineIndex()
    index.update(request.data)
    words = [word.encode("utf-8", "surrogatepass") for word in request.label]
    ttl = max(int(request.max_age), TTL)
    return request.entry.ref, ttl, len(request.data), index.total, pack_counts(index.newline_counts), *words


def _find_most_taken(session: Session, tokens: int, share: Callable[[int], int | None]) -> int:
    """Return the most taken tokens for which ``share`` answers as for the current ones, if it never grows with them."""
    most = max(session.window, session.occupancy)
    number = find_largest_number(session.occupancy, most, lambda taken: share(taken) == tokens)
    return session.occupancy if number is None else number
