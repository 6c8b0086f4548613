from ctxkit.core.brief.kinds import jest as kind

LOG = """\
PASS test/fine.test.js
FAIL test/box.test.js
  ● Console

    console.error
      Error: only printed

      at Object.error (test/box.test.js:3:11)

  ● box › keeps a b

    expect(received).toEqual(expected) // deep equality

    Expected: "a"
    Received: "b"

      1 | test("keeps", () => {
    > 2 |   expect(f("a")).toEqual("a");
        |                  ^

      at Object.toEqual (test/box.test.js:2:18)
      at run (node_modules/jest-circus/build/utils.js:231:10)

FAIL test/broken.test.js
  ● Test suite failed to run

    Cannot find module './nothing' from 'test/broken.test.js'

Summary of all failing tests
FAIL test/box.test.js
  ● box › keeps a b

    expect(received).toEqual(expected) // deep equality

Test Suites: 2 failed, 1 passed, 3 total
Tests:       1 failed, 4 passed, 5 total
Snapshots:   0 total
Time:        0.5 s
Ran all test suites.
"""


def test_what_a_log_says(trial) -> None:
    text = trial(kind).map(LOG)
    assert "- 36: Tests:       1 failed, 4 passed, 5 total\n" in text
    assert "Lines 10-23: test/box.test.js: box › keeps a b (2x: also at 31)\n" in text
    assert '  - 14:     Expected: "a"\n' in text
    assert "at Object.toEqual (test/box.test.js:2:18)" in text
    assert "test/broken.test.js: Test suite failed to run\n" in text
    assert "Cannot find module './nothing'" in text


def test_what_is_only_printed_is_no_failure(trial) -> None:
    assert "Lines 3-" not in trial(kind).map(LOG)


def test_colours_line_ends_and_bars_change_nothing(trial) -> None:
    log = LOG.replace("FAIL test", "\x1b[0m\x1b[7m\x1b[1m\x1b[31m FAIL \x1b[39m\x1b[22m\x1b[27m\x1b[0m test")
    log = log.replace("  ● box", "working 10%\rworking 99%\r\x1b[1m\x1b[31m  ● box").replace("\n", "\r\n")
    assert "Lines 10-23: test/box.test.js: box › keeps a b (2x: also at 31)\n" in trial(kind).map(log)


def test_a_log_cut_below_says_so(trial) -> None:
    text = trial(kind).map(LOG[: LOG.index("Summary")])
    assert "- no closing summary line in this log\n" in text


def test_no_tests_found_is_quoted(trial) -> None:
    text = trial(kind).map("FAIL a.test.js\nNo tests found, exiting with code 1\nRun with `--passWithNoTests`\n")
    assert "No tests found, exiting with code 1" in text
