import hashlib
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.errors import AmbiguousRefError, DamagedContentError, NotStoredError
from ctxkit.core.store.label import shorten_ref
from ctxkit.core.text.lines import BLOCK, LineIndex
from ctxkit.engines.blob_files import BlobFiles

DATA = b"".join(b"line %d\n" % number for number in range(30_000))
REF = hashlib.sha256(DATA).hexdigest()
TWIN = REF[:16] + "0" * 48
"""The ref of content that has the short ref of other content."""


def kept(root: Path, data: bytes, ref: str = "") -> BlobFiles:
    shelf, ref = BlobFiles(str(root)), ref or hashlib.sha256(data).hexdigest()
    (root / "taken").write_bytes(data)
    marks = LineIndex()
    marks.update(data)
    with shelf.open_subfolder() as folder:
        shelf.store_file(folder, "taken", ref, marks)
    return shelf


def test_what_is_kept_is_one_plain_file(tmp_path: Path) -> None:
    shelf = kept(tmp_path, DATA)
    path = tmp_path / "blobs" / REF[:2] / REF
    assert Path(shelf.path(REF)) == path
    assert path.read_bytes() == DATA
    assert [name for name, _ in shelf.list_refs()] == [REF]
    assert not (tmp_path / "taken").exists()


def test_keeping_again_counts_as_read_and_mends_what_was_damaged(tmp_path: Path) -> None:
    shelf = kept(tmp_path, DATA)
    Path(shelf.path(REF)).write_bytes(b"damaged")
    os.utime(shelf.path(REF), (1000, 1000))
    kept(tmp_path, DATA)
    assert os.stat(shelf.path(REF)).st_atime > 1000
    assert Path(shelf.path(REF)).read_bytes() == DATA
    assert not (tmp_path / "taken").exists()


def test_opening_gives_bytes_and_lines_and_notes_the_reading(tmp_path: Path) -> None:
    shelf = kept(tmp_path, DATA)
    os.utime(shelf.path(REF), (1000, 1000))
    held = shelf.open(REF)
    assert held.read(0, 7) == b"line 0\n"
    assert held.lines.total == 30_000
    assert held.lines.texts(30_000) == ["line 29999"]
    assert os.stat(shelf.path(REF)).st_atime > 1000
    assert os.stat(shelf.path(REF)).st_mtime == 1000


def test_reading_keeps_the_time_of_the_last_change_to_the_nanosecond(tmp_path: Path) -> None:
    shelf = kept(tmp_path, DATA)
    before = os.stat(shelf.path(REF)).st_mtime_ns
    shelf.open(REF)
    assert os.stat(shelf.path(REF)).st_mtime_ns == before


def change_byte(path: str) -> None:
    """Change a byte in the middle of a file, and keep its size and times."""
    state, data = os.stat(path), bytearray(Path(path).read_bytes())
    data[len(data) // 2] ^= 1
    Path(path).write_bytes(data)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


@pytest.mark.parametrize("data", [b"", b"a small text\n", DATA])
@pytest.mark.parametrize("wrong", [b"", b"other bytes", DATA + b"x"])
def test_wrong_bytes_are_an_error_and_are_set_aside(tmp_path: Path, data: bytes, wrong: bytes) -> None:
    if data == wrong:
        pytest.skip("the same bytes")
    shelf, ref = kept(tmp_path, data), hashlib.sha256(data).hexdigest()
    Path(shelf.path(ref)).write_bytes(wrong)
    with pytest.raises(DamagedContentError, match=f"what is stored as {ref[:16]} in {tmp_path} is not what was stored"):
        shelf.open(ref)
    assert (tmp_path / "damaged" / ref).read_bytes() == wrong
    assert shelf.read_state(ref) is None
    assert not (tmp_path / "marks" / ref[:2] / ref).exists()
    assert kept(tmp_path, data).open(ref).read(0, len(DATA)) == data


def test_a_change_that_keeps_size_and_time_is_an_error_at_the_end_of_a_whole_reading(tmp_path: Path) -> None:
    shelf = kept(tmp_path, DATA)
    change_byte(shelf.path(REF))
    stored = shelf.open(REF)
    assert stored.read(0, BLOCK) == DATA[:BLOCK]
    with pytest.raises(DamagedContentError):
        stored.read(BLOCK, len(DATA))
    assert (tmp_path / "damaged" / REF).exists()


def test_what_was_set_aside_is_removed_with_the_leftovers(tmp_path: Path) -> None:
    shelf = kept(tmp_path, b"a")
    ref = hashlib.sha256(b"a").hexdigest()
    Path(shelf.path(ref)).write_bytes(b"b")
    with pytest.raises(DamagedContentError):
        shelf.open(ref)
    shelf.remove_leftovers(lambda _process, _state: True, 1000)
    assert (tmp_path / "damaged" / ref).exists()
    shelf.remove_leftovers(lambda _process, _state: True, 0)
    assert not (tmp_path / "damaged" / ref).exists()


def test_what_was_removed_is_not_held_and_can_be_removed_again(tmp_path: Path) -> None:
    shelf = kept(tmp_path, DATA)
    shelf.remove(REF)
    shelf.remove(REF)
    assert list(shelf.list_refs()) == []
    assert not Path(shelf.root, "marks", REF[:2], REF).exists()
    with pytest.raises(NotStoredError):
        shelf.open(REF)


def test_an_empty_or_absent_shelf_holds_nothing(tmp_path: Path) -> None:
    shelf = BlobFiles(str(tmp_path / "none"))
    assert list(shelf.list_refs()) == []
    assert shelf.read_state(REF) is None
    assert not shelf.remove(REF)
    with pytest.raises(NotStoredError):
        shelf.find("3f9a2c")


@pytest.mark.parametrize("folder", ["plain", "with space", "$HOME", "a*b"])
def test_the_pattern_of_a_ref_is_read_by_a_shell(tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).mkdir()
    shelf = kept(tmp_path / folder, DATA)
    answer = subprocess.run(["sh", "-c", f"sed -n 2,3p {shelf.make_glob(REF)}"], capture_output=True, check=True)
    assert answer.stdout == b"line 1\nline 2\n"


def test_a_root_that_shells_read_differently_is_in_no_pattern(tmp_path: Path) -> None:
    assert BlobFiles(str(tmp_path / "it's")).make_glob(REF) == ""


@pytest.mark.parametrize("folder", ["cache", "my cache"])
def test_a_shelf_in_the_home_directory_is_shown_shorter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / folder).mkdir()
    shelf = kept(tmp_path / folder, DATA)
    assert shelf.make_glob(REF).startswith("~/")
    answer = subprocess.run(["sh", "-c", f"sed -n 2p {shelf.make_glob(REF)}"], capture_output=True, check=True)
    assert answer.stdout == b"line 1\n"


