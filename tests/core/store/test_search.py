import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.store.search import (
    MAX_PASSAGE,
    Hit,
    PassageMatch,
    PassageStart,
    TextPassage,
    excerpt_line,
    find_best_line,
    group_by_ref,
    parse_terms,
    parse_words,
    separate_characters,
    split_passages,
)


def reader(data):
    return lambda offset, length: data[offset : offset + length]


def all_of(data, most=1 << 30):
    found, at = [], PassageStart()
    while batch := list(split_passages(reader(data), at, most)):
        found += batch
        at = batch[-1][2]
    return found


@given(st.lists(st.text(max_size=4000), max_size=12), st.integers(1, 20_000))
def test_passages_are_the_whole_content_in_order_and_know_their_lines(texts: list[str], most: int) -> None:
    data = "\n".join(texts).encode()
    found = all_of(data, most)
    assert b"".join(data[p.offset : p.offset + p.size] for p, _, _ in found) == data
    assert all(p.size <= MAX_PASSAGE for p, _, _ in found)
    for passage, text, _ in found:
        assert passage.first == data[: passage.offset].count(b"\n") + 1
        last = passage.first + text.removesuffix("\n").count("\n")
        assert passage.last == last
    assert found == all_of(data)


def test_a_passage_ends_with_a_line_where_it_can() -> None:
    data = (b"word " * 15 + b"\n") * 500
    assert all(text.endswith("\n") for _, text, _ in all_of(data))


def test_one_long_line_is_cut_between_words_and_characters() -> None:
    assert all(text[-1] in '",:' for _, text, _ in all_of(b'"key_1":17,' * 3000))
    texts = [text for _, text, _ in all_of("字".encode() * 9000)]
    assert "".join(texts) == "字" * 9000


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("unresolved import", ['"unresolved"', '"import"']),
        ('"exit status" time*', ['"exit status"', '"time"*']),
        ("src/parse.rs:12 AND (x", ['"src/parse.rs:12"', '"AND"', '"(x"']),
        ('say "half open', ['"say"', '"half open"']),
        ("-> ** ''", []),
        ("数据 ok", ['" 数  据 "', '"ok"']),
    ],
)
def test_terms_are_phrases_whatever_they_hold(query: str, terms) -> None:
    assert parse_terms(query) == terms


def test_words_are_told_apart_where_scripts_have_no_spaces() -> None:
    assert separate_characters("a数据") == "a 数  据 "
    assert parse_words("数据 Import import") == ["数", "据", "import"]


def test_the_line_that_holds_most_words_tells_of_a_passage() -> None:
    lines = ["nothing", "an import", "unresolved imports", "unresolved import again"]
    assert find_best_line(lines, ["unresolved", "import"]) == 2
    assert find_best_line(lines, ["absent"]) == 0


def test_an_excerpt_of_a_long_line_is_the_part_around_the_word() -> None:
    line = "x " * 400 + "needle" + " y" * 400
    shown = excerpt_line(line, ["needle"])
    assert (shown[:4], shown[-4:]) == ("... ", " ...")
    assert "needle" in shown
    assert len(shown) < 220
    assert excerpt_line("\x1b[31m  red\x1b[0m", ["red"]) == "red"


def test_hits_are_grouped_by_content_in_the_order_of_lines_and_none_comes_twice() -> None:
    def hit(ref, line):
        return Hit(*PassageMatch(ref, TextPassage(0, 9, 1, 9), 1.0), line, "text")

    assert group_by_ref([hit("b", 9), hit("a", 3), hit("b", 2), hit("b", 9)]) == {
        "b": [hit("b", 2), hit("b", 9)],
        "a": [hit("a", 3)],
    }
