from ctxkit.core.brief.kinds import nextest as kind

BAR = "\u2500" * 12
LOG = f"""\
    Starting 2 tests across 1 binary
        PASS [   0.003s] (1/2) box tests::fine
        FAIL [   0.004s] (2/2) box tests::keeps
  stderr {BAR}

    thread 'tests::keeps' panicked at src/lib.rs:10:9:
    assertion `left == right` failed
      left: 1
     right: 2

{BAR}
     Summary [   0.010s] 2 tests run: 1 passed, 1 failed, 0 skipped
        FAIL [   0.004s] (2/2) box tests::keeps
error: test run failed
"""


def test_what_a_log_says(trial) -> None:
    text = trial(kind).map(LOG)
    assert "2 tests run: 1 passed, 1 failed, 0 skipped\n" in text
    assert "Lines 3-10: box tests::keeps\n" in text
    assert "  - 7:     assertion `left == right` failed\n" in text
    assert "- 14: error: test run failed\n" in text
