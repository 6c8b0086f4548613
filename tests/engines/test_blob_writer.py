import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.store.label import Label
from ctxkit.core.text.lines import LineIndex
from ctxkit.engines.blob_files import BlobFiles
from ctxkit.engines.blob_writer import FileBlobWriter


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
