import pytest

from ctxkit.core.brief.runs.failures import FailedTest
from ctxkit.core.brief.runs.folded_names import are_errors_last, choose_failures, find_function, fold_failures


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
