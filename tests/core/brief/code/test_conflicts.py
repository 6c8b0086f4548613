from ctxkit.core.brief.code.conflicts import Conflict, conflicts


def test_a_conflict_has_its_marks_and_sides():
    text = ["a", "<<<<<<< HEAD", "one", "||||||| base", "zero", "=======", "two", "three", ">>>>>>> topic", "b"]
    assert list(conflicts(text)) == [Conflict(2, 4, 9, "HEAD", "topic")]


def test_marks_out_of_order_are_none():
    assert list(conflicts(["=======", ">>>>>>> x", "<<<<<<< y", ">>>>>>> z", "Title", "======="])) == []


def test_what_a_map_says_of_it():
    (one,) = conflicts(["<<<<<<< HEAD", "one", "=======", ">>>>>>> topic"])
    assert (one.entry().label, one.entry().start, one.entry().end) == ("conflict, HEAD (1 line) against topic (0 lines)", 1, 4)
