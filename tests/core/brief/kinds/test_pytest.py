import os
import re
import subprocess
import sys
from functools import cache
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief import brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import pytest as kind
from ctxkit.core.text import lines
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.retrieval_hint import Hint
from tests.example_counts import count_examples

PROJECT = {
    "test_calc.py": """
import sys
import pytest

def test_plain():
    assert 4 / 2 == 3

@pytest.mark.parametrize("text", ["a b", "x[0] - y", "é", "p::q"])
def test_text(text):
    assert text == 1

class TestBox:
    def test_method(self):
        print("======= a banner =======")
        print("== 1 passed in 0.01s ==")
        print("============================= test session starts ==============================")
        print("============================== 9 passed in 0.01s ===============================")
        sys.stderr.write("_____ not a title _____")
        assert [1, 2] == [1, 3]

    def test_fine(self):
        pass

@pytest.fixture
def bad():
    raise RuntimeError("the fixture broke")

@pytest.fixture
def late():
    yield
    raise RuntimeError("the teardown broke")

def test_setup(bad):
    pass

def test_teardown(late):
    pass

@pytest.mark.xfail
def test_expected():
    assert 0

@pytest.mark.xfail(strict=True)
def test_unexpected():
    pass
""",
    "test_broken.py": "import nothing_of_this_name",
    "test_crash.py": "import os\ndef test_a(): assert 0\ndef test_b(): os._exit(3)\n",
    "test_none.py": "",
}
MODES = {
    "plain": ["test_calc.py"],
    "quiet": ["-q", "test_calc.py"],
    "verbose": ["-vv", "test_calc.py"],
    "short": ["--tb=short", "test_calc.py"],
    "line": ["--tb=line", "test_calc.py"],
    "no": ["--tb=no", "test_calc.py"],
    "progress": ["-v", "--tb=no", "-rN", "test_calc.py"],
    "native": ["--tb=native", "test_calc.py"],
    "color": ["--color=yes", "test_calc.py"],
    "collection": ["test_calc.py", "test_broken.py"],
    "none": ["test_none.py"],
    "crash": ["-v", "test_crash.py"],
}


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory):
    """Run pytest in a mode when a test first asks for it; give the log and what its junit file says failed."""
    here = tmp_path_factory.mktemp("project")
    for name, text in PROJECT.items():
        (here / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    bare = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

    @cache
    def log_of(mode):
        argv = [*command, f"--junitxml={here / mode}.xml", *MODES[mode]]
        done = subprocess.run(argv, cwd=here, env=bare, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout, list(failed(here / f"{mode}.xml"))

    return log_of


def failed(junit):
    if not junit.exists():
        return
    for case in ElementTree.parse(junit).iter("testcase"):
        if any(result.tag in ("failure", "error") for result in case):
            yield case.get("name")


def count(text):
    return (len(text.encode()) + 2) // 3


def document(data, target=4_000):
    return InputDocument(lines.lines_from_bytes(data), lambda offset, length: data[offset : offset + length], count, target)


def mapped(data, target=4_000):
    held = document(data, target)
    frame = BriefingFrame("log", held.lines.total, held.lines.size, 0, True, Hint("{start}:{end}"))
    return brief_document(held, frame)


def entries(outline):
    waiting = [entry for section in outline.sections for entry in section.entries]
    for entry in waiting:
        yield entry
        waiting.extend(entry.children)


def check(data, target=4_000):
    """Hold every entry against the lines it claims."""
    held = document(data, target)
    for outline in kind.outline(held) or []:
        for entry in entries(outline):
            assert entry.start == entry.end == 0 or 1 <= entry.start <= entry.end <= held.lines.total
            if entry.verbatim:
                told = re.sub(r" \[\+\d+ chars\]$", "", entry.label)
                assert told in strip_escapes(held.lines.at(entry.start))


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("mode", MODES)
def test_every_entry_is_true_of_its_lines(logs, mode: str) -> None:
    check(logs(mode)[0])


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("mode", MODES)
def test_every_failing_name_is_in_the_map(logs, mode: str) -> None:
    log, names = logs(mode)
    text = mapped(log).text
    assert [name for name in names if name not in text] == []


@pytest.mark.parametrize("mode", ["plain", "quiet", "verbose", "short", "native", "color"])
def test_every_failing_name_stands_beside_the_lines_of_its_block(logs, mode: str) -> None:
    log, names = logs(mode)
    rows = [strip_escapes(row) for row in log.decode().split("\n")]
    text = mapped(log).text
    assert len(names) == 9
    for name in names:
        start, end = map(int, re.search(rf"Lines (\d+)-(\d+): .*{re.escape(name)}", text).groups())
        assert name in rows[start - 1]
        assert rows[start - 1][0] == "_"
        assert not any(row.startswith("____") for row in rows[start:end] if "not a title" not in row)


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "crash"])
def test_the_closing_line_is_verbatim(logs, mode) -> None:
    log, _ = logs(mode)
    rows = [strip_escapes(row) for row in log.decode().rstrip("\n").split("\n")]
    number, verdict = len(rows), rows[-1]
    assert " in " in verdict
    assert f"\n- {number}: {verdict}\n" in mapped(log, 1_000).text


