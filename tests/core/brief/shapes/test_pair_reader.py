import pytest

from ctxkit.core.brief.shapes.pair_reader import PairReader, find_separator, read_pair


@pytest.mark.parametrize(
    ("line", "separator", "pair"),
    [
        ("a.b = 1", "=", ("a.b", "1")),
        ("a b:  two words", ":", ("a b", "two words")),
        ("ARG_MAX   99", " ", ("ARG_MAX", "99")),
        ("MQ_MAX   ", " ", ("MQ_MAX", "")),
        ("a: 1", "=", None),
        ("no sign", "=", None),
    ],
)
def test_a_line_is_a_pair(line: str, separator: str, pair) -> None:
    assert read_pair(line, separator) == pair


def test_the_separator_is_what_most_lines_have() -> None:
    assert find_separator([f"k{at} = x" for at in range(9)] + ["else"], 0.9) == "="
    assert find_separator([f"k{at} = x" for at in range(5)] + ["else", "more"], 0.9) == ""
    assert find_separator(["k = x"] * 9, 0.9) == ""


def test_other_lines_are_counted_and_indented_ones_continue() -> None:
    reader = PairReader("=")
    reader.add_lines(enumerate(["a = 1", "  more", "odd", "# note", "[part]", "", "b = 2"], 1))
    assert [pair.line for pair in reader.pairs] == [1, 7]
    assert (reader.others, reader.other_count) == ([(3, "odd")], 1)
