import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.runs.failures import FailedTest
from ctxkit.core.brief.runs.folded_names import (
    MAX_SPAN,
    are_errors_last,
    choose_failures,
    find_function,
    fold_failures,
    fold_names,
    is_packing_shorter,
    make_packed_entries,
)


def make_failures(*names, group=""):
    return [FailedTest(f"{group}::{name}" if group else name, at, at, group, name) for at, name in enumerate(names, 1)]


def get_labels(entries):
    return [(entry.label, entry.start, entry.end, [child.label for child in entry.children]) for entry in entries]


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("test_a[1-b]", "test_a"),
        ("TestA.test_b[x[0] - y]", "TestA.test_b"),
        ("test_a (i=1)", "test_a"),
        ("TestRead/empty/deep", "TestRead"),
        ("reads_it::case_2_late", "reads_it"),
        ("src/a.test.js", "src/a.test.js"),
        ("keeps (a) and b", "keeps (a) and b"),
        ("test_a", "test_a"),
    ],
)
def test_a_function_is_named_without_its_parameters(name: str, function: str) -> None:
    assert find_function(FailedTest(name, 1, 1)) == ("", function)


def test_a_node_id_begins_with_its_group() -> None:
    assert find_function(FailedTest("FAILED t/a.py::TestA::test_b[1]", 1, 1)) == ("FAILED t/a.py", "TestA::test_b")


def test_a_function_of_several_tests_has_their_number_and_ids() -> None:
    failures = make_failures("test_a[1]", "test_a[2]", "test_a[3]", "test_b[x]", group="t.py")
    assert get_labels(fold_failures(failures, 9)) == [("t.py: test_a (3: [1] [2] [3]), test_b[x]", 1, 4, [])]
    assert get_labels(fold_failures(failures, 1)) == [("t.py: test_a (3: [1] ...), test_b[x]", 1, 4, [])]
    assert get_labels(fold_failures(failures, 0)) == [("t.py: test_a (3), test_b[x]", 1, 4, [])]


def test_an_id_may_repeat_the_function() -> None:
    failures = make_failures("test_a[test_a]", "test_a[x]")
    assert get_labels(fold_failures(failures, 9)) == [("test_a (2: [test_a] [x])", 1, 2, [])]


def test_a_class_of_several_functions_is_a_group_of_its_own() -> None:
    failures = make_failures("Box.test_a", "Box.test_b", "Cup.test_c", group="t.py")
    assert [entry.label for entry in fold_failures(failures, 0)] == ["t.py.Box: test_a, test_b", "t.py: Cup.test_c"]


def test_groups_come_before_their_functions() -> None:
    failures = make_failures("test_a", "test_b", "test_c", group="t.py")
    (entry,) = fold_failures(failures, 0, groups_first=True)
    assert (entry.label, entry.rank) == ("t.py", 1)
    assert [(child.label, child.rank, child.hidden_count) for child in entry.children] == [("test_a, test_b, test_c", 2, 3)]


def test_blocks_of_new_functions_are_read_first_and_those_of_many_errors_last() -> None:
    failures = make_failures("test_a[1]", "test_a[2]", "test_b", "test_c")
    read, compared = choose_failures(failures, 3)
    assert [failure.name for failure in read] == ["test_a[1]", "test_b", "test_c"]
    assert [failure.name for failure in compared] == ["test_a[2]"]
    for failure in failures[:3]:
        failure.is_error = True
    assert are_errors_last(failures)
    assert [failure.name for failure in choose_failures(failures, 2)[0]] == ["test_a[1]", "test_c"]
    assert choose_failures(failures, 4) == (failures, [])


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
