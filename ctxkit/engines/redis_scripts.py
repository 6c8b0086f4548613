"""The keys and the Lua scripts of the shared store, which work on one ref, and of the ledger, on one session."""

from ctxkit.core.store.label import FULL_LENGTH, MIN_LENGTH, SHORT_LENGTH
from ctxkit.engines.redis_server import RedisServer, make_script


class BlobKeys:
    """The keys of blobs on a server; those of refs with the same first digits are on one node of a cluster."""

    def __init__(self, server: RedisServer) -> None:
        self.server = server
        self.index = server.make_key("blobs")
        """Key of the sorted set of all refs, by the time of storing."""

    def blob(self, ref: str) -> str:
        """Return the key of a blob."""
        return self.server.make_key(ref[:MIN_LENGTH], "blob", ref)

    def refs(self, ref: str) -> str:
        """Return the key of the set of refs that begin like ``ref``."""
        return self.server.make_key(ref[:MIN_LENGTH], "refs")

    def list_shared(self, ref: str) -> list[str]:
        """Return the keys of a blob that a script of a session may use too: none in a cluster, or for a short ref."""
        if self.server.address.cluster or len(ref) != FULL_LENGTH:
            return []
        return [self.blob(ref), self.refs(ref)]

    def quarantine(self, ref: str) -> str:
        """Return the key to which a blob goes whose bytes are not those of its ref."""
        return self.server.make_key(ref[:MIN_LENGTH], "damaged", ref)

    def upload(self, ref: str, number: str) -> str:
        """Return the key of an upload of content that gets this ref."""
        return self.server.make_key(ref[:MIN_LENGTH], "upload", number)


