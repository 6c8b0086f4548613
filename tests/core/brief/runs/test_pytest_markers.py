import pytest

from ctxkit.core.brief.runs import pytest_markers
from ctxkit.core.brief.runs.pytest_markers import find_markers, strip_decorations
from ctxkit.core.text import lines


def kinds(text):
    return [(mark.number, mark.kind, mark.text) for mark in find_markers(lines.lines_from_bytes(text.encode()))[0]]


@pytest.mark.parametrize(
    ("line", "kind", "text"),
    [
        ("=== FAILURES ===", "heading", "FAILURES"),
        ("\x1b[31m\x1b[1m____ test_a ____\x1b[0m", "title", "test_a"),
        ("_ test_b[x y] __", "title", "test_b[x y]"),
        ("--- Captured stdout call ---", "captured", "Captured stdout call"),
        ("!!! stopping after 1 failures !!!", "banner", "stopping after 1 failures"),
        ("3 failed, 12 passed in 0.12s", "verdict", "3 failed, 12 passed in 0.12s"),
        ("== 1 failed, 2 warnings in 61.02s (0:01:01) ==", "verdict", "== 1 failed, 2 warnings in 61.02s (0:01:01) =="),
        ("= 56 passed, 1 warnings in 1.55 seconds =", "verdict", "= 56 passed, 1 warnings in 1.55 seconds ="),
        ("no tests ran in 0.00s", "verdict", "no tests ran in 0.00s"),
        ("FAILED a.py::test_a - x", "named", "FAILED a.py::test_a - x"),
        ("a.py::test_a FAILED   [ 50%]", "outcome", "a.py::test_a FAILED   [ 50%]"),
        ("[gw0] [ 50%] FAILED a.py::test_a", "outcome", "[gw0] [ 50%] FAILED a.py::test_a"),
        ("INTERNALERROR> x", "note", "INTERNALERROR> x"),
    ],
)
def test_a_line_that_structures_a_log_is_marked(line: str, kind: str, text: str) -> None:
    assert kinds(f"before\n{line}\nafter\n") == [(2, kind, text)]


@pytest.mark.parametrize("line", ["_ _ _ _ _", "====", "== a =====", "2 files changed", "x = 1", "--- a/file.py ---"])
def test_other_lines_are_not(line: str) -> None:
    assert kinds(line) == []


def test_each_count_below_the_results_of_pytest_sugar_is_a_verdict() -> None:
    text = "\nResults (2.31s):\n    3600 passed\n       1 failed\n         - test_mod.py:8 test_out\n       2 skipped\n"
    assert kinds(text) == [
        (2, "verdict", "Results (2.31s):"),
        (3, "verdict", "    3600 passed"),
        (4, "verdict", "       1 failed"),
    ]
    assert kinds("3 failed in 1s\n    3 passed\n\n    4 passed\n") == [(1, "verdict", "3 failed in 1s")]


def test_of_too_many_marks_what_begins_and_ends_sections_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytest_markers, "MAX_MARKERS", 2)
    filling = "x\n" * 600_000
    text = "FAILED a\n" * 3 + filling + "FAILED b\n" * 2 + "=== 5 failed in 0.10s ===\n"
    found, past = find_markers(lines.lines_from_bytes(text.encode()))
    assert [mark.kind for mark in found] == ["named"] * 3 + ["verdict"]
    assert past == range(600_004, 600_006)


def test_a_line_is_cleaned_of_colours_and_of_the_time_of_a_service() -> None:
    assert strip_decorations("2024-01-02T03:04:05.1234567Z \x1b[31mFAILED\x1b[0m a.py  ") == "FAILED a.py"
