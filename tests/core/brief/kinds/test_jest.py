from ctxkit.core.brief.kinds import jest as kind
from ctxkit.core.brief.runs.failures import FailureReader
from ctxkit.core.brief.runs.runner_log import parse_test_log
from ctxkit.core.text.lines import lines_from_bytes

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


TWO_BUGS = """\
FAIL ./one.test.js
  \u25cf suite › median of 3

    expect(received).toBe(expected) // Object.is equality

    Expected: 42
    Received: 20

    > 8 | test('median of 3', () => expect(median([20, 42])).toBe(42));
        |                                                    ^

      at Object.toBe (one.test.js:8:66)

  \u25cf suite › slug 4

    expect(received).toBe(expected) // Object.is equality

    Expected: "one-two-4"
    Received: "one-two 4"

    > 9 | test('slug 4', () => expect(slug('One Two 4')).toBe('one-two-4'));
        |                                                ^

      at Object.toBe (one.test.js:9:84)

  console.warn
    slugging 5

      at Object.warn (two.test.js:4:29)

FAIL ./two.test.js
  \u25cf suite › slug 5

    expect(received).toBe(expected) // Object.is equality

    Expected: "one-two-5"
    Received: "one-two 5"

      at Object.toBe (two.test.js:4:84)

Test Suites: 2 failed, 2 total
Tests:       3 failed, 3 total
"""


def test_failures_are_alike_only_if_what_they_expect_is_and_end_before_what_is_printed(trial) -> None:
    text = trial(kind).map(TWO_BUGS)
    assert "Lines 14-25: ./one.test.js: suite › slug 4\n" in text
    log = lines_from_bytes(TWO_BUGS.encode())
    failures = parse_test_log(log, kind.RUNNER.rows).failures
    reader = FailureReader(log, kind.RUNNER.reading)
    for failure in failures:
        reader.read(failure)
    assert [failure.similar_line for failure in failures] == [0, 0, 16]
    assert text.index('Expected: "one-two-4"') < text.index("slug('One Two 4')")
