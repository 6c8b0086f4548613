import pytest

from ctxkit.core.context.extract.error_lines import find_error_lines, has_error_word, is_failed_output

TRACE = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    f()  # no error\nValueError: bad row 17\n'


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
        ("error_constants.h\ncopied\nmake: *** [Makefile:3: lint] Error 2", "make: *** [Makefile:3: lint] Error 2"),
        ("error: no such crate\nerror: could not compile `a` due to 1 previous error", "error: no such crate"),
        ("Error: old news\nline\nline\nline\nline\nFAILED test_a.py::test_b - assert 3", "FAILED test_a.py::test_b - assert 3"),
        ("Error: Exit code 2\nusage: x [-h]\nx: error: no such option", "x: error: no such option"),
        ("/a/b.ts\n  3:7  error  'x' is not defined\n\n1 problem (1 error, 0 warnings)", "3:7  error  'x' is not defined"),
        ("No replacement was performed, old_str `a\n b` did not appear", "No replacement was performed, old_str `a"),
    ],
)
def test_the_line_that_says_what_went_wrong(text: str, line: str) -> None:
    assert find_error_lines(text)[0] == line


def test_the_last_line_of_trouble_and_the_first_are_told_too() -> None:
    text = "a.ts(1,2): error TS1: one\nb.ts(3,4): error TS2: two\nc.ts(5,6): error TS3: three\nhusky - hook failed"
    assert find_error_lines(text) == ["c.ts(5,6): error TS3: three", "husky - hook failed", "a.ts(1,2): error TS1: one"]


def test_lines_of_source_in_a_traceback_tell_nothing() -> None:
    assert find_error_lines(TRACE.replace("f()", "raise last_exception")) == ["ValueError: bad row 17"]


@pytest.mark.parametrize(
    "ending",
    [
        'Error: expected 200 "OK", got 500',
        "error[E0308]: mismatched types in src/a.rs",
        "--- FAIL: TestTimeout (0.3s)",
        "FAILED tests/test_a.py::test_b - AssertionError: 3",
        "== 2 failed, 40 passed in 3.1s ==",
        "test result: FAILED. 3 passed; 1 failed",
        "Tests:       1 failed, 4 passed, 5 total",
        "10 examples, 1 failure",
        "Found 3 errors in 1 file (checked 9 source files)",
        "make: *** [Makefile:12: lint] Error 2",
        "gmake[1]: *** No rule to make target 'x'.  Stop.",
        'ERROR:  relation "a" does not exist',
        "src/a.ts(3,7): error TS2339: Property 'x' does not exist",
        "src/a.c:3:1: error: expected ';'",
        "npm ERR! missing script: tset",
        "fatal: not a git repository",
        "E: Unable to locate package x",
        "-- Configuring incomplete, errors occurred!\nSee also CMakeOutput.log",
        "/bin/sh: 1: tsc: command not found",
        "cat: a.txt: No such file or directory",
        "[ERROR] Failed to execute goal",
        "BUILD FAILED in 3s",
        "java.lang.IllegalStateException: closed\n\tat a.B.c(B.java:3)\n\tat a.B.d(B.java:9)\n\tat a.B.e(B.java:12)\n\tat a.B.f(B.java:14)",
        "ssh: connect to host x port 22: Connection refused",
        "Segmentation fault (core dumped)",
        "CONFLICT (content): Merge conflict in a\nAutomatic merge failed; fix conflicts and then commit the result.",
    ],
)
def test_outputs_that_end_in_an_error(ending: str) -> None:
    assert is_failed_output(f"begun\nworking\n{ending}\n")
    assert not is_failed_output(f"{ending}\n" + "then it went on\n" * 9)


@pytest.mark.parametrize(
    "ending",
    [
        "",
        "0 errors, 0 failures",
        "Passed: 10\nFailed: 0",
        "error rate: 0.1",
        "Tests: 5 passed, 5 total",
        "12 passed, 0 failed in 3s",
        "Found 0 errors",
        "found 2 vulnerabilities",
        "handles errors and failures",
        "error: tried again\nAll checks passed",
        "Killed 3 idle workers",
    ],
)
def test_outputs_that_do_not(ending: str) -> None:
    assert not is_failed_output(f"begun\n{ending}\n")


