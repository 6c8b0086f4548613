"""Store content on a Redis or Valkey server, for agents on many machines: spooled here, then sent."""

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from tempfile import SpooledTemporaryFile
from time import time
from typing import Any

from ctxkit.core.errors import NotStoredError
from ctxkit.core.session.ledger import ACTIVE_SECONDS
from ctxkit.core.store.label import FULL_LENGTH, MIN_LENGTH, ClashingRef, Label, shorten_ref
from ctxkit.core.store.store_interface import (
    YOUNG_SECONDS,
    Blob,
    BlobWriter,
    CollectionLimits,
    CollectionResult,
    Store,
    StoredContent,
    choose_removals,
    damaged_content_error,
    not_stored_error,
    resolve_ref,
    store_content,
)
from ctxkit.core.text.lines import BLOCK, IndexedLines, LineIndex, pack_counts
from ctxkit.engines import redis_scripts as scripts
from ctxkit.engines.content_hash import ContentHash
from ctxkit.engines.redis_ledger import read_number, read_time
from ctxkit.engines.redis_server import LARGE, RedisServer, ServerError

MEMORY = 4 << 20
"""Maximum bytes of content in memory; larger content is spooled in a temporary file."""
UPLOAD_SECONDS = 600
"""Seconds after which an unfinished upload expires."""
_BLOCKS = 16
"""Number of blocks that are sent in one round trip."""


class RedisBlobWriter:
    """Spools content and sends it on commit, so that nothing unfinished is ever visible under a ref."""

    def __init__(self, keys: scripts.BlobKeys, ttl: int, project: str = "") -> None:
        self._keys = keys
        self._project = project
        self._server = keys.server
        self._ttl = ttl
        self._spool = SpooledTemporaryFile(max_size=MEMORY)  # noqa: SIM115 - closed by abandon and with the writer
        self._hash = ContentHash()
        self._marks = LineIndex()
        self.size = 0

    def __del__(self) -> None:
        self._spool.close()

    def write(self, chunk: bytes) -> None:
        """Spool the next bytes."""
        self._spool.seek(self.size)
        self._spool.write(chunk)
        self._hash.update(chunk)
        self._marks.update(chunk)
        self.size += len(chunk)

    def commit(self, label: Label) -> str:
        """Send the bytes and store them under their ref; raise ServerError on failure."""
        ref, keys = self._hash.hexdigest(), self._keys
        upload = keys.upload(ref, os.urandom(8).hex())
        words = [word.encode("utf-8", "surrogatepass") for word in label._replace(project=self._project)]
        data = b""
        if self.size <= BLOCK:
            data = b"=" + b"".join(self.replay())
        else:
            self._send(upload)
        facts = (ref, self._ttl, self.size, self._marks.total, pack_counts(self._marks.newline_counts), *words, data)
        index = ("ZADD", keys.index, f"{time():.6f}", ref)
        stored = self._server.run_and_execute(scripts.STORE, [keys.blob(ref), keys.refs(ref), upload], facts, index)
        if not stored:
            raise ServerError(errno.ETIMEDOUT, "the upload expired before it was complete", self._server.place)
        return ClashingRef(ref) if stored == scripts.CLASHES else ref

    def name_unfinished(self, label: Label) -> str:  # noqa: ARG002 - nothing is labelled
        """Return "": the spool goes with its process."""
        return ""

    def _send(self, key: str) -> None:
        """Send the blocks under the key of an upload, which expires by itself."""
        blocks = enumerate(self._read_blocks(BLOCK))
        while batch := [pair for _, pair in zip(range(_BLOCKS), blocks, strict=False)]:
            fields = [word for number, block in batch for word in (number, block)]
            self._server.execute_many([("HSET", key, *fields), ("EXPIRE", key, UPLOAD_SECONDS)])

    def replay(self) -> Iterator[bytes]:
        """Yield the written bytes."""
        return self._read_blocks(1 << 20)

    def _read_blocks(self, length: int) -> Iterator[bytes]:
        for offset in range(0, self.size, length):
            self._spool.seek(offset)
            yield self._spool.read(min(length, self.size - offset))

    def abandon(self) -> None:
        """Discard the written bytes."""
        self._spool.close()