@pytest.mark.parametrize("mode", ["plain", "quiet", "color"])
def test_verdicts_that_a_test_prints_are_not_the_verdict(logs, mode: str) -> None:
    top = kind.outline(document(logs(mode)[0]))[0].sections[0].entries
    assert [entry.label.strip("= ").partition(" in ")[0] for entry in top] == [
        "7 failed, 2 passed, 1 xfailed, 2 errors"
    ]


@pytest.mark.parametrize("mode", ["plain", "quiet", "short", "color", "native"])
def test_every_message_is_in_the_map(logs, mode: str) -> None:
    text = mapped(logs(mode)[0], 6_000).text
    for message in [
        "assert 'a b' == 1",
        "RuntimeError: the fixture broke",
        "RuntimeError: the teardown broke",
    ]:
        assert message in text


def test_a_run_that_died_has_no_verdict_and_says_so(logs) -> None:
    text = mapped(logs("crash")[0]).text
    assert "- no closing summary line in this log\n" in text
    assert "test_crash.py::test_a FAILED" in text
    assert "test_crash.py::test_b" in text
    assert "passed" not in text


def test_a_collection_error_is_an_error_with_its_message(logs) -> None:
    text = mapped(logs("collection")[0]).text
    assert re.search(r"Lines \d+-\d+: ERROR collecting test_broken.py", text)
    assert "ModuleNotFoundError: No module named 'nothing_of_this_name'" in text
    assert "Interrupted: 1 error during collection" in text


@pytest.mark.parametrize("mode", MODES)
def test_the_output_of_pytest_is_known_in_every_mode(logs, mode: str) -> None:
    assert kind.sniff(document(logs(mode)[0])) >= 0.8


@pytest.mark.parametrize("target", [200, 500, 1_000, 3_000])
@pytest.mark.parametrize("mode", ["plain", "line", "crash"])
def test_the_map_takes_no_more_than_its_target(logs, mode: str, target: int) -> None:
    made = mapped(logs(mode)[0], target)
    assert count(made.text) == made.tokens <= target


def test_all_names_come_before_any_message_when_space_is_short(logs) -> None:
    log, names = logs("plain")
    text = mapped(log, 700).text
    assert [name for name in names if name not in text] == []


def test_text_around_a_run_is_named_by_its_lines(logs) -> None:
    log = b"+ pip install -e .\nerror: no wheel\n" + logs("plain")[0] + b"Process completed with exit code 1.\n"
    text = mapped(log).text
    assert "- Lines 1-2: progress and other output\n" in text
    assert "- 2: error: no wheel\n" in text
    assert "Process completed with exit code 1." in text
    check(log)


def test_times_that_a_ci_service_adds_do_not_hide_the_run(logs) -> None:
    log, names = logs("plain")
    stamped = b"".join(b"2024-01-02T03:04:05.1234567Z " + row for row in log.splitlines(keepends=True))
    text = mapped(stamped).text
    assert [name for name in names if name not in text] == []
    check(stamped)


