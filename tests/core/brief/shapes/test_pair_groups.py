from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.shapes.pair_groups import find_key_mark, group_pairs, order_pairs
from ctxkit.core.brief.shapes.pair_reader import Pair, PairReader


def make_pairs(keys):
    return [Pair(key, "x", line) for line, key in enumerate(keys, 1)]


def test_keys_have_a_mark() -> None:
    assert find_key_mark(make_pairs(["a.b", "c.d_e"])) == "."
    assert find_key_mark(make_pairs(["a_b", "c"])) == ""


def test_a_long_group_is_split_by_the_next_part() -> None:
    pairs = make_pairs([f"net.{part}.k{at}" for part in ("ip", "tcp") for at in range(70)])
    assert [(group.prefix, group.start, group.end) for group in group_pairs(pairs, ".")] == [("net.ip", 1, 70), ("net.tcp", 71, 140)]


def test_small_neighbours_are_joined() -> None:
    groups = group_pairs(make_pairs(["a.x", "b.x", "b.y", "c.x"]), ".")
    assert [group.prefix for group in groups] == ["a, b, c"]


@given(st.lists(st.from_regex(r"[ab](\.[cd]){0,3}", fullmatch=True), max_size=60), st.integers(2, 20))
def test_every_pair_is_in_one_group(keys, width: int) -> None:
    pairs = make_pairs(keys)
    assert [pair for group in group_pairs(pairs, ".", width) for pair in group.pairs] == pairs


def test_values_that_say_nothing_come_last() -> None:
    reader = PairReader("=")
    reader.add_lines(enumerate(["a.b.c = 0", "a.name = vm", "a.d.c = 0", "a.e = 7"], 1))
    assert [pair.key for pair in order_pairs(reader, ".")] == ["a.name", "a.e", "a.b.c", "a.d.c"]
