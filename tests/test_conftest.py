import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import conftest
from tests.conftest import Run, is_usable_ram_disk, pytest_runtest_call, spread_cases


def test_a_directory_that_does_not_exist_is_no_ram_disk(tmp_path: Path) -> None:
    assert not is_usable_ram_disk(str(tmp_path / "none"))


def test_cases_are_spread_from_the_first_on() -> None:
    assert spread_cases(10, 1) == {0}
    assert spread_cases(10, 3) == {0, 3, 6}
    assert spread_cases(3, 3) == spread_cases(3, 7) == {0, 1, 2}


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("number", range(4))
def test_all_cases_but_the_quick_ones_are_slow(request: pytest.FixtureRequest, number: int) -> None:
    assert [mark.name for mark in request.node.iter_markers("slow")] == ([] if number in (0, 2) else ["slow"])


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("number", range(25))
def test_two_of_three_slow_cases_of_a_large_table_are_thorough(request: pytest.FixtureRequest, number: int) -> None:
    marks = {mark.name for mark in request.node.iter_markers()} & {"slow", "thorough"}
    assert marks == (set() if number == 0 else {"slow"} if number % 3 == 1 else {"slow", "thorough"})


def work(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def call_with_limit(item: pytest.Item, monkeypatch: pytest.MonkeyPatch, limit: float, during: Callable[[], None]) -> None:
    """Let the wrapper of a call see ``during`` as the test; of the test that asks, it has a limit again at once."""
    with monkeypatch.context() as patch:
        patch.setattr(conftest, "SLOW_AFTER", limit)
        call = pytest_runtest_call(item)
        next(call)
        during()
        next(call, None)


def test_a_test_that_takes_long_and_does_not_say_so_fails(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"takes 0\.\d s of processor time: mark it slow"):
        call_with_limit(request.node, monkeypatch, 0.05, lambda: work(0.1))


def test_to_wait_is_not_to_work(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    call_with_limit(request.node, monkeypatch, 0.05, lambda: time.sleep(0.1))


def test_what_is_marked_slow_may_take_long(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    request.node.add_marker("slow")
    call_with_limit(request.node, monkeypatch, 0.0, lambda: work(0.01))


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="the processor time of forks is read from /proc")
def test_the_time_of_forks_counts(request: pytest.FixtureRequest, run: Run) -> None:
    before = conftest.read_processor_time(request.node)
    for _ in range(9):  # the clock ticks in hundredths of a second
        assert run("count", "--tokenizer", "o200k", stdin="a few words\n" * 1000).status == 0
    assert conftest.read_processor_time(request.node) - before > 0.01
