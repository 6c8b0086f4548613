from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.runs.name_packing import MAX_SPAN, fold_names, is_packing_shorter, make_packed_entries


def test_what_names_begin_with_is_said_once() -> None:
    assert fold_names(["TestRead/Simple", "TestRead/Quotes", "TestWrite"]) == "TestRead/{Simple, Quotes}, TestWrite"


def test_brackets_are_closed_behind_the_braces() -> None:
    assert fold_names(["test_a[1-2]", "test_a[3-4]"]) == "test_a[{1-2, 3-4}]"
    assert fold_names(["test_a (i=1)", "test_a (i=2)"]) == "test_a ({i=1, i=2})"


def test_words_are_not_cut_and_short_beginnings_stay() -> None:
    assert fold_names(["parses", "parser"]) == "parses, parser"
    assert fold_names(["a/x", "a/y"]) == "a/x, a/y"


def test_what_stands_between_names_is_in_none_of_them() -> None:
    assert fold_names(["f(a, b)", "g"]) == "f(a, b); g"
    assert fold_names(["f(a, b)", "g; h"]) == "f(a, b) | g; h"


def test_names_with_braces_are_not_folded() -> None:
    assert fold_names(["case of {1}", "case of {2}"]) == "case of {1}, case of {2}"


def test_a_line_of_names_spans_no_more_than_a_reader_fetches() -> None:
    made = make_packed_entries([(1, 60, "a"), (61, 120, "b"), (121, 130, "c"), (200, 500, "d")])
    assert [(entry.start, entry.end, entry.label) for entry in made] == [
        (1, 120, "a, b"),
        (121, 130, "c"),
        (200, 319, "d"),
    ]


def test_ranges_pay_where_several_names_share_one() -> None:
    short = [(at, at, str(at)) for at in range(1, 10)]
    assert is_packing_shorter(short)
    assert not is_packing_shorter([(at * 200, at * 200 + 150, str(at)) for at in range(1, 10)])


@given(st.lists(st.tuples(st.integers(1, 300), st.text("ab_/[1]", min_size=1, max_size=9)), max_size=30))
def test_every_row_is_in_one_range(rows) -> None:
    placed, at = [], 1
    for size, name in rows:
        placed.append((at, at + size - 1, name))
        at += size
    made = make_packed_entries(placed)
    assert all(entry.end - entry.start < MAX_SPAN for entry in made)
    for start, _, _ in placed:
        assert sum(entry.start <= start <= entry.end for entry in made) == 1


@given(st.lists(st.text("ab_/ ", min_size=1, max_size=12), min_size=1, max_size=8))
def test_braces_can_be_read_back(names: list[str]) -> None:
    read, text = [], fold_names(names)
    while text:
        part, _, text = text.partition(", ") if "{" not in text.partition(", ")[0] else _group(text)
        if "{" in part:
            before, _, inside = part.removesuffix("}").partition("{")
            read += [before + one for one in inside.split(", ")]
        else:
            read.append(part)
    assert read == names


def _group(text):
    end = text.index("}") + 1
    return text[:end], "", text[end:].removeprefix(", ")


def test_a_bracket_that_closes_inside_the_names_stays_whole() -> None:
    names = ["SUBFAILED(i=1) a.py::test", "SUBFAILED(i=2) a.py::test"]
    assert fold_names(names) == "SUBFAILED{(i=1) a.py::test, (i=2) a.py::test}"
