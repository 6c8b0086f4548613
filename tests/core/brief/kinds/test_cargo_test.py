from ctxkit.core.brief.kinds import cargo_test as kind

LOG = """\
   Compiling box v0.1.0 (/work)
     Running unittests src/lib.rs (target/debug/deps/box-1234)

running 2 tests
test tests::fine ... ok
test tests::keeps ... FAILED

failures:

---- tests::keeps stdout ----

thread 'tests::keeps' (77) panicked at src/lib.rs:10:9:
assertion `left == right` failed: kept
  left: 1
 right: 2
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace


failures:
    tests::keeps

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `--lib`
     Running tests/other.rs (target/debug/deps/other-1234)

running 1 test
test fine ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

"""


def test_what_a_log_says(trial) -> None:
    text = trial(kind).map(LOG)
    assert "- 22: test result: FAILED. 1 passed; 1 failed;" in text
    assert "- 30: test result: ok. 1 passed;" in text
    assert "Lines 10-18: src/lib.rs: tests::keeps\n" in text
    assert "  - 13: assertion `left == right` failed: kept\n" in text
    assert "panicked at src/lib.rs:10:9:" in text
    assert "- 24: error: test failed, to rerun pass `--lib`\n" in text


def test_a_run_that_stops_names_what_failed_so_far(trial) -> None:
    text = trial(kind).map("running 2 tests\ntest a::fine ... ok\ntest a::keeps ... FAILED\n")
    assert "- no closing summary line in this log\n" in text
    assert "- 3: " in text
    assert "a::keeps" in text


def test_what_does_not_compile_is_quoted(trial) -> None:
    text = trial(kind).map(LOG + 'error: could not compile `box` (test "late") due to 1 previous error\n')
    assert "error: could not compile `box`" in text