class ContentCopy:
    """A copy of content on this machine, in memory or in an unnamed file, that is closed with its last reference."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=MEMORY)  # noqa: SIM115

    def __del__(self) -> None:
        self._file.close()

    def write(self, piece: bytes) -> None:
        """Write the next bytes."""
        self._file.write(piece)

    def read(self, offset: int, length: int) -> bytes:
        """Return ``length`` bytes from ``offset``; fewer only at the end."""
        self._file.seek(offset)
        return self._file.read(length)


READ_BLOCKS = 16
"""Maximum number of blocks in one answer."""
_LISTED = 500
"""Number of blobs that are listed in one round trip."""
HELD_SECONDS = 30 * 86_400
"""Seconds for which content that a manifest or a snapshot refers to is kept."""
_FACTS = ("size", "clash", "created", "read", "name", "tool", "call", "session", "project")
_GONE: list[bytes | None] = [None] * len(_FACTS)
"""What the server says of the facts of content that has expired."""
_REF = re.compile(f"[0-9a-f]{{{FULL_LENGTH}}}")


class RedisStore:
    """Content on a server; satisfies store_interface.Store.

    Content that is not read for ``max_age`` seconds expires. ``copies`` is the store on this machine that gets the
    plain files of ``path``. ``name_project`` returns the name of the project that stores content.
    """

    def __init__(
        self,
        server: RedisServer,
        warn: Callable[[str], None],
        max_age: float,
        copies: Store | None = None,
        name_project: Callable[[], str] = str,
    ) -> None:
        self.server = server
        self._name_project = name_project
        self.keys = scripts.BlobKeys(server)
        self.ttl = max(int(max_age), 1)
        self._warn = warn
        self._copies = copies

    @property
    def place(self) -> str:
        """Return the address of the server."""
        return self.server.place

    def open_writer(self) -> BlobWriter:
        """Return a writer of new content; nothing is sent before its commit."""
        return RedisBlobWriter(self.keys, self.ttl, self._name_project())

    def find(self, prefix: str) -> str:
        """Return the ref that begins with a prefix."""
        if len(prefix) < MIN_LENGTH:
            raise not_stored_error(prefix)
        if len(prefix) == FULL_LENGTH:
            size, clash = self.server.execute("HMGET", self.keys.blob(prefix), "size", "clash")
            return resolve_ref(prefix, [_make_ref(prefix, (clash or b"").decode())] if size else [])
        refs = self.server.run(scripts.FIND, [self.keys.refs(prefix)], prefix, self.keys.blob(prefix)[: -len(prefix)])
        return resolve_ref(prefix, [_make_ref(*ref.decode().partition("+")[:2]) for ref in refs])

    def has_ref(self, ref: str) -> bool:
        """Return whether content with this complete ref is stored."""
        return bool(self.server.execute("EXISTS", self.keys.blob(ref)))

    def open(self, ref: str, *, quietly: bool = False) -> StoredContent:
        """Return access to a copy of the content on this machine, and renew its time unless ``quietly``.

        The copy is complete and checked before anything of it is read, because others can write to the server. Raise
        DamagedContentError if its bytes are not those of the ref.
        """
        keys = [self.keys.blob(ref), self.keys.refs(ref)]
        facts = self.server.run(scripts.OPEN, keys, "" if quietly else self.ttl)
        if not facts:
            raise not_stored_error(ref)
        try:
            size, clash, first = read_number(facts[0]), facts[1] or b"", facts[2] or b""
        except ValueError:
            raise damaged_content_error(ref, self.place) from None
        copy, index, digest = ContentCopy(), LineIndex(), ContentHash()
        for piece in self._read_blocks(ref, size, first):
            copy.write(piece)
            index.update(piece)
            digest.update(piece)
        if digest.hexdigest() != ref:
            self._set_aside(ref)
            raise damaged_content_error(ref, self.place)
        lines = IndexedLines(copy.read, index.size, index.newline_counts, index.total)
        return StoredContent(_make_ref(ref, clash), "", copy.read, lines)

    def _read_blocks(self, ref: str, size: int, first: bytes = b"") -> Iterator[bytes]:
        """Yield the bytes of a blob; the first block may be known already. Raise NotStoredError if the blob is gone."""
        if first and size <= BLOCK:
            yield first
            return
        for start in range(0, -(-size // BLOCK), READ_BLOCKS):
            numbers = range(start, min(start + READ_BLOCKS, -(-size // BLOCK)))
            blocks: list[Any] = self.server.run(scripts.READ_BLOCKS, [self.keys.blob(ref)], *numbers)
            if None in blocks:
                raise not_stored_error(ref)
            yield b"".join(blocks)

    def _set_aside(self, ref: str) -> None:
        """Rename a damaged blob, which keeps its time; do nothing if the server does not allow that."""
        with suppress(ServerError):
            self.server.execute("RENAME", self.keys.blob(ref), self.keys.quarantine(ref))
            self.server.execute("ZREM", self.keys.index, ref)

    def path(self, ref: str) -> str:
        """Return the path of a copy of the content of a ref on this machine."""
        content, copies = self.open(ref), self._copies
        if copies is None:
            raise not_stored_error(ref)
        if not copies.has_ref(ref):
            pieces = (content.read(offset, 1 << 20) for offset in range(0, content.lines.size, 1 << 20))
            store_content(copies, pieces, Label())
        return copies.path(ref)

    def blobs(self) -> Iterator[Blob]:
        """Yield every blob with its label; warn if the server cannot be read."""
        try:
            yield from self._list_blobs()
        except ServerError as error:
            if not error.is_repeated:
                self._warn(f"{error.strerror}: {error.filename}; shared content is not listed")

    def _list_blobs(self) -> Iterator[Blob]:
        members = self.server.execute("ZRANGE", self.keys.index, 0, -1, most=LARGE)
        refs = [member.decode("utf-8", "replace") for member in members]
        for start in range(0, len(refs), _LISTED):
            part = refs[start : start + _LISTED]
            commands = [("EVAL", scripts.DESCRIBE, 1, self.keys.blob(ref), *_FACTS) for ref in part]
            rows = self.server.execute_many(commands, most=LARGE, keeps_errors=True)
            for ref, row in zip(part, rows, strict=True):
                if row != _GONE:
                    yield from self._read_row(ref, row)
            if gone := [ref for ref, row in zip(part, rows, strict=True) if row == _GONE]:
                self.server.execute("ZREM", self.keys.index, *gone)

    def _read_row(self, ref: str, row: Sequence[bytes | None] | None) -> Iterator[Blob]:
        """Yield the blob of a row; warn of one that is damaged, and yield nothing."""
        try:
            yield self._make_blob(ref, row or ())
        except ValueError:
            self.server.warn_of_row(f"stored content {shorten_ref(ref)}")

    def _make_blob(self, ref: str, row: Sequence[bytes | None]) -> Blob:
        size, clash, created, read, *words = (word or b"" for word in row)
        label = Label(*(word.decode("utf-8", "replace") for word in words))
        if not _REF.fullmatch(ref):
            raise ValueError("no ref")
        times = read_time(created), read_time(read)
        return Blob(_make_ref(ref, clash), read_number(size), *times, label, self.place)

    def remove(self, ref: str) -> None:
        """Remove a blob."""
        self._remove_unused(ref, "")

    def _remove_unused(self, ref: str, read: str) -> bool:
        """Remove a blob that was last read at a time, "" for any; return whether it was removed."""
        removed = self.server.run(scripts.REMOVE_UNUSED, [self.keys.blob(ref), self.keys.refs(ref)], ref, read)
        if removed or not read:
            self.server.execute("ZREM", self.keys.index, ref)
        return bool(removed)

    def remove_all(self) -> list[Blob]:
        """Remove every blob; return the blobs."""
        blobs = list(self._list_blobs())
        for blob in blobs:
            self.remove(blob.ref)
        return blobs

    def collect(self, max_age: float, max_size: int, spare: str = "") -> CollectionResult:
        """Remove blobs over the age or size limit, except those of active sessions and those that are held."""
        began, (names, refs) = time(), self._find_active()
        blobs = [blob for blob in self._list_blobs() if blob.ref != spare]
        spared = refs.union(blob.ref for blob in blobs if blob.label.session in names) | self._find_held(blobs, began)
        removal = choose_removals(blobs, began, CollectionLimits(max_age, max_size, YOUNG_SECONDS), spared)
        removed = [blob for blob in removal.removed if self._remove_unused(blob.ref, f"{blob.read:.6f}")]
        return CollectionResult(len(removed), sum(blob.size for blob in removed), len(removal.young))

    def _find_active(self) -> tuple[set[str], set[str]]:
        """Return the names of the active sessions, and the refs in them."""
        from ctxkit.engines.redis_ledger import RedisLedger

        return RedisLedger(self.server).find_references(time() - ACTIVE_SECONDS)

    def _find_held(self, blobs: Sequence[Blob], now: float) -> set[str]:
        times = self.server.execute_many([("HGET", self.keys.blob(blob.ref), "held") for blob in blobs])
        return {blob.ref for blob, until in zip(blobs, times, strict=True) if until and _is_later(until, now)}

    def tidy(self, read_limits: Callable[[], tuple[float, int]], spare: str = "") -> None:
        """Do nothing: the server removes what has expired."""

    def renew(self, refs: Iterable[str], seconds: float, *, hold: bool = False) -> None:
        """Keep content for at least ``seconds``; if ``hold``, collections keep it as long too."""
        for ref in refs:
            base = self.keys.blob(ref)[: -len(ref)]
            self.server.run(scripts.HOLD, [self.keys.refs(ref)], ref, base, int(seconds), "1" if hold else "")

    def verify(self) -> Iterator[tuple[str, str]]:
        """Yield (ref, problem) for each blob whose bytes do not match its ref."""
        from hashlib import sha256

        for blob in list(self._list_blobs()):
            digest = sha256()
            with suppress(NotStoredError):
                for piece in self._read_blocks(blob.ref, blob.size):
                    digest.update(piece)
            if digest.hexdigest() != blob.ref and self.has_ref(blob.ref):
                yield blob.ref, f"holds bytes whose SHA-256 is {digest.hexdigest()[:16]}"


def _is_later(until: bytes, now: float) -> bool:
    """Return whether a time that the server has is later than another; one that cannot be read is."""
    try:
        return read_time(until) > now
    except ValueError:
        return True


def _make_ref(ref: str, clash: bytes | str) -> str:
    return ClashingRef(ref) if clash else ref
