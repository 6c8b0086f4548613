"""Events are read line by line, whatever the file contains."""

import os
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.errors import MissingInputError
from ctxkit.edge import event_reader
from ctxkit.edge.event_reader import MAX_LINE, read_events, split_lines

LINE = b'{"ts": "2026-11-22T21:00:00Z", "event": "gate", "name": "%d"}\n'


def test_broken_lines_have_no_event(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(LINE % 1 + b"{broken\n\n[1]\n" + b"[" * 100_000 + b"\n\xff\x00\n" + LINE % 2 + b'{"event": "ga')
    events = [event for _, event in read_events(str(path))]
    assert [event and event.name for event in events] == ["1", None, None, None, None, "2", None]


@given(st.binary(max_size=300), st.integers(1, 50))
def test_lines_are_the_same_however_they_arrive(data: bytes, size: int) -> None:
    pieces = (data[at : at + size] for at in range(0, len(data), size))
    assert list(split_lines(pieces)) == [line for line in data.split(b"\n") if line.strip()]


def test_a_line_without_end_takes_bounded_memory() -> None:
    pieces = [b"x" * MAX_LINE] * 5 + [b"\nend\n"]
    assert [len(line) for line in split_lines(iter(pieces))] == [MAX_LINE, 3]


def test_a_file_that_grows_or_is_replaced_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_reader, "INTERVAL", 0.01)
    path = tmp_path / "log"
    path.write_bytes(LINE % 1)

    def write() -> None:
        time.sleep(0.1)
        with path.open("ab") as file:
            file.write(LINE % 2)
        time.sleep(0.2)
        (tmp_path / "new").write_bytes(LINE % 3)
        os.replace(tmp_path / "new", path)

    writer = threading.Thread(target=write)
    writer.start()
    events = read_events(str(path), follow=True)
    assert [event.name for _, event in (next(events) for _ in range(3)) if event] == ["1", "2", "3"]
    writer.join()
    events.close()  # type: ignore[attr-defined]


def test_an_absent_file_is_an_error(tmp_path: Path) -> None:
    for follow in (True, False):
        with pytest.raises(MissingInputError):
            list(read_events(str(tmp_path / "none"), follow=follow))
