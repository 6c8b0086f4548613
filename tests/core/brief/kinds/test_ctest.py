from ctxkit.core.brief.kinds import ctest as kind

LOG = """\
Test project /work/build
    Start 1: box.fine
1/3 Test #1: box.fine .........................   Passed    0.00 sec
    Start 2: box.keeps
2/3 Test #2: box.keeps ........................***Failed    0.01 sec
check 1
error: expected 1 but got 2

    Start 3: box.crash
3/3 Test #3: box.crash ........................***Exception: SegFault  0.01 sec

33% tests passed, 2 tests failed out of 3

Total Test time (real) =   0.02 sec

The following tests FAILED:
\t  2 - box.keeps (Failed)
\t  3 - box.crash (SEGFAULT)
Errors while running CTest
"""


def test_what_a_log_says(trial) -> None:
    text = trial(kind).map(LOG)
    assert "- 12: 33% tests passed, 2 tests failed out of 3\n" in text
    assert "Lines 5-8: box.keeps\n" in text
    assert "  - 7: error: expected 1 but got 2\n" in text
    assert "box.crash" in text
    assert "without a block" not in text


def test_no_tests_is_quoted(trial) -> None:
    assert "No tests were found!!!" in trial(kind).map("Test project /w\nNo tests were found!!!\n")
