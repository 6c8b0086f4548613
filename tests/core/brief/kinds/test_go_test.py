import json

from ctxkit.core.brief.kinds import go_test as kind
from tests.core.brief.runs.test_go_output import HEAD, make_rows

PLAIN = """\
--- FAIL: TestBox (0.00s)
    --- FAIL: TestBox/keeps_a (0.00s)
        box_test.go:7: got 1, want 2
            and more of it
    --- FAIL: TestBox/keeps_b (0.00s)
        box_test.go:9: got 3, want 4
FAIL
FAIL\texample.com/box\t0.003s
ok  \texample.com/other\t0.002s
FAIL
"""
VERBOSE = """\
=== RUN   TestFine
--- PASS: TestFine (0.00s)
=== RUN   TestBox
    box_test.go:5: got 1, want 2
--- FAIL: TestBox (0.00s)
=== RUN   TestCrash
--- FAIL: TestCrash (0.00s)
panic: runtime error: index out of range [5] with length 3 [recovered]
\tpanic: runtime error: index out of range [5] with length 3

goroutine 7 [running]:
testing.tRunner.func1.2({0x50, 0x50})
\t/usr/lib/go/src/testing/testing.go:1526 +0x24e
example.com/box.TestCrash(0xc000007a00)
\t/work/box_test.go:11 +0x1d
FAIL\texample.com/box\t0.005s
FAIL
"""


def event(**fields):
    return json.dumps({"Time": "2026-01-01T00:00:00Z", **fields}, separators=(",", ":"))


def test_plain_output(trial) -> None:
    text = trial(kind).map(PLAIN)
    assert "- 8: FAIL\texample.com/box\t0.003s\n" in text
    assert "Lines 2-4: TestBox/keeps_a\n" in text
    assert "  - 3:         box_test.go:7: got 1, want 2\n" in text
    assert "Lines 5-6: TestBox/keeps_b\n" in text


def test_verbose_output_stands_before_its_result(trial) -> None:
    text = trial(kind).map(VERBOSE)
    assert "Lines 3-4: TestBox\n" in text
    assert "  - 4:     box_test.go:5: got 1, want 2\n" in text
    assert "panic: runtime error: index out of range [5] with length 3 [recovered]\n" in text
    assert "-4: TestFine" not in text


def test_events_of_interleaved_packages(trial) -> None:
    rows = [
        event(Action="run", Package="p/a", Test="TestBox"),
        event(Action="output", Package="p/a", Test="TestBox", Output="=== RUN   TestBox\n"),
        event(Action="output", Package="p/b", Test="TestFine", Output="=== RUN   TestFine\n"),
        event(Action="output", Package="p/a", Test="TestBox", Output='    box_test.go:5: got "1"\n'),
        event(Action="pass", Package="p/b", Test="TestFine"),
        event(Action="output", Package="p/a", Test="TestBox", Output="--- FAIL: TestBox (0.00s)\n"),
        event(Action="fail", Package="p/a", Test="TestBox", Elapsed=0),
        event(Action="fail", Package="p/a", Elapsed=0.1),
        event(Action="pass", Package="p/b", Elapsed=0.1),
    ]
    text = trial(kind).map("\n".join(rows) + "\n")
    assert "Line 4: p/a TestBox\n" in text
    assert '    box_test.go:5: got \\"1\\"\n' in text
    assert "- 8: " in text
    assert '"Action":"fail","Package":"p/a"' in text
    assert "p/b TestFine" not in text


def test_a_package_that_does_not_build(trial) -> None:
    text = trial(kind).map(
        "# example.com/box\n./box.go:3:1: undefined: x\nFAIL\texample.com/box [build failed]\nFAIL\n"
    )
    assert "FAIL\texample.com/box [build failed]\n" in text
    assert "undefined: x" in text


def test_a_log_that_stops_says_so(trial) -> None:
    assert "- no closing summary line in this log\n" in trial(kind).map(VERBOSE[: VERBOSE.index("FAIL\t")])


def test_a_package_that_does_not_compile_is_an_error_with_what_the_compiler_says(trial) -> None:
    log = "# b [b.test]\nb/b_test.go:3:28: undefined: thing\n" + PLAIN + "FAIL\tb [build failed]\n"
    text = trial(kind).map(log)
    assert "## Errors\n- Lines 1-2: b [build failed]\n  - 2: b/b_test.go:3:28: undefined: thing\n" in text


def test_a_line_that_only_looks_like_a_package_is_no_error(trial) -> None:
    assert "build failed" not in trial(kind).map("# heading\nwords\n" + PLAIN)


def test_tests_of_a_log_that_is_cut_are_told_to_have_no_result(trial) -> None:
    log = (
        "=== RUN   TestA\n    a_test.go:5: got 1\n--- PASS: TestA (0.00s)\n=== RUN   TestB/x\n    a_test.go:7: got 2\n"
    )
    text = trial(kind).map(log)
    assert "- Lines 4-5: TestB/x [no result in this log]\n  - 5:     a_test.go:7: got 2\n" in text
    assert "TestA [" not in text


def test_what_the_compiler_says_among_events_is_told(trial) -> None:
    rows = [event(Action="output", Package="a", Test="TestX", Output="    x_test.go:4: got 1\n")]
    rows += [event(Action="fail", Package="a", Test="TestX"), event(Action="fail", Package="a")]
    text = trial(kind).map("\n".join([*rows, "# b [b.test]", "b/b_test.go:3:28: undefined: thing"]) + "\n")
    assert "- 5: b/b_test.go:3:28: undefined: thing\n" in text


def test_verbose_output_without_the_lines_that_begin_tests_is_not_given_to_the_test_above(trial) -> None:
    rows = ["    box_test.go:5: got 1, want 2", "--- FAIL: TestBox (0.00s)", "    box_test.go:9: needs a database"]
    text = trial(kind).map("\n".join([*rows, "--- SKIP: TestSkip (0.00s)", "FAIL", "FAIL\texample.com/box\t0.003s\n"]))
    assert "Line 2: example.com/box: TestBox\n" in text
    assert "needs a database" not in text.partition("## What else")[0]


def test_a_map_states_what_leaves_its_trend_before_the_medians(trial) -> None:
    text = trial(kind).map(HEAD + make_rows("Sort", 2.0) + make_rows("Hash", 0.7, 1024) + "PASS\nok  \texample.org/kit\t9.1s\n")
    assert "## Off the trend of their sizes (1)\n- Lines 31-33: BenchmarkHash/n=1024-8: 90 allocs/op, between" in text
    assert "- Lines 4-6: BenchmarkSort/n=16-8: 32.6 ns/op, 32 B/op, 8 allocs/op" in text
