"""Store the snapshots of sessions on a Redis or Valkey server.

The snapshots of a session are two lists, newest first: one of facts, one of contents.
"""

import json
from collections.abc import Callable, Iterable
from typing import Any

from ctxkit.core.session.history import HistoryExtent
from ctxkit.core.session.snapshot import KEPT_SNAPSHOTS, Snapshot, find_refs
from ctxkit.engines.ledger_scripts import COMMON, SessionKeys
from ctxkit.engines.redis_server import RedisServer, make_script
from ctxkit.engines.redis_session_state import TTL

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
        facts, content = self._server.run(FIND, self._make_keys(session), TTL, number - 1)
        return _make_snapshot(session, facts, content, number) if facts and content is not None else None

    def earlier(self, session: str) -> list[Snapshot]:
        """Return the earlier snapshots of a session without their content, the newest first."""
        rows = self._server.execute("LRANGE", self._make_keys(session)[0], 1, -1)
        return [_make_snapshot(session, facts, b"", number) for number, facts in enumerate(rows, 2)]

    def all(self) -> list[Snapshot]:
        """Return the newest snapshot of every session without its content, the oldest first."""
        names = sorted(name.decode() for name in self._server.execute("SMEMBERS", self._index))
        rows = self._server.execute_many([("LINDEX", self._make_keys(name)[0], 0) for name in names]) if names else []
        if gone := [name for name, facts in zip(names, rows, strict=True) if facts is None]:
            self._server.execute("SREM", self._index, *gone)
        snapshots = [_make_snapshot(name, facts, b"", 1) for name, facts in zip(names, rows, strict=True) if facts]
        return sorted(snapshots, key=lambda snapshot: (snapshot.created, snapshot.session))

    def remove(self, session: str) -> bool:
        """Remove all snapshots of a session; return whether there was one."""
        removed = bool(self._server.execute("UNLINK", *self._make_keys(session)))
        self._server.execute("SREM", self._index, session)
        return removed

    def _make_keys(self, session: str) -> list[str]:
        return self._keys.make(session, "snapshots", "contents")


def _make_snapshot(session: str, row: bytes, content: bytes, number: int) -> Snapshot:
    """Return a snapshot from its facts on the server."""
    at, _, facts = row.partition(b" ")
    form, messages, tokens, method, lines, size = _parse_facts(facts)
    return Snapshot(session, content, form, messages, tokens, method, HistoryExtent(lines, size), float(at), number)


def _parse_facts(facts: bytes) -> list[Any]:
    return list(json.loads(facts))