def test_words_for_errors() -> None:
    assert has_error_word("Build failed")
    assert has_error_word("ImportError: x")
    assert not has_error_word("--- FAIL: TestA")
    assert not has_error_word("all good")


def test_the_label_of_a_host_is_no_part_of_a_line() -> None:
    text = "<untrusted_context>\nOutput: cat: missing.cfg: No such file or directory\nExit Code: 1\n</untrusted_context>"
    assert find_error_lines(text)[0] == "cat: missing.cfg: No such file or directory"


def test_npm_names_what_is_wrong_before_its_advice_and_its_log() -> None:
    text = "\n".join(
        (
            "npm error code ETARGET",
            "npm error notarget No matching version found for tsx@^4.",
            "npm error notarget In most cases you are requesting",
            "npm error A complete log of this run can be found in: /l.log",
        )
    )
    assert find_error_lines(text)[0] == "npm error notarget No matching version found for tsx@^4."


def test_a_message_of_powershell_is_its_reason() -> None:
    text = (
        "npm : File C:\\n\\npm.ps1 cannot be loaded because running scripts is disabled on this system.\n"
        "At line:2 char:1\n+ npm run build\n+ ~~~\n    + CategoryInfo          : SecurityError: (:) [], PSSecurityException\n"
        "    + FullyQualifiedErrorId : UnauthorizedAccess"
    )
    lines = [line.strip() for line in text.split("\n")]
    assert find_error_lines(text) == [lines[0], lines[4]]
    category = "+ CategoryInfo : ObjectNotFound: (rsync:String) [], CommandNotFoundException"
    assert find_error_lines(category)[0] == category


def test_a_message_that_powershell_has_wrapped_is_told_to_the_end_of_its_sentence() -> None:
    text = (
        'grep : Die Benennung "grep" wurde nicht als Name eines Cmdlet, einer Funktion, einer Skriptdatei oder eines \n'
        "ausführbaren Programms erkannt. Überprüfen Sie die Schreibweise des Namens, oder ob der Pfad korrekt ist (sofern \n"
        "enthalten), und wiederholen Sie den Vorgang.\nIn Zeile:1 Zeichen:1\n+ grep -r x\n+ ~~~~\n"
        "    + CategoryInfo          : ObjectNotFound: (grep:String) [], CommandNotFoundException"
    )
    assert find_error_lines(text)[0] == (
        'grep : Die Benennung "grep" wurde nicht als Name eines Cmdlet, einer Funktion, einer Skriptdatei oder eines '
        "ausführbaren Programms erkannt."
    )


def test_the_label_of_an_output_is_no_part_of_its_message() -> None:
    assert find_error_lines("Output: sudo: ufw: command not found\nExit Code: 1") == ["sudo: ufw: command not found"]


def test_a_heading_above_the_names_of_failed_tests_is_no_error_line() -> None:
    text = (
        "---- tests::prunes stdout ----\nthread 'tests::prunes' panicked at src/lib.rs:162:9:\nassertion failed: x\n"
        "failures:\n    tests::prunes\n\ntest result: FAILED. 5 passed; 1 failed; 0 ignored"
    )
    assert find_error_lines(text)[0] == "thread 'tests::prunes' panicked at src/lib.rs:162:9: assertion failed: x"


def test_a_line_that_ends_in_a_colon_is_told_with_the_line_it_announces() -> None:
    text = 'Validation failed for tool "web_search":\n  - query: must have required property \'query\'\n\nReceived arguments:\n{}'
    whole = 'Validation failed for tool "web_search": - query: must have required property \'query\''
    assert find_error_lines(text)[0] == whole
    assert find_error_lines("Error: the build failed:") == ["Error: the build failed:"]
    assert find_error_lines("Error: the build failed:\n}")[0] == "Error: the build failed:"
    long = f"Error: the build failed:\n{'x' * 120}"
    assert find_error_lines(long)[0] == "Error: the build failed:"
