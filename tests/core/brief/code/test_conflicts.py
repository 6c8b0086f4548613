from ctxkit.core.brief.code.conflicts import MergeConflict, find_conflicts


def test_a_conflict_has_its_marks_and_sides() -> None:
    text = ["a", "<<<<<<< HEAD", "one", "||||||| base", "zero", "=======", "two", "three", ">>>>>>> topic", "b"]
    assert list(find_conflicts(text)) == [MergeConflict(2, 4, 9, "HEAD", "topic")]


def test_marks_out_of_order_are_none() -> None:
    assert list(find_conflicts(["=======", ">>>>>>> x", "<<<<<<< y", ">>>>>>> z", "Title", "======="])) == []


def test_what_a_map_says_of_it() -> None:
    (one,) = find_conflicts(["<<<<<<< HEAD", "one", "=======", ">>>>>>> topic"])
    assert (one.make_entry().label, one.make_entry().start, one.make_entry().end) == ("conflict, HEAD (1 line) against topic (0 lines)", 1, 4)
