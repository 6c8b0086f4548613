"""Histories: lines of many processes never mix, a crash costs one line at most, and nothing is ever rewritten."""

import fcntl
import multiprocessing
import os
import signal
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxkit.core.errors import InputOutputError, LockedError
from ctxkit.core.session.history import Addition, AppendResult, HistoryExtent
from ctxkit.engines import history
from ctxkit.engines import history as keeping
from ctxkit.engines.history import (
    Histories,
    append_addition,
    list_additions,
    open_locked,
    read_last_addition,
    write_or_truncate,
)
from ctxkit.system.file_locks import lock_file
from ctxkit.system.own_files import LinkError, StoreFolder, open_folder

PROCESSES, CALLS = 12, 25


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def histories(tmp_path: Path, said) -> Histories:
    return Histories(str(tmp_path / "data"), said.append)


def text(histories: Histories, name: str = "s") -> bytes:
    return Path(histories.path(name)).read_bytes()


def test_asking_makes_nothing(histories, tmp_path: Path) -> None:
    assert histories.extent("s") is None
    assert histories.open("s") is None
    assert histories.additions("s") == []
    assert not histories.remove("s")
    assert list(tmp_path.iterdir()) == []


def test_lines_are_added_and_numbered(histories) -> None:
    assert histories.append("s", [b"one", b"two"]) == AppendResult(1, HistoryExtent(2, 8))
    assert histories.append("s", [b"three"]) == AppendResult(3, HistoryExtent(3, 14))
    assert text(histories) == b"one\ntwo\nthree\n"
    assert histories.extent("s") == HistoryExtent(3, 14)
    lines = histories.open("s")
    assert b"".join(lines.raw(2, 3)) == b"two\nthree\n"
    assert (lines.total, lines.size) == (3, 14)
    assert histories.extent("t") is None


def test_what_comes_later_is_not_in_what_was_opened(histories) -> None:
    histories.append("s", [b"one"])
    lines = histories.open("s")
    histories.append("s", [b"two"])
    assert b"".join(lines.raw(1, 99)) == b"one\n"


def test_it_is_noted_when_lines_were_added(histories, monkeypatch: pytest.MonkeyPatch) -> None:
    for at in (5.0, 7.25):
        monkeypatch.setattr(keeping, "time", lambda at=at: at)
        histories.append("s", [b"line", b"line"])
    assert histories.additions("s") == [(5.0, 1, 2, 0, 10), (7.25, 3, 2, 10, 10)]


def test_the_last_addition_needs_none_of_those_before_it(histories) -> None:
    assert histories.find_last_addition("s") is None
    for _ in range(50):
        histories.append("s", [b"line"])
    assert histories.find_last_addition("s") == histories.additions("s")[-1]
    with Path(histories.path("s")).with_suffix(".times").open("r+b") as file:
        file.write(b"\0" * 100)
    assert histories.find_last_addition("s").first == 50


