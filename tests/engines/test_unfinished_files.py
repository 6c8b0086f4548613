import os
import subprocess
import sys
from pathlib import Path

import pytest

from ctxkit.core.store.label import Label
from ctxkit.engines.local_store import LocalStore

KILLED = """
import os, sys
from ctxkit.core.store.label import Label
from ctxkit.engines.local_store import LocalStore
writer = LocalStore(sys.argv[1], sys.argv[2], print).open_writer()
writer.write(b"one\\ntwo\\n")
if sys.argv[3]:
    print(writer.name_unfinished(Label(sys.argv[3], session="s")), flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(str(tmp_path / "cache"), str(tmp_path / "data"), pytest.fail)


def kill_writer(tmp_path: Path, name: str) -> str:
    argv = [sys.executable, "-c", KILLED, str(tmp_path / "cache"), str(tmp_path / "data"), name]
    return subprocess.run(argv, stdout=subprocess.PIPE, text=True).stdout.strip()


def test_what_a_killed_process_wrote_is_stored_under_its_label(store: LocalStore, tmp_path: Path) -> None:
    id_ = kill_writer(tmp_path, "make")
    (blob,) = store.blobs()
    assert blob.label.name == "cut off, ctxkit was killed: make"
    assert (blob.label.session, blob.size) == ("s", 8)
    assert store.find(id_) == blob.ref
    assert store.open(blob.ref).lines.total == 2
    assert os.listdir(tmp_path / "cache" / "taking") == []


def test_a_collection_sees_it_too(store: LocalStore, tmp_path: Path) -> None:
    kill_writer(tmp_path, "make")
    store.collect(0, 0)
    assert os.listdir(tmp_path / "cache" / "taking") == []


def test_what_has_no_label_is_not_stored(store: LocalStore, tmp_path: Path) -> None:
    kill_writer(tmp_path, "")
    assert list(store.blobs()) == []
    assert store.remove_all() == []
    assert os.listdir(tmp_path / "cache" / "taking") == []


@pytest.mark.parametrize("label", [b"", b"{", b"[1]", b'["a","b","c","d","e","f"]'])
def test_a_damaged_label_is_none(store: LocalStore, tmp_path: Path, label: bytes) -> None:
    kill_writer(tmp_path, "make")
    (path,) = (tmp_path / "cache" / "taking").glob("*.label")
    path.write_bytes(label)
    assert list(store.blobs()) == []


def test_an_id_reads_what_comes_and_afterwards_all(store: LocalStore, tmp_path: Path) -> None:
    writer = store.open_writer()
    id_ = writer.name_unfinished(Label("server"))
    writer.write(b"one\n")
    assert store.find(id_) == id_
    assert store.open(id_).read(0, 9) == b"one\n"
    writer.write(b"two\n")
    assert store.open(id_).lines.total == 2
    assert list(store.blobs()) == []
    ref = writer.commit(Label("server"))
    assert store.find(id_) == ref
    assert not store.has_ref(id_)
    assert os.listdir(tmp_path / "cache" / "taking") == []
