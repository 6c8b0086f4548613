"""Maps of runs with many failing tests name them all wherever the names fit."""

import subprocess
import sys

import pytest

from ctxkit.core.brief import brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.text import lines
from ctxkit.core.text.retrieval_hint import Hint
from tests.core.brief.runs.failing_runs import PRINTERS, Failing, find_missing, list_names, make_failures, print_pytest

TARGETS = (300, 500, 700, 850, 1_000, 1_300, 1_600, 2_000, 2_700, 3_400, 4_096)


def make_map(text: str, target: int) -> str:
    data = text.encode()
    document = InputDocument(
        lines.lines_from_bytes(data), lambda at, size: data[at : at + size], lambda part: len(part) // 3, target, "log"
    )
    frame = BriefingFrame("log", document.lines.total, len(data), 9_999, True, Hint("ctxkit cache get 0 --lines {start}:{end}"))
    briefing = brief_document(document, frame)
    assert briefing is not None
    return briefing.text


@pytest.mark.quick_cases(6)
@pytest.mark.parametrize("count", [20, 50, 100, 200])
@pytest.mark.parametrize("runner", PRINTERS)
def test_all_failing_functions_and_files_are_named(runner: str, count: int) -> None:
    failures = make_failures(count, seed=count)
    functions, files = list_names(runner, failures)
    text = make_map(PRINTERS[runner](failures), 6_000)
    assert f", {runner})" in text.partition("\n")[0]
    assert (find_missing(text, functions), find_missing(text, files)) == ([], [])


@pytest.mark.quick_cases(6)
@pytest.mark.parametrize("count", [20, 60, 140])
@pytest.mark.parametrize("runner", PRINTERS)
def test_a_larger_target_loses_no_name(runner: str, count: int) -> None:
    failures = make_failures(count, seed=count + 1)
    functions, files = list_names(runner, failures)
    ids = [one.parameter for one in failures if one.parameter]
    before: set[str] = set()
    for target in TARGETS:
        text = make_map(PRINTERS[runner](failures), target)
        names = {*functions, *files, *ids} - set(find_missing(text.partition("\n## Messages")[0], [*functions, *files, *ids]))
        assert before <= names, f"lost at {target}"
        before = names


def test_many_errors_do_not_hide_the_failures() -> None:
    failures = make_failures(4, seed=1)
    errors = [Failing("db", "", f"stores_row_{at}", "", "boom") for at in range(205)]
    names = list_names("pytest", failures)[0]
    for target in (600, 1_000, 2_000):
        text = make_map(print_pytest(failures, errors), target)
        assert find_missing(text, [*names, "ValueError: boom"]) == []


def test_equal_rows_of_parameters_do_not_hide_another_assertion() -> None:
    rows = [Failing("table", "", "reads_rows", f"row{at}", f"{'abcdefghijklmnopqrstuvwxyz'[at]} is missing") for at in range(23)]
    text = make_map(print_pytest([*rows, Failing("table", "", "adds_up", "", "expected 40, got 36")]), 600)
    assert "expected 40, got 36" in text
    assert "test_adds_up" in text


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("target", [600, 2_000, 8_000])
def test_a_message_of_all_failures_is_counted_and_quoted_once(target: int) -> None:
    failures = [Failing("table", "", "reads_rows", f"row{at}", "the table is gone") for at in range(432)]
    text = make_map(print_pytest(failures), target)
    assert "- 432 failures say\n" in text
    assert text.count("ValueError: the table is gone") <= 2 + text.count("FAILED")  # here, and in the summary's lines
    rows = [row.partition(": ")[2] for row in text.split("\n") if row.startswith("- ") and row[2:3].isdigit()]
    assert max(map(rows.count, rows)) <= 2


TESTS = """\
import unittest
import pytest


@pytest.mark.parametrize("word", [f"w{at}" for at in range(12)])
def test_words(word):
    assert word == ""


class TestBox(unittest.TestCase):
    def test_opens(self):
        self.assertEqual(1, 2)

    def test_parts(self):
        for part in "ab":
            with self.subTest(part=part):
                self.assertEqual(part, "")
"""


@pytest.mark.slow
@pytest.mark.parametrize("module", ["pytest", "unittest"])
def test_real_runs_are_named(module: str, tmp_path) -> None:
    for at in range(8):
        (tmp_path / f"test_file_{at}.py").write_text(TESTS)
    options = ["-p", "no:cacheprovider"] if module == "pytest" else ["discover"]
    run = subprocess.run([sys.executable, "-m", module, *options], cwd=tmp_path, capture_output=True, text=True, check=False)
    text = make_map(run.stdout + run.stderr, 4_000)
    functions = ["test_words", "test_opens", "test_parts"] if module == "pytest" else ["test_opens", "test_parts"]
    assert find_missing(text, [*functions, *(f"test_file_{at}" for at in range(8))]) == []
