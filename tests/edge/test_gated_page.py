"""Pages of stored content hold as much as fits."""

from pathlib import Path

import pytest

from ctxkit.core.errors import Exit
from ctxkit.core.text.limits import WorkerDiedError
from ctxkit.core.text.quantity import PositionRange
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.edge.gated_page import PageCounter, make_read_command, reserve_page, select_part, write_page
from ctxkit.edge.request import CliRequest
from ctxkit.edge.stored_content import open_content

ROWS = b"".join(b"line %d\n" % number for number in range(1, 101))
SMALL, LARGE = Budget(100, 0), Budget(10_000, 0)


def run_here(work, size):
    return work()


def die(work, size):
    raise WorkerDiedError("killed")


def make_counter(isolate=run_here, strict=False):
    return PageCounter(find_vocabulary("bytes/3"), lambda text: len(text.encode()) // 3, isolate, strict)


@pytest.fixture
def content(tmp_path: Path):
    path = tmp_path / "rows.txt"
    path.write_bytes(ROWS)
    return open_content(None, str(path))


def select(content, lines=None, octets=None):
    return select_part(content, "rows.txt", lines, octets, make_read_command(content, "rows.txt", CliRequest(window=100)))


class FakeReservation:
    """A session in which the room for a first page is taken meanwhile."""

    def __init__(self):
        self.calls = []

    def reserve(self, tokens, limit):
        self.calls.append("reserve")
        return False

    def reserve_target(self, limit):
        self.calls.append("reserve_target")
        return 0

    def release(self):
        self.calls.append("release")


@pytest.mark.parametrize(
    ("lines", "octets", "expected"),
    [
        (None, None, ROWS),
        (PositionRange(2, 3), None, b"line 2\nline 3\n"),
        (None, PositionRange(1, 6), b"line 1"),
    ],
)
def test_a_part_that_fits_is_the_page(content, lines, octets, expected) -> None:
    assert make_counter().fit_page(select(content, lines, octets), LARGE) == expected
    assert select(content, lines, octets).size == len(expected)


def test_a_part_that_does_not_fit_ends_in_the_command_that_reads_on(content) -> None:
    page = make_counter().fit_page(select(content), SMALL)
    assert page.startswith(b"line 1\nline 2\n")
    assert b"ctxkit cache get rows.txt --lines " in page
    assert page.endswith(b" --gate --window 100]\n")
    assert make_counter().count_bound(page) <= SMALL.briefing_target()


def test_a_page_is_counted_by_its_bytes_if_the_worker_dies(content, capsys: pytest.CaptureFixture[str]) -> None:
    page = make_counter(die).fit_page(select(content), Budget(500, 0))
    assert page.startswith(b"line 1\n")
    assert "the page is counted by its bytes: killed" in capsys.readouterr().err
    with pytest.raises(WorkerDiedError):
        make_counter(die, strict=True).fit_page(select(content), SMALL)


def test_a_worker_that_sends_no_page_counts_as_dead(content) -> None:
    with pytest.raises(WorkerDiedError, match="no page"):
        make_counter(lambda work, size: 7, strict=True).fit_page(select(content), SMALL)


def test_the_room_is_held_first_if_others_took_it_and_given_back_if_nothing_fits(content) -> None:
    reservation = FakeReservation()
    assert reserve_page(select(content), make_counter(), SMALL, reservation) is None
    assert reservation.calls == ["reserve", "reserve_target", "release"]


def test_no_room_is_a_no_and_writes_nothing(content, capsys: pytest.CaptureFixture[str]) -> None:
    budget = Budget(3, 0)
    assert write_page(select(content), make_counter(), budget, None) is Exit.NO
    printed = capsys.readouterr()
    assert (printed.out, "no part of the content fits" in printed.err) == ("", True)
