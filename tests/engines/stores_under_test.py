"""The stores that the tests of all stores run on, each with what a test needs to reach behind its interface."""

import os
import time
from pathlib import Path
from typing import Any

from ctxkit.core.store.address import parse_address
from ctxkit.core.store.label import Label
from ctxkit.core.text.lines import LineIndex
from ctxkit.engines.local_store import LocalStore
from ctxkit.engines.redis_server import RedisServer
from ctxkit.engines.redis_store import RedisStore

DAY, UNNAMED = 86_400.0, Label()


class StoreUnderTest:
    """A store with the warnings it gave."""

    store: Any
    said: list[str]

    def put(self, data: bytes, label: Label = UNNAMED) -> str:
        writer = self.store.open_writer()
        writer.write(data)
        return str(writer.commit(label))

    def refs(self) -> set[str]:
        return {blob.ref for blob in self.store.blobs()}

    def read(self, ref: str) -> bytes:
        content = self.store.open(ref)
        return bytes(content.read(0, content.lines.size))


class LocalUnderTest(StoreUnderTest):
    """A store below a directory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.said = []
        self.store = LocalStore(str(root / "cache"), str(root / "data"), self.said.append)

    def set_age(self, ref: str, days: float) -> None:
        when = time.time() - days * DAY
        os.utime(self.store.path(ref), (when, when))

    def plant(self, ref: str, data: bytes) -> None:
        """Store bytes under any ref, as if they had its hash."""
        (self.root / "cache" / "planted").write_bytes(data)
        with self.store.blob_files.open_subfolder() as folder:
            self.store.blob_files.store_file(folder, "planted", ref, LineIndex())

    def flip_byte(self, ref: str, place: int) -> None:
        data = bytearray(Path(self.store.path(ref)).read_bytes())
        data[place] ^= 1
        Path(self.store.path(ref)).write_bytes(data)


class RedisUnderTest(StoreUnderTest):
    """A store on a server, empty at first."""

    def __init__(self, url: str, root: Path) -> None:
        self.root = root
        self.said = []
        self.server = RedisServer(parse_address(url), str(root / "mark"), timeout=5)
        copies = LocalStore(str(root / "copies"), str(root / "data"), self.said.append)
        self.store = RedisStore(self.server, self.said.append, 7 * DAY, copies)

    def set_age(self, ref: str, days: float) -> None:
        when = f"{time.time() - days * DAY:.6f}"
        self.server.execute("HSET", self.store.keys.blob(ref), "read", when, "created", when)

    def plant(self, ref: str, data: bytes) -> None:
        from ctxkit.engines import redis_scripts

        names = self.store.keys
        keys = [names.blob(ref), names.refs(ref), names.upload(ref, "0")]
        self.server.run(redis_scripts.STORE, keys, ref, 1000, len(data), 1, b"\0" * 8, "", "", "", "", "", b"=" + data)
        self.server.execute("ZADD", names.index, time.time(), ref)

    def flip_byte(self, ref: str, place: int) -> None:
        key = self.store.keys.blob(ref)
        data = bytearray(self.server.execute("HGET", key, "0"))
        data[place] ^= 1
        self.server.execute("HSET", key, "0", bytes(data))
