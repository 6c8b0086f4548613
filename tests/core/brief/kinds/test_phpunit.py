from ctxkit.core.brief.kinds import phpunit as kind

LOG = """\
PHPUnit 9.6.7 by Sebastian Bergmann and contributors.

.FER                                                                4 / 4 (100%)

Time: 00:00.004, Memory: 4.00 MB

There was 1 error:

1) BoxTest::testRaises
InvalidArgumentException: odd: 7

/work/src/Box.php:4
/work/tests/BoxTest.php:9

--

There was 1 failure:

1) BoxTest::testKeeps with data set "a b" (1, 2)
Failed asserting that 1 is identical to 2.

/work/tests/BoxTest.php:5

--

There was 1 risky test:

1) BoxTest::testNothing
This test did not perform any assertions

ERRORS!
Tests: 4, Assertions: 2, Errors: 1, Failures: 1, Risky: 1.
"""


def test_what_a_log_says(trial) -> None:
    text = trial(kind).map(LOG)
    assert "- 32: Tests: 4, Assertions: 2, Errors: 1, Failures: 1, Risky: 1.\n" in text
    assert "Lines 9-14: BoxTest::testRaises\n" in text
    assert 'BoxTest::testKeeps with data set "a b" (1, 2)\n' in text
    assert "20: Failed asserting that 1 is identical to 2.\n" in text
    assert "/work/tests/BoxTest.php:5" in text
    assert "testNothing" not in text.partition("## More lines")[0]


def test_tests_in_prose_are_failures_too(trial) -> None:
    log = "PHPUnit 9.6.7 by X\n\nBox\n \u2714 Is fine\n \u2718 Keeps a\n   \u2502\n   \u2502 Failed asserting that 1 is 2.\n   \u2502\n   \u2502 /w/BoxTest.php:5\n   \u2502\n\nFAILURES!\nTests: 2, Assertions: 2, Failures: 1.\n"
    text = trial(kind).map(log.replace("by X", "by Sebastian Bergmann and contributors."))
    assert ": Keeps a\n" in text
    assert "Failed asserting that 1 is 2.\n" in text
