from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.hosts.kept_tokens import KeptTokens, format_map_line, format_read_line, sum_lines


def test_a_map_keeps_out_what_the_host_would_have_shown() -> None:
    assert format_map_line(200_000, 2_000, 7_500) == "map 5500\n"
    assert format_map_line(3_000, 2_000, 7_500) == "map 1000\n"


def test_what_is_read_back_counts_against_it() -> None:
    lines = [format_map_line(200_000, 2_000, 7_500), format_read_line(41), format_read_line(0)]
    assert sum_lines(lines) == KeptTokens(5_489, 2)


def test_torn_and_foreign_lines_do_not_count() -> None:
    assert sum_lines(["map 5\n", "map x\n", "map --5\n", "other 7\n", "\n", "map 9"]) == KeptTokens(5, 0)


@given(st.lists(st.tuples(*[st.integers(0, 10**9)] * 3)))
def test_sums_are_those_of_the_maps(maps: list[tuple[int, int, int]]) -> None:
    lines = [format_map_line(*numbers) for numbers in maps]
    assert sum_lines(lines).tokens == sum(min(original, limit) - entered for original, entered, limit in maps)
