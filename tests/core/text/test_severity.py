import re
from time import process_time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctxkit.core.text import lines
from ctxkit.core.text.severity import (
    _ERRORS,
    _STATES,
    _WARNINGS,
    ALARMING_STATE,
    CLUES,
    ERROR,
    FORM_WORDS,
    MENTION,
    PHRASES,
    SUMMARY,
    WARNING,
    find_error_lines,
    is_error_line,
    mentions_trouble,
    rate_severity,
)
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
    return [(number, row) for number, row in enumerate(rows, 1) if is_error_line(row)]


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
        "0 errors 1 failed",
        "20 errors, 0 warnings, 0 informations",
        "\x1b[31merror\x1b[0m: no such file",
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


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("error: cannot find -lfoo", ERROR),
        ("npm error code ENOENT", ERROR),
        ("E: Unable to locate package x", ERROR),
        ("CONFLICT (content): Merge conflict in a.txt", ERROR),
        ("ValueError: bad", ERROR),
        ("gw.GatewayTimeoutError: order 4711", ERROR),
        ("2026-01-01 12:00:00 ERROR worker died", ERROR),
        ("[!] Error: Unexpected token", ERROR),
        ("make[2]: *** [Makefile:3: error.o] Error 1", ERROR),
        ("web13: starting app... error: port 8080 is already allocated", ERROR),
        ("      Reason:       OOMKilled", ERROR),
        ("Status:           Failed", ERROR),
        ("web-1   0/1     CrashLoopBackOff   41 (3m ago)", ERROR),
        ("(!) Circular dependencies", WARNING),
        ("/venv/lib/linear.py:599: ConvergenceWarning: it did not converge", WARNING),
        ("npm warn deprecated x@1", WARNING),
        ("W: Some index files failed", WARNING),
        ("WARNING: no locks", WARNING),
        ("644 problems (644 errors, 0 warnings)", SUMMARY),
        ("3 features passed, 1 failed, 1 error, 0 skipped", SUMMARY),
        ("EMERGENCY: the disk is full", ERROR),
        ("Found 9 dependency issues.", SUMMARY),
        ("root@127.0.0.1: Permission denied (publickey).", MENTION),
        ("verify: hostname mismatch", MENTION),
        ("ok 3 - handles errors", MENTION),
        ("Limited Error Raster Compression library", MENTION),
        ("gyp ERR! stack Error: no python", ERROR),
        ("E0203 11:00:00.123456       1 main.go:12] no leader", ERROR),
        ("03-17 16:13:46.764  2227  2794 E Keyguard: locked", ERROR),
        ("03-17 16:13:46.764 W/Keyguard( 12): slow", WARNING),
        ("my id = 1, error =", 0),
    ],
)
def test_lines_that_state_trouble(text: str, severity) -> None:
    assert rate_severity(text) == severity


@pytest.mark.parametrize(
    "text",
    [
        "                 U __stack_chk_fail",
        "display_errors => Off => Off",
        "kernel.hardlockup_panic = 0",
        "https://registry.npmjs.org/es6-error/-/es6-error-4.1.1.tgz",
        "0 errors, no failures",
        "|   |--- radius error <= 0.64",
        "Failures: 0",
        "[INFO] Tests run: 55, Failures: 0, Errors: 0, Skipped: 0",
        "-rw-r--r-- 1 root root 2026 errors.py",
        "Liveness:  http-get :8080/ delay=10s #success=1 #failure=3",
        "State:          Running",
        "    handler: TimeoutError | None",
        "ErrorHandler  installed",
        "lib/error/handler.js",
        '    , Str "fail?"',
        "        raise ValueError(x) from error",
        "# an error is what we call it",
    ],
)
def test_lines_that_only_hold_such_a_word(text: str) -> None:
    assert rate_severity(text) == 0


@pytest.mark.parametrize("text", ["a " * 500_000, "[" * 1_000_000, ": " * 500_000, "1 " * 500_000, "error" * 200_000])
def test_a_line_of_a_megabyte_takes_no_time(text: str) -> None:
    began = process_time()
    assert rate_severity(text) >= 0
    assert process_time() - began < 1


WORDS = st.sampled_from((*CLUES, "E:", "W:", "[!!]", "Error", "does", "is", "not", "out of", "to", "A", "\u2718", "\u017ftale"))


@given(st.lists(WORDS | st.text(alphabet="aE: .0[(!)", max_size=4), max_size=5), st.sampled_from(["", " "]))
def test_each_form_that_has_words_of_trouble_has_a_clue(parts: list[str], between: str) -> None:
    for form in (between.join(parts), between.join(parts).title()):
        assert mentions_trouble(form) == (FORM_WORDS.search(form) is not None)


@pytest.mark.parametrize("word", re.findall(r"[\w'-]+(?: \w+)*", f"{_ERRORS}|{_WARNINGS}|{PHRASES}|{_STATES}"))
def test_each_word_of_trouble_has_a_clue(word: str) -> None:
    for form in (word, f"a{word}", f"{word}!"):
        assert mentions_trouble(form) == (FORM_WORDS.search(form) is not None)

@pytest.mark.parametrize("state", ["CrashLoopBackOff", "Exited (1)", "OOMKilled", "not ready", "ERROR", "node lost", "Unavailable"])
def test_an_alarming_state(state: str) -> None:
    assert ALARMING_STATE.search(state)


@pytest.mark.parametrize("state", ["herring", "classroom", "running", "Succeeded", "gloss", "Ready"])
def test_a_state_that_is_not_alarming(state: str) -> None:
    assert not ALARMING_STATE.search(state)
