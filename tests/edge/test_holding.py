import os
import threading

import pytest

from ctxkit.core.label import Label
from ctxkit.core.trouble import MissingInput, Misuse, NotHeld
from ctxkit.edge.holding import held, on_disk, ref_of
from ctxkit.engines.local import LocalStore


@pytest.fixture
def store(tmp_path):
    return LocalStore(str(tmp_path / "cache"), str(tmp_path / "data"), lambda message: None)


def put(store, data):
    intake = store.intake()
    intake.write(data)
    return intake.commit(Label())


def whole(found):
    return found.read(0, found.lines.size)


def test_a_ref_or_its_prefix_in_any_letter_case_means_what_is_stored(store):
    ref = put(store, b"one\ntwo\n")
    for name in (ref, ref[:12], ref[:6], ref[:12].upper()):
        found = held(store, name)
        assert (found.ref, whole(found), found.lines.total) == (ref, b"one\ntwo\n", 2)


def test_a_path_means_the_file_where_no_ref_is_meant(store, tmp_path, monkeypatch):
    (tmp_path / "log.txt").write_bytes(b"one\ntwo")
    monkeypatch.chdir(tmp_path)
    found = held(store, "log.txt")
    assert (found.ref, found.path, whole(found), found.lines.total) == ("", "log.txt", b"one\ntwo", 2)


def test_a_file_named_like_a_ref_is_found_unless_the_ref_is_stored(store, tmp_path, monkeypatch):
    ref = put(store, b"stored")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "abcdef0123").write_bytes(b"file")
    (tmp_path / ref[:12]).write_bytes(b"file")
    assert whole(held(store, "abcdef0123")) == b"file"
    assert whole(held(store, ref[:12])) == b"stored"
    assert whole(held(store, f"./{ref[:12]}")) == b"file"


@pytest.mark.parametrize("name", ["abcdef0123", "nothing.txt", "", "../../etc/shadow-of-nothing"])
def test_what_is_neither_is_an_honest_no(store, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotHeld):
        held(store, name)


def test_a_ref_never_leaves_the_directory(store, tmp_path):
    put(store, b"x")
    (tmp_path / "cache" / "secret").write_text("secret")
    for name in ("../secret", "../../secret", "..", "......", "secret", "ab/../cd", "%2e%2e%2f", "*", "abcdef*"):
        with pytest.raises(NotHeld):
            ref_of(store, name)


def test_a_ref_is_found_by_its_prefix_or_refused(store):
    ref = put(store, b"x")
    assert ref_of(store, ref[:7]) == ref
    with pytest.raises(NotHeld, match="is not a ref"):
        ref_of(store, ref[:5])


def test_an_ambiguous_prefix_asks_for_more_digits(store, tmp_path):
    ref = put(store, b"x")
    (tmp_path / "cache" / "blobs" / ref[:2] / (ref[:8] + "0" * 56)).write_bytes(b"y")
    with pytest.raises(Misuse, match="means 2 refs"):
        held(store, ref[:8])


def test_a_path_is_shown_so_that_a_shell_reads_it_and_no_option_is_meant(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, shown in (("my log", "'my log'"), ("-n", "./-n"), ("plain.txt", "plain.txt")):
        (tmp_path / name).write_bytes(b"x")
        assert on_disk(name).path == shown


def test_a_directory_or_nothing_is_missing_input(tmp_path):
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(MissingInput):
            on_disk(str(path))


def test_a_pipe_can_be_read_at_any_offset_too(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(b"one\ntwo\nthree"))
    writer.start()
    found = on_disk(str(tmp_path / "pipe"))
    writer.join()
    assert found.lines.texts() == ["one", "two", "three"]
    assert found.read(4, 3) == b"two"


def test_an_empty_file_has_no_lines(tmp_path):
    (tmp_path / "empty").touch()
    assert on_disk(str(tmp_path / "empty")).lines.total == 0
