"""The keys and the Lua scripts of the shared store: each script works on the keys of one ref, and runs atomically.

A blob is one hash: its size, lines and label, and its bytes in fields named 0, 1, 2 ... of one block each. So it
expires, is evicted and is removed as a whole, and a part of it is read without the rest. The set of refs with the same
first six digits finds a ref by its prefix.
"""

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

    def damaged(self, ref: str) -> str:
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
_COMMON = NOW + SAVE

CLASHES = 2
"""Answer of STORE for content whose short ref names other content."""
STORE = make_script(
    _COMMON
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
    _COMMON
    + """
local facts = redis.call('HMGET', KEYS[1], 'size', 'clash', '0')
if not facts[1] then return false end
if ARGV[1] ~= '' then
  redis.pcall('HSET', KEYS[1], 'read', now())
  renew(KEYS[1], ARGV[1])
  renew(KEYS[2], ARGV[1])
end
return facts
"""
)
"""Return the size, whether the ref clashes, and the first block of a blob; renew its time unless that is empty.

A full server, which cannot note the time, is read too.
"""

HOLD = make_script(
    _COMMON
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
