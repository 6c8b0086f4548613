import json

import pytest

from ctxkit.core.context.extract.deed import Deed
from ctxkit.core.context.extract.outcome import answers_no, error_lines, outcome, status_of

TRACE = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    f()\nValueError: bad row 17\n'


def ran(text, *, failed=False, command="make"):
    return outcome(Deed(0, "bash", {"command": command}, text, failed, 1), "run")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("<returncode>2</returncode>\n<output>x</output>", 2),
        ("Exit code 1\nboom", 1),
        ("x\n\nCommand exited with code 127", 127),
        ("x\n[The command completed with exit code 0.]", 0),
        ("Process exited with code 3\nOutput:\nx", 3),
        ("exitcode: 124 (execution failed)\nCode output: x", 124),
        ("fine", None),
        ("the exit of the building", None),
    ],
)
def test_statuses(text, status):
    assert status_of(text) == status


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (TRACE, "ValueError: bad row 17"),
        ("compiling\nsrc/a.c:3:1: error: expected ';'\n1 error generated.", "src/a.c:3:1: error: expected ';'"),
        ("\x1b[31merror[E0425]\x1b[0m: cannot find value `x`\n --> src/a.rs:1", "error[E0425]: cannot find value `x`"),
        ("bash: foo: command not found", "bash: foo: command not found"),
        ("<tool_use_error>String to replace not found in file.</tool_use_error>", "String to replace not found in file."),
        ("x" * 9000 + " error\nError: short one", "Error: short one"),
        ("all is quiet\nthe end", "the end"),
    ],
)
def test_the_line_that_says_what_went_wrong(text, line):
    assert error_lines(text)[0] == line


def test_what_more_was_said():
    made = ran("checking\nmake: *** [all] Error 2\nfatal: no compiler\nsee the log\nExit code: 2")
    assert made.line == "fatal: no compiler"
    assert made.more == ("make: *** [all] Error 2", "see the log")


def test_failures_that_nothing_tells_but_the_text():
    assert ran(TRACE).failed
    assert ran("bash: foo: command not found").failed
    assert not ran("0 errors, no failures").failed
    assert not ran("it said Traceback").failed
    assert outcome(Deed(0, "Edit", {"file_path": "a"}, "Error: no match", False, 1), "edit").failed
    assert not outcome(Deed(0, "Read", {"file_path": "a"}, "def error(): ...", False, 1), "read").failed


def test_a_flag_counts_without_a_status():
    assert ran("nope", failed=True) == (True, None, "nope", ())


def test_json_of_codex():
    text = json.dumps({"output": "E: no such option\n", "metadata": {"exit_code": 2, "duration_seconds": 0.1}})
    assert ran(text) == (True, 2, "E: no such option", ())
    assert not ran(json.dumps({"output": "ok", "metadata": {"exit_code": 0}})).failed


def test_some_failures_are_only_a_no():
    quiet = Deed(0, "bash", {"command": "cat x | grep -n 'a|b' y"}, "(no output)\n\nCommand exited with code 1", True, 1)
    assert answers_no(quiet, outcome(quiet, "run"))
    loud = quiet._replace(text="grep: y: No such file or directory\nCommand exited with code 2")
    assert not answers_no(loud, outcome(loud, "run"))
    other = quiet._replace(arguments={"command": "make"})
    assert not answers_no(other, outcome(other, "run"))
