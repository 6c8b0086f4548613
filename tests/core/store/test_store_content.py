import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from ctxkit.core.store.label import Label
from ctxkit.core.store.store_content import store_content
from ctxkit.engines.local_store import LocalStore
from ctxkit.system.safe_directory import TAKING


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(str(tmp_path / "cache"), str(tmp_path / "data"), pytest.fail)


def test_content_in_pieces_is_stored_under_the_hash_of_the_whole(store: LocalStore) -> None:
    ref = store_content(store, (b"a\n", b"", b"b\n"), Label("name"))
    assert ref == sha256(b"a\nb\n").hexdigest()
    assert [(blob.ref, blob.size, blob.label.name) for blob in store.blobs()] == [(ref, 4, "name")]


def test_content_that_cannot_be_read_leaves_nothing_behind(store: LocalStore) -> None:
    def fail() -> Iterator[bytes]:
        yield b"a\n"
        raise OSError("the pipe is broken")

    with pytest.raises(OSError, match="the pipe is broken"):
        store_content(store, fail(), Label())
    assert list(store.blobs()) == []
    assert os.listdir(os.path.join(store.place, TAKING)) == []
