from ctxkit.core.exit import STATUSES, Exit


def test_the_statuses_are_the_documented_ones() -> None:
    assert set(STATUSES) == {0, 1, 2, 65, 66, 69, 70, 74, 75, 78, 130}


def test_each_name_has_its_number() -> None:
    assert (Exit.DONE, Exit.NO, Exit.USAGE, Exit.MALFORMED, Exit.MISSING, Exit.ABSENT) == (0, 1, 2, 65, 66, 69)
    assert (Exit.BUG, Exit.IO, Exit.LOCKED, Exit.CONFIG, Exit.INTERRUPTED) == (70, 74, 75, 78, 130)


def test_a_status_is_found_by_its_number() -> None:
    assert STATUSES[1] is Exit.NO
    assert isinstance(Exit.NO, Exit)
