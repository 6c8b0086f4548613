"""Items are shared among processes; the answers come in the order of the items, and a death costs only its share."""

import os
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.errors import MalformedInputError
from ctxkit.engines.worker_shares import answer_items, deal_shares

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
SIZES = st.dictionaries(st.integers(0, 500), st.integers(0, 1 << 20), max_size=40)


@given(sizes=SIZES, processes=st.integers(1, 9))
def test_each_item_is_in_one_share(sizes: dict[int, int], processes: int) -> None:
    shares = deal_shares(sizes, processes)
    assert sorted(index for share in shares for index in share) == sorted(sizes)
    assert all(share == sorted(share) for share in shares)
    assert len(shares) == min(processes, len(sizes))


@given(sizes=SIZES, processes=st.integers(1, 9))
def test_no_share_is_larger_than_the_others_by_more_than_one_item(sizes: dict[int, int], processes: int) -> None:
    loads = [sum(sizes[index] + 1 for index in share) for share in deal_shares(sizes, processes)]
    assert max(loads, default=0) - min(loads, default=0) <= max(sizes.values(), default=0) + 1


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("processes", [1, 2, 5, 64])
def test_answers_come_in_the_order_of_the_items(processes: int) -> None:
    sizes = {index: index * 7919 % 13 for index in range(3, 15)}
    answers = list(answer_items(lambda index: (index, os.getpid()), sizes, processes))
    assert [(index, index) for index in sizes] == [(index, value[0]) for index, value in answers]
    used = {value[1] for _, value in answers}
    assert os.getpid() not in used
    assert len(used) == min(processes, len(sizes))


@pytest.mark.slow
def test_answers_larger_than_a_pipe_are_read() -> None:
    answers = answer_items(lambda index: bytes([index]) * 300_000, dict.fromkeys(range(12), 1), 3)
    assert [(index, len(value), value[0]) for index, value in answers] == [(index, 300_000, index) for index in range(12)]


def test_an_error_stands_in_its_place() -> None:
    def answer(index: int) -> int:
        if index == 3:
            raise MalformedInputError("no count", hint="another file")
        return index

    answers = dict(answer_items(answer, dict.fromkeys(range(6), 1), 2))
    error = answers.pop(3)
    assert isinstance(error, MalformedInputError)
    assert (str(error), error.hint) == ("no count", "another file")
    assert answers == {0: 0, 1: 1, 2: 2, 4: 4, 5: 5}


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("end", [lambda: os.kill(os.getpid(), signal.SIGKILL), lambda: os._exit(0), lambda: 1 / 0])
def test_a_process_that_dies_leaves_its_other_items_out(end) -> None:
    shares = deal_shares(dict.fromkeys(range(8), 1), 2)
    death = shares[1][1]
    answers = dict(answer_items(lambda index: end() if index == death else index, dict.fromkeys(range(8), 1), 2))
    assert sorted(answers) == sorted((*shares[0], shares[1][0]))


def test_processes_end_with_the_iterator() -> None:
    answers = answer_items(lambda _: os.getpid(), dict.fromkeys(range(4), 1), 2)
    _, process = next(answers)
    answers.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
