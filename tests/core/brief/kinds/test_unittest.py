import re
import subprocess
import sys

import pytest

from ctxkit.core.brief.kinds import unittest as kind

CODE = """
import unittest

class Box(unittest.TestCase):
    def test_plain(self):
        self.assertEqual(4 / 2, 3)
    def test_parts(self):
        for text in ("a b", "\u00e9"):
            with self.subTest(text=text):
                self.assertEqual(text, 1)
    def test_fine(self):
        print("0 errors, all passed")
    def test_chain(self):
        try:
            {}["k"]
        except KeyError as error:
            raise ValueError("not there") from error

class Late(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise RuntimeError("no room")
    def test_never(self):
        pass
"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory):
    here = tmp_path_factory.mktemp("project")
    (here / "test_box.py").write_text(CODE)
    command = [sys.executable, "-m", "unittest", "test_box"]
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "check": False, "cwd": here}
    return {mode: subprocess.run([*command, *mode.split()], **both).stdout for mode in ("", "-v")}  # type: ignore[call-overload]


@pytest.mark.parametrize("mode", ["", "-v"])
def test_verdict_names_messages_and_frames(trial, logs, mode: str) -> None:
    text = trial(kind).map(logs[mode])
    rows = logs[mode].decode().split("\n")
    assert f"- {len(rows) - 1}: FAILED (failures=3, errors=2)\n" in text
    for name in ("test_plain", "test_chain", "test_parts", "setUpClass (test_box.Late)"):
        assert name in text
    assert "(text='a b')" in text
    assert "(text='\u00e9')" in text
    for message in ("AssertionError: 2.0 != 3", "ValueError: not there", "RuntimeError: no room"):
        assert f": {message}\n" in text


def test_a_name_stands_beside_the_lines_of_its_block(trial, logs) -> None:
    rows = logs[""].decode().split("\n")
    start = next(at for at, row in enumerate(rows, 1) if row.startswith("FAIL: test_plain"))
    found = re.search(rf"Lines {start}-(\d+): test_plain", trial(kind).map(logs[""]))
    assert "AssertionError: 2.0 != 3" in rows[start : int(found[1])]
    assert not [row for row in rows[start : int(found[1])] if row.startswith(("FAIL:", "ERROR:"))]


def test_a_log_that_stops_has_no_verdict(trial, logs) -> None:
    log = b"\n".join(logs["-v"].split(b"\n")[:3])
    assert "- no closing summary line in this log\n" in trial(kind).map(log)


def test_the_end_alone_is_known(trial) -> None:
    assert "FAILED (errors=1)" in trial(kind).map(
        "ValueError: x\n\n" + "-" * 70 + "\nRan 3 tests in 0.001s\n\nFAILED (errors=1)\n"
    )


def test_no_tests_is_what_the_log_says_it_is(trial) -> None:
    text = trial(kind).map("\n" + "-" * 70 + "\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n")
    assert "NO TESTS RAN" in text


def test_documents_that_quote_a_run_are_left_alone(trial) -> None:
    quoted = "Ran 3 tests in 0.001s\n\nOK\n"
    assert trial(kind).known(f"# Tests\n\nRun:\n\n```\n{quoted}```\n") != kind.NAME
    assert trial(kind).known(f"import os\nimport re\nfrom a import b\nLOG = '''\n{quoted}'''\n") != kind.NAME
    assert trial(kind).known(quoted, "notes.md") != kind.NAME


def test_a_verbose_log_cut_below_names_what_failed(trial) -> None:
    rows = [f"test_{at} (box.TestBox.test_{at}) ... {'FAIL' if at == 3 else 'ok'}" for at in range(40)]
    text = trial(kind).map("\n".join(rows))
    assert "- 4: test_3 (box.TestBox.test_3)" in text
    assert "no closing summary line in this log" in text


def test_a_result_with_failing_tests_in_another_form_is_not_of_unittest(trial) -> None:
    rows = ["=" * 79, "[FAIL]", "Traceback (most recent call last):", "FailTest: 4 != 5", "", "test_box.Box.test_sum"]
    closing = ["-" * 79, "Ran 204 tests in 1.684s", "", "FAILED (skips=4, failures=12, errors=20, successes=160)"]
    text = trial(kind).map("\n".join([*rows, *closing, ""]))
    assert "unittest" not in text.split("\n")[0]
    assert "before these failing tests" not in text


REGRTEST = """\
0:00:00 load avg: 0.75 Run 3 tests sequentially
0:00:00 load avg: 0.75 [1/3] test_alpha
test test_alpha failed -- multiple errors occurred; run in verbose mode for details
0:00:00 load avg: 0.75 [2/3/1] test_beta -- test_alpha failed (3 failures)
test test_beta failed -- Traceback (most recent call last):
  File "/srv/test_beta.py", line 3, in test_x
    raise ValueError("beta")
ValueError: beta

0:00:01 load avg: 0.75 [3/3/3] test_gamma failed (uncaught exception)

== Tests result: FAILURE ==

3 tests failed:
    test_alpha test_beta test_gamma

Total tests: run=5 failures=3
Total test files: run=3/3 failed=3
Result: FAILURE
"""


def test_the_files_of_python_m_test_are_read(trial) -> None:
    text = trial(kind).map(REGRTEST)
    assert "- Lines 5-9: test_beta\n" in text
    assert "- 8: ValueError: beta\n" in text
    assert "- Line 3: test_alpha\n" in text
    assert "- 10: test_gamma\n" in text
    assert "- 18: Total test files: run=3/3 failed=3\n" in text


RULE, DASHES = "=" * 70, "-" * 70


def test_the_message_of_a_group_of_exceptions_is_its_own() -> None:
    rows = [RULE, "ERROR: test_m (a.T.test_m)", DASHES, "  + Exception Group Traceback (most recent call last):"]
    rows += ['  |   File "a.py", line 3, in test_m', "  | ExceptionGroup: two failures (2 sub-exceptions)"]
    rows += ["  +-+---------------- 1 ----------------", "    | Traceback (most recent call last):", "    | ValueError: big"]
    rows += ["    +------------------------------------", "", DASHES, "Ran 1 test in 0.1s", "", "FAILED (errors=1)"]
    assert kind._find_message(list(enumerate(rows[2:10], 3)))[0] == (6, "  | ExceptionGroup: two failures (2 sub-exceptions)")


def test_a_bare_exception_is_quoted_with_the_code_that_raised_it() -> None:
    rows = ["Traceback (most recent call last):", '  File "a.py", line 3, in test_x', "    assert total(3) == 4"]
    rows += ["           ^^^^^^^^^^^^^", "AssertionError", ""]
    assert kind._find_message(list(enumerate(rows, 1)))[:2] == [(3, "    assert total(3) == 4"), (5, "AssertionError")]


def test_the_line_of_a_test_whose_subtests_failed_is_no_other_failure(trial) -> None:
    rows = ["test_s (a.T.test_s) ... FAIL", "FAIL", ""]
    for part in (1, 2):
        rows += [RULE, f"FAIL: test_s (a.T.test_s) (i={part})", DASHES, "Traceback (most recent call last):"]
        rows += ['  File "a.py", line 3, in test_s', "    self.assertEqual(i, 0)", f"AssertionError: {part} != 0", ""]
    text = trial(kind).map("\n".join([*rows, DASHES, "Ran 1 test in 0.1s", "", "FAILED (failures=2)"]))
    assert "without a block" not in text
    assert "(i=1)" in text