def test_only_the_owner_can_read_it(histories, tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        histories.append("s", [b"one"])
    finally:
        os.umask(old)
    folder = tmp_path / "data" / "histories"
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {
        "s.jsonl": 0o600,
        "s.times": 0o600,
    }
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("rest", [b'{"cut', b'{"whole but for its newline":1}'])
def test_a_line_that_a_crash_cut_short_is_closed_and_told_of(histories, rest: bytes) -> None:
    histories.append("s", [b"one"])
    with open(histories.path("s"), "ab") as file:
        file.write(rest)
    assert histories.extent("s") == HistoryExtent(2, 4 + len(rest))
    assert histories.append("s", [b"three"]) == AppendResult(3, HistoryExtent(3, 4 + len(rest) + 7), torn_line=2)
    assert text(histories) == b"one\n" + rest + b"\nthree\n"
    assert histories.append("s", [b"four"]).torn_line == 0


def test_lines_are_counted_anew_where_the_times_are_lost_or_wrong(histories) -> None:
    histories.append("s", [b"one", b"two"])
    times = Path(histories.path("s")).with_suffix(".times")
    for content in (b"", b"torn 1", b"5.0 7 1 0 900\n", b"5.0 7 1 0 2\n", b"5.0 1 2 0 8\n5.0 3 1 8"):
        times.write_bytes(content)
        assert histories.extent("s") == HistoryExtent(2, 8), content
    assert histories.append("s", [b"three"]).first == 3
    assert [row.first for row in histories.additions("s")] == [1, 3]


def test_what_cannot_be_written_leaves_nothing_behind(histories, monkeypatch: pytest.MonkeyPatch) -> None:
    histories.append("s", [b"one"])
    write = os.write

    def half(file: int, data: memoryview) -> int:
        if len(data) < 6:
            raise OSError(28, "No space left on device")
        return write(file, data[: len(data) // 2])

    monkeypatch.setattr(os, "write", half)
    with pytest.raises(InputOutputError, match="No space left"):
        histories.append("s", [b"a longer line", b"another"])
    assert text(histories) == b"one\n"


def test_a_place_that_cannot_be_written_to_is_a_failure(tmp_path: Path, said) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "histories").write_text("in the way")
    with pytest.raises((InputOutputError, OSError)):
        Histories(str(tmp_path / "data"), said.append).append("s", [b"one"])


def test_when_that_cannot_be_noted_it_is_a_warning(histories, said) -> None:
    histories.append("s", [b"one"])
    times = Path(histories.path("s")).with_suffix(".times")
    times.unlink()
    times.mkdir()
    assert histories.append("s", [b"two"]).first == 2
    assert len(said) == 1
    assert "not recorded" in said[0]


def test_whoever_holds_it_is_waited_for_and_then_told_of(histories, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "WAIT", 0.05)
    histories.append("s", [b"one"])
    with open(histories.path("s"), "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(LockedError, match=r"s\.jsonl is locked"):
            histories.append("s", [b"two"])
    assert histories.append("s", [b"two"]).first == 2


def test_removing_takes_both_files(histories, tmp_path: Path) -> None:
    histories.append("s", [b"one"])
    histories.append("s.times", [b"other"])
    assert histories.remove("s")
    assert sorted(path.name for path in (tmp_path / "data" / "histories").iterdir()) == ["s.times.jsonl", "s.times.times"]
    assert histories.append("s", [b"anew"]) == AppendResult(1, HistoryExtent(1, 5))


def add(directory: str, process: int, calls: int) -> None:
    histories = Histories(directory, print)
    for call in range(calls):
        line = b'{"p":%d,"c":%d,"x":"%s"}' % (process, call, b"x" * (37 * process + 400 * (call % 5)))
        histories.append("s", [line, line])


@pytest.mark.slow
def test_lines_of_many_processes_never_mix_and_none_is_lost(histories, tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=add, args=(str(tmp_path / "data"), number, CALLS)) for number in range(PROCESSES)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert {worker.exitcode for worker in workers} == {0}
    lines = text(histories).split(b"\n")[:-1]
    assert len(lines) == 2 * PROCESSES * CALLS == histories.extent("s").lines
    assert lines[::2] == lines[1::2]
    for number in range(PROCESSES):
        own = [line for line in lines[::2] if line.startswith(b'{"p":%d,' % number)]
        assert [line.split(b'"c":')[1].split(b",")[0] for line in own] == [b"%d" % call for call in range(CALLS)]
    firsts = [row.first for row in histories.additions("s")]
    assert firsts == list(range(1, 2 * PROCESSES * CALLS, 2))


@pytest.mark.slow
def test_processes_that_are_killed_cost_their_last_line_at_most(histories, tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=add, args=(str(tmp_path / "data"), number, 10_000)) for number in range(4)]
    for worker in workers:
        worker.start()
    until = time.monotonic() + 20
    while (histories.extent("s") or HistoryExtent()).lines < 40 and time.monotonic() < until:
        time.sleep(0.01)
    for worker in workers:
        os.kill(worker.pid, signal.SIGKILL)
        worker.join(20)
    lines = text(histories).split(b"\n")[:-1]
    whole = [line for line in lines if line.startswith(b'{"p":') and line.endswith(b'"}')]
    assert len(whole) >= 40
    assert len(lines) - len(whole) <= len(workers)
    before = text(histories)
    assert histories.append("s", [b"{}"]).first == histories.extent("s").lines
    assert text(histories).startswith(before)


def remove(directory: str, times: int) -> None:
    for _ in range(times):
        Histories(directory, print).remove("s")
        time.sleep(0.003)


@pytest.mark.slow
def test_what_is_added_while_it_is_removed_is_whole(histories, tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    directory = str(tmp_path / "data")
    workers = [context.Process(target=add, args=(directory, number, 30)) for number in range(3)]
    workers.append(context.Process(target=remove, args=(directory, 20)))
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert {worker.exitcode for worker in workers} == {0}
    found = histories.append("s", [b"last"])
    lines = text(histories).split(b"\n")[:-1]
    assert found.extent.lines == len(lines) == found.first
    assert all(line.startswith(b'{"p":') and line.endswith(b'"}') for line in lines[:-1])


def test_a_removal_whose_body_fails_takes_the_history_back(histories, tmp_path: Path) -> None:
    histories.append("s", [b"one"])

    def fail() -> None:
        assert not Path(histories.path("s")).exists()
        raise ValueError

    removal = histories.removal("s")
    with pytest.raises(ValueError), removal:
        fail()
    assert text(histories) == b"one\n"
    assert len(histories.additions("s")) == 1
    with histories.removal("t") as there:
        assert not there
    with histories.removal("s"):
        pass
    assert list((tmp_path / "data" / "histories").iterdir()) == []


def _die_removing(root: str, session: str, after: str) -> None:
    histories = Histories(root, print, lambda _: session)
    if after == "note":
        move = StoreFolder.move
        setattr(StoreFolder, "move", lambda *way: os._exit(0) if way[-1] == "s.removed" else move(*way))  # noqa: B010
    with histories.removal("s"):
        if after == "rename":
            os._exit(0)
        Path(histories.path("s")).with_suffix(".removed").unlink()
        os._exit(0)


@pytest.mark.parametrize(
    ("after", "now", "stays"),
    [
        ("note", "1.5", True),
        ("note", "", True),
        ("rename", "1.5", True),  # the session is still there
        ("rename", "", False),
        ("rename", "2.5", False),  # a later session of that name
        ("unlink", "", False),
    ],
)
def test_a_removal_whose_process_died_is_finished_or_taken_back(histories, tmp_path: Path, said, after: str, now: str, stays: bool) -> None:
    histories.append("s", [b"old"])
    dying = multiprocessing.get_context("fork").Process(target=_die_removing, args=(str(tmp_path / "data"), "1.5", after))
    dying.start()
    dying.join()
    histories = Histories(str(tmp_path / "data"), said.append, lambda _: now)
    assert len(histories.additions("s")) == stays
    assert (histories.extent("s") is not None) == stays
    histories.append("s", [b"new"])
    assert text(histories) == (b"old\n" if stays else b"") + b"new\n"
    names = sorted(os.listdir(tmp_path / "data" / "histories"))
    assert names == ["s.jsonl", "s.times"]
    assert said == []


def test_what_is_added_during_a_removal_waits_for_it(histories, tmp_path: Path) -> None:
    histories.append("s", [b"old"])
    begin = multiprocessing.get_context("fork").Event()
    adding = multiprocessing.get_context("fork").Process(target=_append, args=(str(tmp_path / "data"), begin))
    adding.start()  # before the lock is taken: it would be inherited
    with histories.removal("s"):
        begin.set()
        time.sleep(0.2)
        assert not Path(histories.path("s")).exists()
    adding.join()
    assert adding.exitcode == 0
    assert text(histories) == b"new\n"


def _append(root: str, begin) -> None:
    begin.wait()
    Histories(root, print).append("s", [b"new"])


def test_lines_are_read_after_an_extent(histories) -> None:
    first = histories.append("s", [b"one", b"two"]).extent
    end = histories.append("s", [b"three", b"four"]).extent
    assert [line for line in histories.read_after("s", first, end) if line] == [b"three", b"four"]
    assert [line for line in histories.read_after("s", HistoryExtent(), first) if line] == [b"one", b"two"]


def test_lines_after_an_extent_that_no_longer_fits_the_file_are_told_by_their_number(histories) -> None:
    histories.append("s", [b"one", b"two", b"three"])
    end = histories.extent("s")
    assert [line for line in histories.read_after("s", HistoryExtent(2, 6), end) if line] == [b"three"]


def test_a_history_is_moved_whole_or_not_at_all(histories) -> None:
    taken: list[bytes] = []
    histories.move("s", taken.append)
    histories.append("s", [b"one", b"two"])
    with pytest.raises(ZeroDivisionError):
        histories.move("s", lambda _: 1 / 0)
    assert histories.names() == ["s"]
    histories.move("s", taken.append)
    assert taken == [b"one\ntwo\n"]
    assert histories.extent("s") is None
    assert histories.names() == []


CREATE = os.O_RDWR | os.O_CREAT


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[StoreFolder]:
    with open_folder(str(tmp_path)) as opened:
        yield opened


def test_the_file_is_locked_and_only_for_its_owner(folder: StoreFolder, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a")
    path.chmod(0o644)
    with open_locked(folder, "file", CREATE):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with path.open() as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with path.open() as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_lock_that_another_holds_is_an_error_in_the_end(folder: StoreFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "WAIT", 0.02)
    locked = pytest.raises(LockedError, match="locked by another process")
    with open_locked(folder, "file", CREATE), locked, open_locked(folder, "file", CREATE):
        raise AssertionError


def test_a_link_is_not_opened_and_its_target_stays_as_it_is(folder: StoreFolder, tmp_path: Path) -> None:
    (tmp_path / "theirs").write_bytes(b"theirs")
    (tmp_path / "theirs").chmod(0o644)
    (tmp_path / "file").symlink_to(tmp_path / "theirs")
    with pytest.raises(LinkError, match="is not followed"), open_locked(folder, "file", CREATE):
        raise AssertionError
    assert stat.S_IMODE((tmp_path / "theirs").stat().st_mode) == 0o644


def test_a_file_that_was_replaced_during_the_wait_is_opened_again(folder: StoreFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    wait = lock_file
    waits = []

    def replace_once(file, seconds):
        waits.append(file)
        if len(waits) == 1:
            (tmp_path / "new").write_bytes(b"new")
            os.replace(tmp_path / "new", path)
        return wait(file, seconds)

    monkeypatch.setattr(history, "lock_file", replace_once)
    with open_locked(folder, "file", CREATE) as file:
        assert os.read(file, 9) == b"new"


def test_what_cannot_be_written_whole_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"kept")
    file = os.open(path, os.O_RDWR | os.O_APPEND)
    write, sizes = os.write, iter((3, None))

    def write_a_part(descriptor, data):
        size = next(sizes)
        if size is None:
            raise OSError(28, "No space left on device")
        return write(descriptor, data[:size])

    monkeypatch.setattr(os, "write", write_a_part)
    with pytest.raises(OSError, match="No space"):
        write_or_truncate(file, b" more", 4)
    monkeypatch.undo()
    assert path.read_bytes() == b"kept"
    write_or_truncate(file, b" more", 4)
    assert path.read_bytes() == b"kept more"
    os.close(file)


FIRST, SECOND = Addition(5.0, 1, 2, 0, 10), Addition(7.25, 3, 1, 10, 5)
NAME = "times"


def test_additions_come_back_in_order(folder: StoreFolder, tmp_path: Path) -> None:
    assert (list_additions(folder, NAME), read_last_addition(folder, NAME)) == ([], None)
    for addition in (FIRST, SECOND):
        append_addition(folder, NAME, addition)
    assert list_additions(folder, NAME) == [FIRST, SECOND]
    assert read_last_addition(folder, NAME) == SECOND
    assert (tmp_path / "times").stat().st_mode & 0o777 == 0o600


def test_half_a_row_is_no_addition_and_the_next_begins_a_line(folder: StoreFolder, tmp_path: Path) -> None:
    path = tmp_path / "times"
    append_addition(folder, NAME, FIRST)
    with path.open("a") as file:
        file.write("6.0 3")
    assert read_last_addition(folder, NAME) == FIRST
    append_addition(folder, NAME, SECOND)
    assert list_additions(folder, NAME) == [FIRST, SECOND]


def test_the_last_of_many_is_found_at_the_end(folder: StoreFolder, tmp_path: Path) -> None:
    path = tmp_path / "times"
    path.write_bytes(b"\xff" * 5000 + b"\n5.000000 1 2 0 10\n")
    assert read_last_addition(folder, NAME) == FIRST
