import os
import threading
from pathlib import Path

import pytest

from ctxkit.core.errors import AmbiguousRefError, MissingInputError, NotStoredError
from ctxkit.core.store.label import Label
from ctxkit.edge.stored_content import find_ref, open_content, open_file_content
from ctxkit.engines.local_store import LocalStore


@pytest.fixture
def store(tmp_path: Path):
    return LocalStore(str(tmp_path / "cache"), str(tmp_path / "data"), lambda message: None)


def put(store, data):
    intake = store.open_writer()
    intake.write(data)
    return intake.commit(Label())


def whole(found):
    return found.read(0, found.lines.size)


def test_a_ref_or_its_prefix_in_any_letter_case_means_what_is_stored(store) -> None:
    ref = put(store, b"one\ntwo\n")
    for name in (ref, ref[:12], ref[:6], ref[:12].upper()):
        found = open_content(store, name)
        assert (found.ref, whole(found), found.lines.total) == (ref, b"one\ntwo\n", 2)


def test_a_path_means_the_file_where_no_ref_is_meant(store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "log.txt").write_bytes(b"one\ntwo")
    monkeypatch.chdir(tmp_path)
    found = open_content(store, "log.txt")
    assert (found.ref, found.path, whole(found), found.lines.total) == ("", "log.txt", b"one\ntwo", 2)


def test_a_file_named_like_a_ref_is_found_unless_the_ref_is_stored(store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = put(store, b"stored")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "abcdef0123").write_bytes(b"file")
    (tmp_path / ref[:12]).write_bytes(b"file")
    assert whole(open_content(store, "abcdef0123")) == b"file"
    assert whole(open_content(store, ref[:12])) == b"stored"
    assert whole(open_content(store, f"./{ref[:12]}")) == b"file"


@pytest.mark.parametrize("name", ["abcdef0123", "nothing.txt", "", "../../etc/shadow-of-nothing"])
def test_what_is_neither_is_an_honest_no(store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotStoredError):
        open_content(store, name)


def test_a_ref_never_leaves_the_directory(store, tmp_path: Path) -> None:
    put(store, b"x")
    (tmp_path / "cache" / "secret").write_text("secret")
    for name in ("../secret", "../../secret", "..", "......", "secret", "ab/../cd", "%2e%2e%2f", "*", "abcdef*"):
        with pytest.raises(NotStoredError):
            find_ref(store, name)


def test_a_ref_is_found_by_its_prefix_or_refused(store) -> None:
    ref = put(store, b"x")
    assert find_ref(store, ref[:7]) == ref
    with pytest.raises(NotStoredError, match="is not a ref"):
        find_ref(store, ref[:5])


def test_an_ambiguous_prefix_asks_for_more_digits(store, tmp_path: Path) -> None:
    ref = put(store, b"x")
    (tmp_path / "cache" / "blobs" / ref[:2] / (ref[:8] + "0" * 56)).write_bytes(b"y")
    with pytest.raises(AmbiguousRefError, match="matches 2 refs"):
        open_content(store, ref[:8])


def test_a_path_is_shown_so_that_a_shell_reads_it_and_no_option_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, shown in (("my log", "'my log'"), ("-n", "./-n"), ("plain.txt", "plain.txt")):
        (tmp_path / name).write_bytes(b"x")
        assert open_file_content(name).path == shown


def test_a_directory_or_nothing_is_missing_input(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(MissingInputError):
            open_file_content(str(path))


def test_a_pipe_can_be_read_at_any_offset_too(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(b"one\ntwo\nthree"))
    writer.start()
    found = open_file_content(str(tmp_path / "pipe"))
    writer.join()
    assert found.lines.texts() == ["one", "two", "three"]
    assert found.read(4, 3) == b"two"


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert open_file_content(str(tmp_path / "empty")).lines.total == 0