@given(st.binary(max_size=200), st.integers(0, 250), st.integers(0, 250))
def test_any_bytes_can_be_read_from_any_offset(tmp_path_factory: pytest.TempPathFactory, data: bytes, offset: int, length: int) -> None:
    shelf = kept(tmp_path_factory.mktemp("shelf"), data)
    assert shelf.open(hashlib.sha256(data).hexdigest()).read(offset, length) == data[offset : offset + length]


def test_content_with_the_short_ref_of_earlier_content_is_named_in_full(tmp_path: Path) -> None:
    shelf = kept(tmp_path, DATA)
    kept(tmp_path, b"later", TWIN)
    assert shelf.find(REF[:16]) == REF
    assert shorten_ref(shelf.find(REF[:16])) == REF[:16]
    assert shorten_ref(shelf.find(TWIN)) == TWIN
    with pytest.raises(AmbiguousRefError, match=f"matches 2 refs: .*{TWIN}"):
        shelf.find(REF[:12])
    assert {shorten_ref(ref) for ref, _ in shelf.list_refs()} == {REF[:16], TWIN}
    answer = subprocess.run(["sh", "-c", f"cat {shelf.make_glob(REF)}"], capture_output=True, check=True)
    assert answer.stdout == DATA
    assert Path(shelf.make_glob(shelf.find(TWIN))).read_bytes() == b"later"


def test_a_short_ref_never_comes_to_mean_later_content(tmp_path: Path) -> None:
    shelf = kept(tmp_path, DATA)
    kept(tmp_path, b"later", TWIN)
    shelf.remove(REF)
    with pytest.raises(NotStoredError):
        shelf.find(REF[:16])
    kept(tmp_path, b"later", TWIN)  # stored again, it stays what it is
    with pytest.raises(NotStoredError):
        shelf.find(REF[:16])
    assert shelf.remove(TWIN)
    assert list(shelf.list_refs()) == []


def test_a_ref_is_found_by_its_prefix(tmp_path: Path) -> None:
    shelf = kept(tmp_path, DATA)
    assert shelf.find(REF[:6]) == shelf.find(REF[:12]) == shelf.find(REF) == REF
    for absent in ("3f9a2d", "ffffff", REF + "0"):
        with pytest.raises(NotStoredError, match=f"nothing is stored under {absent}"):
            shelf.find(absent)


def test_a_prefix_of_several_refs_is_refused_with_all_of_them(tmp_path: Path) -> None:
    other = REF[:8] + "f" * 56
    shelf = kept(tmp_path, DATA)
    kept(tmp_path, b"b", other)
    with pytest.raises(AmbiguousRefError, match=f"{REF[:8]} matches 2 refs: {', '.join(sorted((REF, other)))}"):
        shelf.find(REF[:8])
    assert shelf.find(other[:9]) == other


@pytest.mark.parametrize("harm", ["lost", "empty", "short", "odd", "long", "of another time", "of ctxkit 0.1.0", "zeros", "large"])
def test_a_lost_or_wrong_index_of_lines_is_made_anew(tmp_path: Path, harm: str) -> None:
    shelf = kept(tmp_path, DATA)
    index = Path(shelf.root, "marks", REF[:2], REF)
    good = index.read_bytes()
    harmed = {
        "empty": b"",
        "short": good[:-8],
        "odd": good[:-3],
        "long": good + bytes(8),
        "of another time": good[:-8] + bytes(8),
        "of ctxkit 0.1.0": good[:-16],
        "zeros": bytes(len(good)),
        "large": b"\xff" * len(good),
    }
    if harm == "lost":
        index.unlink()
    else:
        index.write_bytes(harmed[harm])
    held = shelf.open(REF)
    assert held.lines.total == 30_000
    assert held.lines.texts(20_001, 20_002) == ["line 20000", "line 20001"]
    assert index.read_bytes() == good


def test_small_content_needs_no_index(tmp_path: Path) -> None:
    shelf = kept(tmp_path, b"x" * BLOCK)
    assert not (tmp_path / "marks").exists()
    assert shelf.open(shelf.find(hashlib.sha256(b"x" * BLOCK).hexdigest())).lines.total == 1


def test_an_index_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "marks").write_text("in the way")
    shelf = kept(tmp_path, DATA)
    assert shelf.open(REF).lines.texts(30_000) == ["line 29999"]
