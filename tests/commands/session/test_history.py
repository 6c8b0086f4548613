"""The history is written as it was added: all of it, or a part."""

import json
from pathlib import Path

import pytest

from tests.conftest import Run

LINES = [b'{"role":"user","content":"message %d"}\n' % number for number in range(1, 6)]


@pytest.fixture
def begun(run: Run):
    """A session with five messages."""
    run("session", "new", "s", "--window", "8000", "--tokenizer", "bytes/3")
    for lines in (LINES[:2], LINES[2:]):
        assert run("session", "append", "s", stdin=b"".join(lines)).status == 0


@pytest.mark.quick_cases(3)
@pytest.mark.usefixtures("begun")
@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ((), 1, 5),
        (("--last", "2"), 4, 5),
        (("--last", "9"), 1, 5),
        (("--lines", "2:3"), 2, 3),
        (("--lines", "4:"), 4, 5),
        (("--lines", "-1:"), 5, 5),
        (("--since", "1h"), 1, 5),
        (("--since", "2020-01-01"), 1, 5),
        (("--since", "2020-01-01T10:00+02:00"), 1, 5),
        (("--since", "2100-01-01"), 6, 5),
    ],
)
def test_a_part_is_written(run: Run, asked, first: int, last: int) -> None:
    done = run("session", "history", "s", *asked)
    assert (done.status, done.out, done.err) == (0, b"".join(LINES[first - 1 : last]), "")


@pytest.mark.usefixtures("begun")
def test_since_goes_by_when_lines_were_added(run: Run, home: dict[str, str]) -> None:
    times = Path(home["XDG_DATA_HOME"]) / "ctxkit" / "histories" / "s.times"
    first, second = times.read_text().splitlines()
    times.write_text("1000000000.5 " + first.partition(" ")[2] + "\n" + second + "\n")
    assert run("session", "history", "s", "--since", "1h").out == b"".join(LINES[2:])
    assert run("session", "history", "s", "--since", "2001-09-09T01:46:40+00:00").out == b"".join(LINES)
    times.write_text(second + "\n")
    done = run("session", "history", "s", "--since", "2001-01-01")
    assert (done.out, done.err.count("warning: the time of the lines up to 2 is not known")) == (b"".join(LINES[2:]), 1)


@pytest.mark.usefixtures("begun")
def test_as_objects_lines_have_their_numbers_and_times(run: Run) -> None:
    rows = [json.loads(row) for row in run("session", "history", "s", "--lines", "2:3", "--json").out.splitlines()]
    assert [(row["line"], row["entry"]["content"]) for row in rows] == [(2, "message 2"), (3, "message 3")]
    assert 0 < rows[1]["added"] - rows[0]["added"] < 60
    assert set(rows[0]) == {"line", "added", "entry"}


def test_a_session_without_messages_has_an_empty_history(run: Run) -> None:
    run("session", "new", "s", "--window", "8000")
    done = run("session", "history", "s")
    assert (done.status, done.out, done.err) == (0, b"", "")


def test_a_session_that_is_not_there_is_a_no(run: Run) -> None:
    done = run("session", "history", "s")
    assert (done.status, done.err.splitlines()[0]) == (1, "ctxkit: no session s")


@pytest.mark.quick_cases(3)
@pytest.mark.usefixtures("begun")
@pytest.mark.parametrize(
    ("asked", "status"),
    [(("--lines", "6:"), 1), (("--last", "0"), 2), (("--since", "noon"), 2), (("--last", "1", "--lines", "1"), 2)],
)
def test_what_cannot_be_is_said(run: Run, asked, status: int) -> None:
    done = run("session", "history", "s", *asked)
    assert (done.status, done.out) == (status, b"")


@pytest.mark.usefixtures("begun")
def test_it_outlives_the_ledger_and_goes_with_the_session(run: Run, home: dict[str, str]) -> None:
    data = Path(home["XDG_DATA_HOME"]) / "ctxkit"
    for path in data.glob("ctxkit.db*"):
        path.unlink()
    assert run("session", "history", "s").out == b"".join(LINES)
    assert run("session", "status", "s").status == 1
    assert run("session", "rm", "s").status == 0
    assert list((data / "histories").iterdir()) == []
    assert run("session", "history", "s").status == 1
    assert run("session", "rm", "s").status == 1
