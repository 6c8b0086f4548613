"""Store the snapshots of sessions on a Redis or Valkey server.

The snapshots of a session are two lists, newest first: one of facts, one of contents.
"""

import errno
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ctxkit.core.errors import UsageError
from ctxkit.core.session.history import HistoryExtent
from ctxkit.core.session.ledger import check_session_name
from ctxkit.core.session.snapshot import KEPT_SNAPSHOTS, Snapshot, find_refs
from ctxkit.engines.ledger_scripts import COMMON, SessionKeys
from ctxkit.engines.redis_connection import LARGE, SMALL, ServerError
from ctxkit.engines.redis_server import RedisServer, make_script
from ctxkit.engines.redis_session_state import TTL, read_time

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
NEWEST = """
local facts = redis.call('LINDEX', KEYS[1], 0) or ''
return #facts > 4096 and 'too long' or facts
"""
"""Text of a script that returns the facts of the newest snapshot, "" if there is none."""
SIZE = make_script("return string.len(redis.call('LINDEX', KEYS[1], ARGV[1]) or '')")
"""Return the bytes of the content of a snapshot."""


class RedisSnapshots:
    """Snapshots on a server; satisfies core.session.snapshot.SnapshotStore. Every method raises ServerError.

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
        commands = [("EVAL", NEWEST, 1, self._make_keys(name)[0]) for name in names]
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
