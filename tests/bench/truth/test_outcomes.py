"""Severities, levels, results and rows that an input states itself are held against the map's words."""

import pytest

from tests.bench.truth.test_check import complain

RULED = "\n".join(
    [
        "error[unpinned-uses]: not pinned",
        "  --> ci.yml:1:2",
        "warning[artipacked]: credentials persist",
        "  --> ci.yml:3:2",
        "warning: unused thing",
        "  --> ci.yml:4:2",
        "warning: build failed, waiting for other jobs to finish...",
    ]
)
CODED = "a:1 DL3006 warning: tag\na:2 DL3015 info: avoid\na:3 DL3015 info: avoid\na:4 DL3020 error: copy"
LOG = "INFO: task 7 has status FAILED\nValueError: no header"
PSQL = " a | b\n---+---\n 1 | x +\n   | y\n(1 row)"
MAVEN = "[ERROR] COMPILATION ERROR :\n[ERROR] A.java:[1,2] cannot find symbol\n[ERROR] B.java:[3,4] cannot find symbol"
GO = "--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\n    a_test.go:3: needs a database\n--- SKIP: TestC (0.00s)\nFAIL"


@pytest.mark.parametrize(
    ("body", "source"),
    [
        ("## Found here: 1 error and 2 warnings, in 1 file", RULED),
        ("## Found here: 1 error, 1 warning and 2 findings (2 info), in 1 file", CODED),
        ("## Trouble without an error level: 2 forms, 2 lines\n- 1: INFO: task 7 has status FAILED", LOG),
        ("## Trouble without a level: 1 form, 1 line\n- 2: ValueError: no header", LOG),
        ("- Lines 1-4: a, b (1 row)", PSQL),
        ("- Line 2: TestB", GO),
        ("## First error\n- 2: [ERROR] A.java:[1,2] cannot find symbol", MAVEN),
        ("## Rows that differ\n- Line 2: class name (module) is empty in 1 of 2; most are text", "num  class name (module)\n1:"),
    ],
)
def test_true_statements(body: str, source: str) -> None:
    assert complain(body, source) == []


@pytest.mark.parametrize(
    ("body", "source", "reason"),
    [
        ("## Found here: 2 warnings and 1 finding, in 1 file", RULED, "0 errors, but 1 to 1 are stated"),
        ("## Found here: 1 error and 3 warnings, in 1 file", RULED, "3 warnings, but 2 to 2 are stated"),
        ("## Found here: 1 error and 3 warnings, in 1 file", CODED, "1 lines state one behind their code"),
        ("## Trouble without a level: 1 form, 1 line\n- 1: INFO: task 7 has status FAILED", LOG, "has the level INFO"),
        ("## First error\n- 3: [ERROR] B.java:[3,4] cannot find symbol", MAVEN, "line 2 states one before"),
        ("- Lines 1-4: a, b (2 rows)", PSQL, "the input says 1"),
        ("- Lines 2-3: TestB\n  - 3:     a_test.go:3: needs a database", GO, "before the result of its test"),
    ],
)
def test_false_statements(body: str, source: str, reason: str) -> None:
    assert reason in " ".join(complain(body, source))


def test_paths_with_values_are_no_listing() -> None:
    rows = "\n".join(f"/etc/php/limit_{number} = 3" for number in range(9))
    assert "of no listing" in " ".join(complain("- Lines 1-9: 9 entries", rows, "listing"))
    assert complain("- Lines 1-2: 2 entries", "/etc/php\n/etc/apt", "listing") == []


ROWS = "docs/a.md\n  7:25  \u2713 error  Incorrect term  terminology\n  7:40  error  Found TODO  no-todo\n[WARN] a.java:4:1: x"
MAVEN = "[ERROR] Failed to execute goal\n\tat a.b\n[ERROR] For more information about the errors"
CELERY = "[2026-11-26 06:13:50,717: ERROR/MainProcess] Task raised unexpected\nTraceback"
SAID = "in an error because the option takes no argument and\nError: no route"


@pytest.mark.parametrize(
    ("body", "source", "so"),
    [
        ("## Found here: 2 errors and 1 warning, in 2 files", ROWS, True),
        ("## Found here: 1 error and 1 warning, in 2 files", ROWS, False),
        ("## Found here: 2 errors, in 2 files", ROWS, False),
        ("## First error\n- 1: [ERROR] Failed to execute goal", MAVEN, True),
        ("## First error\n- 3: [ERROR] For more information about the errors", MAVEN, False),
        ("## Trouble without a level: 1 form, 1 line\n- 2: Traceback", CELERY, True),
        (f"## Trouble without a level: 1 form, 1 line\n- 1: {CELERY.partition(chr(10))[0]}", CELERY, False),
        ("## First errors\n- 2: Error: no route", SAID, True),
        (f"## First errors\n- 1: {SAID.partition(chr(10))[0]}", SAID, False),
    ],
)
def test_rows_brackets_and_processes_state_severities(body: str, source: str, so: bool) -> None:
    assert (complain(body, source) == []) == so
