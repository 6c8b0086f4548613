"""Store the histories and the snapshots of sessions on a Redis or Valkey server."""

import errno
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ctxkit.core.errors import UsageError
from ctxkit.core.session.history import (
    KEPT_SNAPSHOTS,
    Addition,
    AppendResult,
    HistoryExtent,
    Snapshot,
    find_refs,
    parse_addition,
)
from ctxkit.core.session.ledger import check_session_name
from ctxkit.core.text.lines import IndexedLines, LineIndex
from ctxkit.engines.redis_ledger import TTL, read_time
from ctxkit.engines.redis_scripts import COMMON, SessionKeys
from ctxkit.engines.redis_server import LARGE, SMALL, RedisServer, ServerError, make_script

CHUNK = 1 << 20
"""Maximum bytes in one answer."""
_APPEND = make_script(
    COMMON
    + """
local size, lines = redis.call('STRLEN', KEYS[1]), 0
local last = redis.call('LINDEX', KEYS[2], -1)
if last then
  local first, count = string.match(last, '^%S+ (%d+) (%d+) ')
  lines = first + count - 1
end
redis.call('APPEND', KEYS[1], ARGV[2])
redis.call('RPUSH', KEYS[2], now() .. string.format(' %d %d %d %d', lines + 1, ARGV[3], size, #ARGV[2]))
keep(ARGV[1])
return {lines, size}
"""
)
"""Append bytes of a number of lines; return the lines and the bytes before."""


class RedisHistories:
    """Histories on a server; satisfies core.session.history.HistoryStore. Every method raises ServerError."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self._keys = SessionKeys(server)

    def path(self, name: str) -> str:
        """Return the server and the key of a history."""
        return f"{self._server.place} {self._make_keys(name)[0]}"

    def append(self, name: str, lines: Sequence[bytes]) -> AppendResult:
        """Append lines without newlines; add all or none."""
        data = b"".join(line + b"\n" for line in lines)
        total, size = self._server.run(_APPEND, self._make_keys(name), TTL, data, len(lines))
        return AppendResult(total + 1, HistoryExtent(total + len(lines), size + len(data)))

    def extent(self, name: str) -> HistoryExtent | None:
        """Return the number of lines and bytes of a history, or None if there is none."""
        last = self.find_last_addition(name)
        return HistoryExtent(last.first + last.lines - 1, last.offset + last.size) if last else None

    def open(self, name: str) -> IndexedLines | None:
        """Return the current lines of a history, or None if there is none."""
        extent = self.extent(name)
        if extent is None:
            return None
        marks = LineIndex()
        for piece in self._read(name, 0, extent.size):
            marks.update(piece)

        def read(offset: int, length: int) -> bytes:
            """Return bytes of the history within its extent."""
            return b"".join(self._read(name, offset, min(offset + length, extent.size)))

        return IndexedLines(read, extent.size, marks.newline_counts, marks.total)

    def read_after(self, name: str, start: HistoryExtent, end: HistoryExtent) -> list[bytes]:
        """Return the lines of a history between two of its extents, without reading those before them."""
        return b"".join(self._read(name, start.size, end.size)).split(b"\n")

    def additions(self, name: str) -> list[Addition]:
        """Return the recorded additions, in order."""
        return list(filter(None, map(_parse_row, self._list_rows(name, 0))))

    def find_last_addition(self, name: str) -> Addition | None:
        """Return the last recorded addition."""
        return next(map(_parse_row, self._list_rows(name, -1)), None)

    def remove(self, name: str) -> bool:
        """Remove a history; return whether it existed."""
        return bool(self._server.execute("UNLINK", *self._make_keys(name)))

    @contextmanager
    def removal(self, name: str) -> Iterator[bool]:
        """Remove a history after the body has removed its session; yield whether there is a history."""
        yield self.extent(name) is not None
        self.remove(name)

    def _make_keys(self, name: str) -> list[str]:
        return self._keys.make(name, "history", "additions")

    def _list_rows(self, name: str, start: int) -> list[bytes]:
        rows: list[bytes] = self._server.execute("LRANGE", self._make_keys(name)[1], start, -1, most=LARGE)
        return rows

    def _read(self, name: str, start: int, stop: int) -> Iterator[bytes]:
        key = self._make_keys(name)[0]
        for offset in range(start, stop, CHUNK):
            yield self._server.execute("GETRANGE", key, offset, min(offset + CHUNK, stop) - 1)


def _parse_row(row: bytes) -> Addition | None:
    return parse_addition(f"{row.decode('ascii', 'replace')}\n")


MAX_EARLIER_BYTES = 64 << 20
"""Maximum bytes of the earlier snapshots of one session; the oldest ones go first."""
SAVE = make_script(
    COMMON
    + """
local at = now()
if redis.call('LINDEX', KEYS[2], 0) == ARGV[3] then
  redis.call('LSET', KEYS[1], 0, at .. ' ' .. ARGV[2])
else
  redis.call('LPUSH', KEYS[1], at .. ' ' .. ARGV[2])
  redis.call('LPUSH', KEYS[2], ARGV[3])
end
local total, count = 0, redis.call('LLEN', KEYS[2])
for place = 1, count - 1 do
  total = total + #redis.call('LINDEX', KEYS[2], place)
  if place >= tonumber(ARGV[4]) or total > tonumber(ARGV[5]) then
    redis.call('LTRIM', KEYS[1], 0, place - 1)
    redis.call('LTRIM', KEYS[2], 0, place - 1)
    break
  end