NOW = """
local function now()
  local at = redis.call('TIME')
  return string.format('%d.%06d', at[1], at[2])
end
"""
"""Function of scripts that returns the time of the server, in seconds since 1970."""
SAVE = """
local function renew(key, ttl)
  if redis.call('TTL', key) < tonumber(ttl) then redis.call('EXPIRE', key, ttl) end
end
local function find_clash(blob, refs, ref)
  if redis.call('EXISTS', blob) == 1 then return redis.call('HGET', blob, 'clash') end
  local base = string.sub(blob, 1, -#ref - 1)
  for _, other in ipairs(redis.call('SMEMBERS', refs)) do
    if other ~= ref and string.sub(other, 1, SHORT) == string.sub(ref, 1, SHORT)
      and redis.call('EXISTS', base .. other) == 1 then return '1' end
  end
  return false
end
local function add_project(projects, name)
  if name == '' or string.find(' ' .. projects .. ' ', ' ' .. name .. ' ', 1, true) then return projects end
  return projects == '' and name or projects .. ' ' .. name
end
local function save(blob, refs, first, put)
  local at, left, held = now(), redis.call('TTL', blob), redis.call('HGET', blob, 'held')
  local clash, projects = find_clash(blob, refs, ARGV[first]), redis.call('HGET', blob, 'project') or ''
  put()
  redis.call('HSET', blob, 'size', ARGV[first + 2], 'lines', ARGV[first + 3], 'counts', ARGV[first + 4],
    'created', at, 'read', at, 'name', ARGV[first + 5], 'tool', ARGV[first + 6], 'call', ARGV[first + 7],
    'session', ARGV[first + 8], 'project', add_project(projects, ARGV[first + 9]))
  if held then redis.call('HSET', blob, 'held', held) end
  if clash then redis.call('HSET', blob, 'clash', clash) end
  redis.call('EXPIRE', blob, math.max(tonumber(ARGV[first + 1]), left))
  redis.call('SADD', refs, ARGV[first])
  renew(refs, redis.call('TTL', blob))
  return clash
end
""".replace("SHORT", str(SHORT_LENGTH))
"""Functions of scripts that renew the time of a key, and save a blob whose bytes ``put`` puts there.

A blob with the field ``clash`` came after other content with the same short ref; its ref is printed in full.
The ref, the seconds, the size, the lines, their counts and the label of the blob are ten arguments from ``first`` on.
"""
_STORE_COMMON = NOW + SAVE
CLASHES = 2
"""Answer of STORE for content whose short ref names other content."""
STORE = make_script(
    _STORE_COMMON
    + """
local blob, refs, upload = KEYS[1], KEYS[2], KEYS[3]
if ARGV[11] == '' and redis.call('EXISTS', upload) == 0 then return 0 end
local clash = save(blob, refs, 1, function()
  if ARGV[11] == '' then
    redis.call('RENAME', upload, blob)
  else
    redis.call('HSET', blob, '0', string.sub(ARGV[11], 2))
  end
end)
return clash and 2 or 1
"""
)
"""Store a blob: its only block, after one more byte, or the blocks of an upload.

Return 0 if the upload is gone, and 2 if its short ref names other content.
"""
FIND = make_script(
    """
local found, prefix, base = {}, ARGV[1], ARGV[2]
for _, ref in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  if string.sub(ref, 1, #prefix) == prefix then
    local clash = redis.call('HGET', base .. ref, 'clash')
    if redis.call('EXISTS', base .. ref) == 0 then
      redis.call('SREM', KEYS[1], ref)
    elseif not clash or #prefix ~= SHORT then
      found[#found + 1] = ref .. (clash and '+' or '')
    end
  end
end
return found
""".replace("SHORT", str(SHORT_LENGTH))
)
"""Return the refs that begin with a prefix, and forget those that have expired; ``+`` follows one that clashes.

A prefix with the length of a short ref names only content that had it first.
"""
OPEN = make_script(
    _STORE_COMMON
    + """
local facts = redis.call('HMGET', KEYS[1], 'size', 'clash')
if not facts[1] then return false end
facts[3] = redis.call('HSTRLEN', KEYS[1], '0') <= 65536 and redis.call('HGET', KEYS[1], '0')
if ARGV[1] ~= '' then
  redis.pcall('HSET', KEYS[1], 'read', now())
  renew(KEYS[1], ARGV[1])
  renew(KEYS[2], ARGV[1])
end
return facts
"""
)
"""Return the size, whether the ref clashes, and the first block of a blob; renew its time unless that is empty.

A full server, which cannot note the time, is read too. A block of more than 64 KB is damaged, and not sent.
"""
DESCRIBE = """
local facts = {}
for number, field in ipairs(ARGV) do
  if redis.call('HSTRLEN', KEYS[1], field) > 4096 then return {} end
  facts[number] = redis.call('HGET', KEYS[1], field)
end
return facts
"""
"""Text of a script that returns fields of a blob, none if one is too long to be listed."""
READ_BLOCKS = make_script(
    """
local blocks = {}
for number, field in ipairs(ARGV) do
  blocks[number] = redis.call('HSTRLEN', KEYS[1], field) <= 65536 and redis.call('HGET', KEYS[1], field)
end
return blocks
"""
)
"""Return blocks of a blob; one that is absent or of more than 64 KB is nil."""
HOLD = make_script(
    _STORE_COMMON
    + """
local held, prefix, base, ttl = 0, ARGV[1], ARGV[2], ARGV[3]
for _, ref in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local key = base .. ref
  if string.sub(ref, 1, #prefix) == prefix and redis.call('EXISTS', key) == 1 then
    if ARGV[4] ~= '' then redis.call('HSET', key, 'held', string.format('%.6f', tonumber(now()) + ttl)) end
    renew(key, ttl)
    renew(KEYS[1], ttl)
    held = held + 1
  end
end
return held
"""
)
"""Renew the time of the blobs that begin with a prefix; if wanted, spare them from collections as long."""
REMOVE_UNUSED = make_script(
    """
local at = redis.call('HGET', KEYS[1], 'read')
if ARGV[2] ~= '' and at ~= ARGV[2] then return 0 end
redis.call('SREM', KEYS[2], ARGV[1])
return redis.call('UNLINK', KEYS[1])
"""
)
"""Remove a blob, unless it was read after it was listed."""


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
_LEDGER_COMMON = (
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
READ = make_script(_LEDGER_COMMON + "return state()")
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
    _LEDGER_COMMON
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
    _LEDGER_COMMON
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
    _LEDGER_COMMON
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
    _LEDGER_COMMON
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
