"""Write new content to a server: spool it on this machine, then send it under its ref."""

import errno
import os
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from time import time

from ctxkit.core.store.label import ClashingRef, Label
from ctxkit.core.text.lines import BLOCK, LineIndex, pack_counts
from ctxkit.engines import store_scripts as scripts
from ctxkit.engines.content_hash import ContentHash
from ctxkit.engines.redis_connection import ServerError

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
