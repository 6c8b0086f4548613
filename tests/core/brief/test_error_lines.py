import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.error_lines import ERROR_WORDS, NO_ERROR, find_error_lines, is_error_line
from ctxkit.core.text import lines
from tests.example_counts import count_examples

ROWS = st.lists(
    st.lists(
        st.sampled_from(
            ["Error", "ERROR", "failed", "0 errors", "no failures", "panic!", "traceback", "ok", "fine", "é", "İ", "errors: 0",
             "without any error", '"error": null', "1 failed", "fail", "ΑΣ", "\r", "\u2028", "segfault"]
        ),
        max_size=4,
    ).map(" ".join),
    max_size=20,
)  # fmt: skip


def naive(rows: list[str]) -> list[tuple[int, str]]:
    """Look at each line by itself: the oracle."""
    return [
        (number, row)
        for number, row in enumerate(rows, 1)
        if any(word in row.lower() for word in ERROR_WORDS) and not NO_ERROR.search(row)
    ]


@settings(max_examples=count_examples(200))
@given(ROWS)
@example(["İstanbul", "ERROR: x"])
@example(["İ ERROR"])
def test_the_signs_are_those_of_a_scan_line_by_line(rows) -> None:
    data = "".join(f"{row}\n" for row in rows).encode()
    assert list(find_error_lines(lines.lines_from_bytes(data), 1, len(rows))) == naive(rows)


@given(ROWS, st.integers(1, 20), st.integers(0, 20))
def test_only_the_range_that_was_asked_for_is_looked_at(rows, start: int, more: int) -> None:
    data = "".join(f"{row}\n" for row in rows).encode()
    if start <= len(rows):
        expected = [(number, row) for number, row in naive(rows) if start <= number <= start + more]
        assert list(find_error_lines(lines.lines_from_bytes(data), start, start + more)) == expected


def test_a_large_log_is_searched_over_the_edges_of_its_pieces() -> None:
    rows = ["x" * 200 if number % 1000 else f"error {number}" for number in range(1, 12_001)]
    found = list(find_error_lines(lines.lines_from_bytes("\n".join(rows).encode()), 1, len(rows)))
    assert found == [(number, f"error {number}") for number in range(1000, 12_001, 1000)]


def test_what_only_sounds_like_trouble_is_none() -> None:
    rows = ["0 errors", "no errors found", '"error": null', "errors: 0", "without failures", "no test failures"]
    rows += ["Failed requests:        0", "error count = 0"]
    assert list(find_error_lines(lines.lines_from_bytes("\n".join(rows).encode()), 1, len(rows))) == []


@pytest.mark.parametrize(
    "line",
    [
        "\u2714 testErrorChecking (0.01 seconds)",
        "    \x1b[32m\u2714\x1b[0m fails on a bad name",
        "ok 3 - handles errors",
        "PASS src/error.test.js",
        "        PASS [   0.004s] kit error::fails",
        "--- PASS: TestError (0.00s)",
        "[       OK ] Suite.Error (0 ms)",
        "test parse::error ... ok",
        "tests/test_x.py::test_fail PASSED [ 50%]",
        "14: /src/misc_tests.c:821:ensure_should_fail_on_failed_realloc:PASS",
        '"error-ex@1.3.4","MIT","https://github.com/qix-/node-errr-ex"',
        "+-- @fastify/error@4.3.0",
        "Test Case '-[Kit testError]' passed (0.002 seconds).",
        "[javac]     public void render(Writer writer) throws IOException {",
        "  CC      lib/error.o",
        "[ 12%] Building CXX object util/Error.cpp.o",
        "cc -c -o util/test_error.lo util/test_error.c",
        "+ echo \"[test-linux.sh:error] could not check\"",
    ],
)
def test_what_passed_and_what_is_only_named_is_no_trouble(line: str) -> None:
    assert not is_error_line(line)


@pytest.mark.parametrize(
    "line",
    [
        "src/error.c:12:5: error: expected ';'",
        "not ok 4 - handles errors",
        "Failed requests:        10",
        "failed after 0 retries",
        "FAILED tests/test_x.py::test_pass - ValueError",
        "3 failed, 5 passed (1.2 seconds)",
        "\u2714 5 passed \u2716 2 failed",
        "PASS 12 FAIL 3",
        "java.io.IOException: gone",
        "Error: cannot open error.log",
        "PROCESS-CRASH | test.js | application crashed",
        "the worker throws TypeError where none is due",
        "make: *** [Makefile:3: error.o] Error 1",
    ],
)
def test_what_means_trouble_is_trouble(line: str) -> None:
    assert is_error_line(line)


def test_a_comment_that_calls_something_critical_is_no_error() -> None:
    assert not is_error_line("# This label is critical. The monitor uses it")
    assert is_error_line("CRITICAL: disk full")
    assert is_error_line("the build failed, which is critical")