end
keep(ARGV[1])
return at
"""
)
"""Save a snapshot as the newest one, in place of one with the same content; return its time."""
FIND = make_script(
    COMMON
    + """
keep(ARGV[1])
return {redis.call('LINDEX', KEYS[1], ARGV[2]), redis.call('LINDEX', KEYS[2], ARGV[2])}
"""
)
"""Return the facts and the content of a snapshot, and renew the time of all snapshots of the session."""
_NEWEST = """
local facts = redis.call('LINDEX', KEYS[1], 0) or ''
return #facts > 4096 and 'too long' or facts
"""
"""Text of a script that returns the facts of the newest snapshot, "" if there is none."""
SIZE = make_script("return string.len(redis.call('LINDEX', KEYS[1], ARGV[1]) or '')")
"""Return the bytes of the content of a snapshot."""


class RedisSnapshots:
    """Snapshots on a server; satisfies core.session.history.SnapshotStore. Every method raises ServerError.

    ``prepare`` returns the form of a snapshot that may be stored. ``hold`` keeps the content that a snapshot mentions.
    """

    def __init__(
        self,
        server: RedisServer,
        prepare: Callable[[Snapshot], Snapshot] = lambda snapshot: snapshot,
        hold: Callable[[Iterable[str]], None] = lambda _: None,
    ) -> None:
        self._server = server
        self._keys = SessionKeys(server)
        self._index = server.make_key("snapshots")
        self._prepare = prepare
        self._hold = hold

    def save(self, snapshot: Snapshot) -> Snapshot:
        """Save a snapshot with the current time of the server as the session's newest one; return it."""
        snapshot = self._prepare(snapshot)
        session, content, form, messages, tokens, method, covers, _, _ = snapshot
        facts = json.dumps([form, messages, tokens, method, *covers])
        limits = (KEPT_SNAPSHOTS, MAX_EARLIER_BYTES)
        at = self._server.run(SAVE, self._make_keys(session), TTL, facts, content, *limits)
        self._server.execute("SADD", self._index, session)
        self._hold(find_refs(content))
        return snapshot._replace(created=float(at))

    def find(self, session: str, number: int = 1) -> Snapshot | None:
        """Return the newest snapshot of a session, or the one of a number from 2 on; None if it does not exist."""
        keys = self._make_keys(session)
        size = self._server.run(SIZE, keys[1:], number - 1)
        facts, content = self._server.run(FIND, keys, TTL, number - 1, most=size + SMALL)
        if not facts or content is None:
            return None
        for snapshot in self._read_row(session, facts, content, number):
            return snapshot
        raise ServerError(errno.EBADMSG, f"the snapshot of {session} is damaged", self._server.place)

    def earlier(self, session: str) -> list[Snapshot]:
        """Return the earlier snapshots of a session without their content, the newest first."""
        rows = self._server.execute("LRANGE", self._make_keys(session)[0], 1, -1)
        pairs = enumerate(rows, 2)
        return [snapshot for number, facts in pairs for snapshot in self._read_row(session, facts, b"", number)]

    def all(self) -> list[Snapshot]:
        """Return the newest snapshot of every session without its content, the oldest first."""
        members = self._server.execute("SMEMBERS", self._index, most=LARGE)
        names = sorted(member.decode("utf-8", "replace") for member in members)
        commands = [("EVAL", _NEWEST, 1, self._make_keys(name)[0]) for name in names]
        rows = self._server.execute_many(commands, most=LARGE, keeps_errors=True) if names else []
        if gone := [name for name, facts in zip(names, rows, strict=True) if facts == b""]:
            self._server.execute("SREM", self._index, *gone)
        listed = [(name, facts) for name, facts in zip(names, rows, strict=True) if facts != b""]
        snapshots = [snapshot for name, facts in listed for snapshot in self._read_row(name, facts, b"", 1)]
        return sorted(snapshots, key=lambda snapshot: (snapshot.created, snapshot.session))

    def remove(self, session: str) -> bool:
        """Remove all snapshots of a session; return whether there was one."""
        removed = bool(self._server.execute("UNLINK", *self._make_keys(session)))
        self._server.execute("SREM", self._index, session)
        return removed

    def _read_row(self, session: str, row: bytes | None, content: bytes, number: int) -> Iterator[Snapshot]:
        """Yield the snapshot of a row; warn of one that is damaged, and yield nothing."""
        try:
            check_session_name(session)
            yield _make_snapshot(session, row or b"", content, number)
        except (ValueError, RecursionError, UsageError):
            self._server.warn_of_row(f"the snapshot of {session}")

    def _make_keys(self, session: str) -> list[str]:
        return self._keys.make(session, "snapshots", "contents")


def _make_snapshot(session: str, row: bytes, content: bytes, number: int) -> Snapshot:
    """Return a snapshot from its facts on the server."""
    at, _, facts = row.partition(b" ")
    form, messages, tokens, method, lines, size = _parse_facts(facts)
    return Snapshot(session, content, form, messages, tokens, method, HistoryExtent(lines, size), read_time(at), number)


def _parse_facts(facts: bytes) -> list[Any]:
    values = json.loads(facts)
    if not isinstance(values, list) or [type(value) for value in values] != [str, int, int, str, int, int]:
        raise ValueError("no facts of a snapshot")
    return values
