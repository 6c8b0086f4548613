from ctxkit.core.exit import Exit


def test_the_statuses_are_the_documented_ones() -> None:
    assert {status.value for status in Exit} == {0, 1, 2, 65, 66, 69, 70, 74, 75, 78, 130}


def test_only_no_answers_one() -> None:
    assert [status for status in Exit if status == 1] == [Exit.NO]
