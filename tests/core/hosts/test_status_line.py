import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.hosts.status_line import (
    KeptTokens,
    WindowUsage,
    format_map_line,
    format_read_line,
    format_tokens,
    make_prompt,
    make_status_line,
    read_usage,
    sum_lines,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*WindowUsage._fields, "current_usage", "input_tokens"]), inner),
)
USAGE = {"input_tokens": 5, "cache_creation_input_tokens": 2_000, "cache_read_input_tokens": 43_000, "output_tokens": 9}
WINDOW = {"context_window_size": 200_000, "current_usage": USAGE}
INPUT = {"session_id": "s-1", "model": {"id": "m-4", "display_name": "M 4"}, "context_window": WINDOW}


def test_usage_is_all_input_of_the_last_request() -> None:
    assert read_usage(INPUT) == WindowUsage("M 4", "s-1", 200_000, 45_005)


def test_a_session_without_an_answer_has_used_nothing() -> None:
    assert read_usage({"context_window": {"context_window_size": 200_000, "current_usage": None}}).used == 0
    assert read_usage({}) == WindowUsage("", "", 0, 0)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(["model", "context_window", "session_id"]), VALUES))
def test_any_input_gives_usage_that_is_not_negative(value) -> None:
    usage = read_usage(value)
    assert min(usage.window, usage.used or 0) >= 0
    assert isinstance(make_status_line(usage, 0, None), str)


def test_the_line_has_all_parts_in_order() -> None:
    line = make_status_line(read_usage(INPUT), 152_000, KeptTokens(12_345, 2))
    assert line == "M 4 | 45k of 200k (22%) | ~12k kept out, 2 read back | compact in 106k"


def test_parts_that_nobody_knows_are_absent() -> None:
    assert make_status_line(WindowUsage("", "", 0, 0), 0, None) == ""
    assert make_status_line(WindowUsage("", "", 1_000, 960), 950, KeptTokens(-50, 0)) == "960 of 1k (96%) | ~-50 kept out | compact now"


@pytest.mark.parametrize(
    ("tokens", "text"),
    [(0, "0"), (999, "999"), (1_000, "1k"), (4_999, "4.9k"), (9_999, "9.9k"), (10_000, "10k"), (999_999, "999k"), (1_200_000, "1.2M")],
)
def test_numbers_are_cut_off(tokens: int, text: str) -> None:
    assert format_tokens(tokens) == text


def test_a_prompt_is_marked_if_a_compaction_is_due() -> None:
    assert make_prompt(12_000, 26_214, is_tight=False) == "12k/26k 45%"
    assert make_prompt(26_000, 26_214, is_tight=True) == "26k/26k 99%!"
    assert make_prompt(0, 0, is_tight=True) == "0/0!"


def test_more_tokens_than_the_window_prove_it_wrong() -> None:
    line = make_status_line(WindowUsage("M", "", 200_000, 260_000), 160_000, None)
    assert line == "M | 260k of ?"


def test_right_after_a_compaction_nobody_knows_what_is_in_context() -> None:
    usage = read_usage({"context_window": {"context_window_size": 200_000, "total_input_tokens": 9, "current_usage": None}})
    assert usage.used is None
    assert make_status_line(usage, 160_000, None) == "? of 200k"


@pytest.mark.parametrize(
    ("used", "cheap_from", "advice"),
    [
        (70, None, "compact in 25"),
        (70, 71, "compact in 25"),
        (71, 71, "compact is cheap now: cache cold"),
        (95, 71, "compact now"),
    ],
)
def test_a_compaction_is_cheap_while_the_cache_is_cold(used: int, cheap_from: int | None, advice: str) -> None:
    assert make_status_line(WindowUsage("", "", 100, used), 95, None, cheap_from).endswith(f" | {advice}")


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