def test_two_runs_in_one_log_keep_both_verdicts(logs) -> None:
    log = logs("plain")[0] + logs("none")[0]
    top = kind.outline(document(log))[0].sections[0].entries
    assert [entry.label.strip("= ").partition(" in ")[0] for entry in top] == [
        "7 failed, 2 passed, 1 xfailed, 2 errors",
        "no tests ran",
    ]


def test_a_log_cut_in_its_middle_has_no_verdict(logs) -> None:
    log = b"".join(logs("plain")[0].splitlines(keepends=True)[:60])
    assert "- no closing summary line in this log\n" in mapped(log).text
    check(log)


def report(failures, message):
    """Return a log of so many failures; the block of failure n begins at line 5n + 2."""
    yield "=" * 35 + " FAILURES " + "=" * 35
    for number in range(failures):
        title = f" test_{number} "
        left = (80 - len(title)) // 2
        yield "_" * left + title + "_" * (80 - left - len(title))
        yield from ("", f"E   assert {number} == 100{message}", "", "t.py:1: Error")
    yield "=" * 28 + f" {failures} failed in 1.00s " + "=" * 31


@pytest.mark.slow
def test_three_hundred_names_stand_beside_the_lines_of_their_blocks() -> None:
    data = "\n".join(report(300, "")).encode()
    check(data, 6_000)
    text = mapped(data, 6_000).text
    assert all(re.search(rf"\b{5 * n + 2}(-{5 * n + 6}:)? test_{n}\b", text) for n in range(300))


def test_a_message_that_was_told_before_names_the_line_where() -> None:
    data = re.sub(r"assert \d+ ==", "assert 0 ==", "\n".join(report(10, " that is long" * 15))).encode()
    check(data, 700)
    text = mapped(data, 700).text
    assert "\n- Lines 47-51: test_9 (message like line 4)\n" in text
    assert "\n  - 4: E   assert 0 == 100 that is long" in text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing here\n",
        "# How to test\n\n```\n======== test session starts ========\n==== 1 passed in 0.01s ====\n```\n",
        "=== RUN   TestAdd\n--- FAIL: TestAdd (0.00s)\nFAIL\n",
        "test result: FAILED. 3 passed; 1 failed; 0 ignored\n",
        "======\nFAIL: test_a (t.T)\n------\nRan 2 tests in 0.1s\n\nFAILED (failures=1)\n",
        "Tests: 1 failed, 2 passed, 3 total\nTime: 1.2 s\n",
    ],
)
def test_what_is_not_the_output_of_pytest_is_left_alone(text: str) -> None:
    assert kind.sniff(document(text.encode())) == 0.0


WORDS = [
    "=== FAILURES ===", "=== ERRORS ===", "= test session starts =", "___ test_a ___", "_ test_b[x y] _",
    "E   assert 1", "E", "a.py:3: Error", "== 1 failed in 0.1s ==", "1 failed in 0.1s", "--- Captured stdout call ---",
    "=== short test summary info ===", "FAILED a.py::test_a - x", "ERROR a.py", "a.py::test_a FAILED [ 1%]",
    "!!! Interrupted !!!", "INTERNALERROR> x", "", "\x1b[31mFAILED\x1b[0m a.py::t", "text\r",
    "=== slowest 3 durations ===",
]  # fmt: skip


@pytest.mark.slow
@settings(max_examples=count_examples(60), deadline=None)
@given(st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=30)), max_size=40), st.integers(60, 900))
def test_any_text_makes_a_map_that_is_true_or_none(rows, target: int) -> None:
    data = "\n".join(rows).encode("utf-8", "replace")
    kind.sniff(document(data))
    check(data, target)
    made = mapped(data, target)
    assert made is None or count(made.text) <= target


def test_a_closing_line_with_another_outcome_is_that_of_another_runner() -> None:
    text = "=== FAILURES ===\n____ GET /items ____\n- Server error\n=== 7 {} in 11.16s ===\n"
    assert [kind.sniff(document(text.format(outcome).encode())) for outcome in ("failures", "failed")] == [0.0, 0.95]
