"""The keys and the Lua scripts of the shared ledger: each script works on the keys of one session, atomically.

A session is a hash of its fields, with a version that every change raises. Its entries and its changes are lists, its
reservations a hash, and the refs of its entries a set. All times are those of the server.
"""

from ctxkit.engines.redis_server import RedisServer, make_script
from ctxkit.engines.store_scripts import NOW, SAVE


class SessionKeys:
    """The keys of sessions on a server; those of one session are on one node of a cluster."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self.index = server.make_key("sessions")
        """Key of the sorted set of all names, by a number that grows."""
        self.counter = server.make_key("sessions", "next")
        """Key of the number of the next session."""

    def make_all(self, name: str) -> list[str]:
        """Return the keys of a session in the ledger: its fields, entries, changes, reservations and refs."""
        return self.make(name, "fields", "items", "changes", "holds", "refs")

    def make(self, name: str, *parts: str) -> list[str]:
        """Return the keys of parts of a session."""
        return [self._server.make_key(f"session {name}", part) for part in parts]


COMMON = (
    NOW
    + """
local function keep(ttl)
  for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ttl) end
end
"""
)
"""Functions of scripts: the time, and the expiry of all keys."""
_COMMON = (
    COMMON
    + """
local function update(at)
  if tonumber(redis.call('HGET', KEYS[1], 'updated')) < tonumber(at) then redis.call('HSET', KEYS[1], 'updated', at) end
  redis.call('HINCRBY', KEYS[1], 'version', 1)
end
local function taken()
  local tokens = tonumber(redis.call('HGET', KEYS[1], 'used'))
  for _, row in ipairs(redis.call('HVALS', KEYS[4])) do tokens = tokens + tonumber(string.match(row, '^%d+')) end
  return tokens
end
local function state()
  return {redis.call('HGETALL', KEYS[1]), redis.call('HGETALL', KEYS[4]), now()}
end
"""
)

READ = make_script(_COMMON + "return state()")
"""Return the fields and the reservations of a session, and the time."""

_CONTEXT = """
local function context(most)
  local change = redis.call('LRANGE', KEYS[3], -1, -1)[1]
  local start = change and tonumber(string.match(change, '^%S+ (%d+)')) or 0
  return redis.call('LRANGE', KEYS[2], math.max(start, redis.call('LLEN', KEYS[2]) - most), -1)
end
"""

CONTEXT = make_script(_CONTEXT + "return context(ARGV[1])")
"""Return the entries after the last change of the context, of many the newest."""

ADD = make_script(
    _COMMON
    + """
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
local at = now()
redis.call('HSET', KEYS[1], 'created', at, 'updated', at, 'version', 1)
keep(ARGV[1])
return 1
"""
)
"""Create a session, unless it exists."""

INDEX = make_script(
    """
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  redis.call('ZADD', KEYS[1], redis.call('INCR', KEYS[2]), ARGV[1])
end
"""
)
"""Add a session to the set of all names."""

RESERVE = make_script(
    _COMMON
    + """
for number = 6, #ARGV do redis.call('HDEL', KEYS[4], ARGV[number]) end
if redis.call('EXISTS', KEYS[1]) == 0 then return state() end
local taken = taken()
if taken > tonumber(ARGV[2]) then return state() end
redis.call('HSET', KEYS[4], ARGV[3], ARGV[4] .. ' ' .. now() .. ' ' .. ARGV[5])
keep(ARGV[1])
return taken
"""
)
"""Add a reservation and return the tokens taken before, or the state if they are too many. Drop void reservations."""

_RECORD = (
    _COMMON
    + """
local function record(first)
  local at = now()
  for number, field in ipairs({'used', 'estimated', 'items', 'gatings'}) do
    redis.call('HINCRBY', KEYS[1], field, ARGV[first + number - 1])
  end
  update(at)
  redis.call('RPUSH', KEYS[2], at .. ' ' .. ARGV[first + 5])
  if ARGV[first + 4] ~= '' then redis.call('SADD', KEYS[5], ARGV[first + 4]) end
  for number, key in ipairs(KEYS) do
    local left = number > 5 and redis.call('TTL', key) or 0
    if left >= 0 and left < tonumber(ARGV[1]) then redis.call('EXPIRE', key, ARGV[1]) end
  end
  local renewed = tonumber(redis.call('HGET', KEYS[1], 'renewed') or 0)
  if tonumber(at) - renewed < tonumber(ARGV[first + 6]) then return {} end
  redis.call('HSET', KEYS[1], 'renewed', at)
  return redis.call('SMEMBERS', KEYS[5])
end
"""
)
"""Function of scripts that records an entry, and renews the content whose keys follow those of the session.

It returns the refs of the session if their time must be renewed. The seconds of a session are the first argument.
"""

RECORD = make_script(
    _RECORD
    + """
redis.call('HDEL', KEYS[4], ARGV[2])
if redis.call('EXISTS', KEYS[1]) == 0 then return {} end
return record(3)
"""
)
"""Replace a reservation by an entry; return the refs of the session if their time must be renewed."""

RECORD_IF_FITS = make_script(
    _RECORD
    + SAVE
    + _CONTEXT
    + """
local function refuse()
  local fields = state()
  return {0, fields[1], fields[2], fields[3]}
end
local facts = redis.call('HMGET', KEYS[1], 'window', 'reserve', 'model', 'tokenizer')
for number, fact in ipairs(facts) do
  if fact ~= ARGV[number + 9] then return refuse() end
end
local taken = taken()
if taken > tonumber(ARGV[9]) then return refuse() end
if ARGV[14] ~= '' then
  for _, row in ipairs(context(ARGV[14])) do
    if string.find(row, ARGV[6], 1, true) or ARGV[15] ~= '' and string.find(row, ARGV[15], 1, true) then
      return refuse()
    end
  end
end
if ARGV[16] then
  save(KEYS[6], KEYS[7], 16, function() redis.call('HSET', KEYS[6], '0', ARGV[26]) end)
  redis.call('ZADD', KEYS[8], now(), ARGV[16])
end
return {1, taken, record(2)}
"""
)
"""Record an entry and store its content, if the session is as expected, has room and nothing like the content.

Return 1, the tokens taken before and the refs whose time must be renewed; else 0 and the state, without a change.
"""

SWAP = make_script(
    _COMMON
    + """
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
redis.call('HINCRBY', KEYS[1], 'version', 1)
if ARGV[3] ~= '' then redis.call('RPUSH', KEYS[3], now() .. ' ' .. redis.call('LLEN', KEYS[2]) .. ' ' .. ARGV[3]) end
keep(ARGV[1])
return 1
"""
)
"""Replace the fields of a session if it still has a version, and note what its context lost."""
