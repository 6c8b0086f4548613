from pathlib import Path

from ctxkit.core.brief.kinds import dejagnu as kind

LOG = (Path(__file__).parents[3] / "cases/brief/dejagnu/input").read_text(encoding="utf-8")
AUTOMAKE = """\
PASS: tests/fine.sh
FAIL: tests/sums.sh
FAIL: tests/reads.sh
============================================================================
Testsuite summary for box 1.0
============================================================================
# TOTAL: 3
# PASS:  1
# SKIP:  0
# XFAIL: 0
# FAIL:  2
# XPASS: 0
# ERROR: 0
============================================================================
See ./test-suite.log
"""


def test_unexpected_results_have_their_lines(trial) -> None:
    text = trial(kind).map(LOG)
    assert "- 25: # of unexpected failures\t3\n" in text
    assert "- Lines 12-14: gcc.dg/pr100.c (test for excess errors)\n" in text
    assert "pr100.c:7:3: error: 'x' undeclared" in text
    assert "- Line 17: gcc.dg/run.c compilation failed to produce executable\n" in text


def test_passed_tests_are_not_listed(trial) -> None:
    names = trial(kind).map(LOG).partition("## What else")[0]
    assert "gcc.dg/a.c" not in names


def test_automake_is_read_alike(trial) -> None:
    text = trial(kind).map(AUTOMAKE)
    assert "tests/sums.sh" in text
    assert "- 11: # FAIL:  2\n" in text
