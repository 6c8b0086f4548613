from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.generic.packing import TRIES, pack_lines


def pack(sizes, room, least=0):
    order = [(number, "x" * size) for number, size in enumerate(sizes, 1)]

    def fits(lines):
        return sum(len(text) for _, text in lines) <= room

    result = pack_lines(least, order, list, fits)
    return result if result is None else [number for number, _ in result]


def test_a_short_line_takes_what_a_long_one_leaves() -> None:
    assert pack([3, 3, 9, 2, 5, 1], 10) == [1, 2, 4, 6]


def test_only_some_lines_are_tried() -> None:
    assert pack([5, *[9] * TRIES, 9, 1], 6) == [1]
    assert pack([5, *[9] * TRIES, 1], 6) == [1, TRIES + 2]


def test_nothing_is_made_of_fewer_lines_than_the_least() -> None:
    assert pack([9, 1], 5, least=1) is None
    assert pack([9, 1], 5) == [2]
    assert pack([], 5) == []


@given(st.lists(st.integers(0, 12), max_size=30), st.integers(0, 60))
def test_the_lines_fit_and_begin_with_the_first(sizes: list[int], room: int) -> None:
    numbers = pack(sizes, room)
    assert sum(sizes[number - 1] for number in numbers) <= room
    assert numbers == sorted(set(numbers))
    first = next((at for at in range(len(sizes)) if sum(sizes[: at + 1]) > room), len(sizes))
    assert numbers[:first] == list(range(1, first + 1))
