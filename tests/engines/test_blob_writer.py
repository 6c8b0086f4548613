import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.store.label import Label
from ctxkit.core.text.lines import LineIndex
from ctxkit.engines.blob_files import BlobFiles
from ctxkit.engines.blob_writer import FileBlobWriter
from ctxkit.engines.local_store import LocalStore


class Registered:
    """Remember what was registered."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, int, int, Label]] = []

    def __call__(self, ref: str, marks: LineIndex, label: Label) -> None:
        self.rows.append((ref, marks.size, marks.total, label))


def taking(root: Path) -> list[str]:
    return sorted(os.listdir(root / "taking"))


@given(st.lists(st.binary(max_size=50), max_size=6))
def test_what_is_committed_is_stored_under_its_sha256(tmp_path_factory: pytest.TempPathFactory, chunks: list[bytes]) -> None:
    root, register, data = tmp_path_factory.mktemp("shelf"), Registered(), b"".join(chunks)
    intake = FileBlobWriter(BlobFiles(str(root)), register)
    for chunk in chunks:
        intake.write(chunk)
    ref = intake.commit(Label("name", "tool", "call"))
    assert ref == hashlib.sha256(data).hexdigest()
    assert Path(BlobFiles(str(root)).path(ref)).read_bytes() == data
    rows = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    assert register.rows == [(ref, len(data), rows, Label("name", "tool", "call"))]
    assert taking(root) == []


@given(st.lists(st.binary(max_size=50), max_size=6))
def test_what_was_taken_can_be_given_back_and_forgotten(tmp_path_factory: pytest.TempPathFactory, chunks: list[bytes]) -> None:
    root, register = tmp_path_factory.mktemp("shelf"), Registered()
    intake = FileBlobWriter(BlobFiles(str(root)), register)
    for chunk in chunks:
        intake.write(chunk)
    assert intake.size == len(b"".join(chunks))
    assert b"".join(intake.replay()) == b"".join(chunks)
    intake.abandon()
    intake.abandon()
    assert taking(root) == []
    assert register.rows == []


def test_until_it_is_committed_nothing_is_stored(tmp_path: Path) -> None:
    intake = FileBlobWriter(BlobFiles(str(tmp_path)), Registered())
    intake.write(b"x" * 100)
    assert list(BlobFiles(str(tmp_path)).list_refs()) == []
    assert len(taking(tmp_path)) == 1
    intake.abandon()


def test_a_commit_that_fails_leaves_what_was_taken_to_be_given_back(tmp_path: Path) -> None:
    intake = FileBlobWriter(BlobFiles(str(tmp_path)), Registered())
    intake.write(b"some content")
    (tmp_path / "blobs").write_text("in the way")
    with pytest.raises(OSError, match="blobs"):
        intake.commit(Label())
    assert b"".join(intake.replay()) == b"some content"
    intake.abandon()
    assert taking(tmp_path) == []


def test_a_disk_that_is_full_raises_and_what_was_safe_can_be_given_back(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    signal = pytest.importorskip("signal")
    intake = FileBlobWriter(BlobFiles(str(tmp_path)), Registered())
    intake.write(b"first")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            intake.write(b"second and third")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert intake.size == 5
    assert b"".join(intake.replay()) == b"first"
    intake.abandon()


def test_two_intakes_of_the_same_content_do_not_meet(tmp_path: Path) -> None:
    register = Registered()
    first, second = (FileBlobWriter(BlobFiles(str(tmp_path)), register) for _ in range(2))
    for intake in (first, second):
        intake.write(b"same")
    assert first.commit(Label("a")) == second.commit(Label("b"))
    assert [row[3].name for row in register.rows] == ["a", "b"]
    assert taking(tmp_path) == []


def test_a_file_in_the_way_of_the_shelf_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    with pytest.raises(OSError):
        FileBlobWriter(BlobFiles(str(tmp_path / "cache")), Registered())


def test_descriptors_are_given_back(tmp_path: Path) -> None:
    def opened() -> int:
        return len(os.listdir("/proc/self/fd"))

    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("no /proc")
    before = opened()
    for _ in range(5):
        intake = FileBlobWriter(BlobFiles(str(tmp_path)), Registered())
        intake.write(b"x")
        intake.abandon()
    assert opened() == before


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
