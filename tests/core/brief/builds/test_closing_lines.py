import pytest

from ctxkit.core.brief.builds.closing_lines import clean_build_line, find_step_title, is_closing_line


@pytest.mark.parametrize(
    "line",
    [
        "Found 12 errors in 3 files (checked 40 source files)",
        "Success: no issues found in 3 source files",
        "All checks passed!",
        "3 errors",
        "2 warnings and 1 error generated.",
        "✖ 12 problems (10 errors, 2 warnings)",
        "error: could not compile `x` (lib) due to 2 previous errors",
        "error: aborting due to 3 previous errors; 1 warning emitted",
        "warning: `x` (lib) generated 3 warnings",
        "warning: build failed, waiting for other jobs to finish...",
        "make[1]: *** [Makefile:3: a.o] Error 1",
        "make: *** [all] Error 2",
        "make: Nothing to be done for 'all'.",
        "** TEST FAILED **",
        "========== Build: 1 succeeded, 1 failed, 0 up-to-date, 0 skipped ==========",
        "npm ERR! code ELIFECYCLE",
        "npm error code 1",
        "[INFO] BUILD FAILURE",
        "BUILD FAILED in 3s",
        "Apply complete! Resources: 1 added, 0 changed, 0 destroyed.",
        "-- Configuring incomplete, errors occurred!",
        "ninja: build stopped: subcommand failed.",
        "    0 Error(s)",
        "Your code has been rated at 9.50/10",
        "ERROR: No matching distribution found for nope",
        "E: Unable to locate package nope",
        "added 3 packages in 2s",
        "0 errors, 0 warnings, 0 informations",
    ],
)
def test_a_line_that_closes_a_run_is_known(line: str) -> None:
    assert is_closing_line(line)


@pytest.mark.parametrize(
    "line",
    [
        *("error: something else", "make it so", "Found a penny", "3 errors were made", "  indented"),
        "make[2]: Nothing to be done for 'all'.",
    ],
)
def test_other_lines_close_nothing(line) -> None:
    assert not is_closing_line(line)


def test_what_services_put_before_a_line_is_taken_off() -> None:
    assert clean_build_line("2026-01-02T03:04:05.1234567Z ##[group]Run npm ci") == "##[group]Run npm ci"
    assert clean_build_line("build\tset up\t2026-01-02T03:04:05.1234567Z hello") == "hello"
    assert clean_build_line("#12 0.345 gcc -c a.c") == "gcc -c a.c"
    assert clean_build_line("\x1b[31merror\x1b[0m: x  ") == "error: x"
    assert clean_build_line(" 10%\r 50%\r100%") == "100%"
    assert (
        clean_build_line("    [javac] A.java:3: warning: [cast] redundant cast")
        == "A.java:3: warning: [cast] redundant cast"
    )
    assert clean_build_line("[junitreport] Transform time: 2590ms") == "Transform time: 2590ms"
    assert clean_build_line("[Build on CentOS 7]   CC       util/error.lo") == "  CC       util/error.lo"
    assert clean_build_line("  12:4>a.cpp(3): error C2065: 'x'") == "a.cpp(3): error C2065: 'x'"
    assert clean_build_line("11:02:14  [ERROR] COMPILATION ERROR :") == "[ERROR] COMPILATION ERROR :"


def test_what_rates_a_line_stays() -> None:
    for line in (
        "[ERROR] /p/A.java:[5,9] x",
        "[error] a.scala:1: x",
        "[INFO] BUILD FAILURE",
        "  [warn] x",
        "[*] 3 fixable",
    ):
        assert clean_build_line(line) == line


def test_a_step_has_a_title() -> None:
    assert find_step_title("##[group]Run npm ci") == "Run npm ci"
    assert find_step_title("Step 3/10 : RUN make") == "Step 3/10 : RUN make"
    assert find_step_title("> pkg@1.0.0 build") == "> pkg@1.0.0 build"
    compiled = "CompileC /d/a.o /p/a.c normal arm64 (in target 'App' from project 'App')"
    assert find_step_title(compiled) == compiled
    assert find_step_title('Project "C:\\a.sln" on node 1 (default targets).').startswith("Project")
    assert find_step_title("1 thing (in target 'App')") == ""
    assert find_step_title("nothing of this") == ""


def test_the_number_of_fixable_errors_closes_a_run() -> None:
    assert is_closing_line('  572 errors and 0 warnings potentially fixable with the "--fix" option.')


def test_a_ruler_of_columns_is_no_step() -> None:
    assert find_step_title("=========================== =========  ========") == ""


@pytest.mark.parametrize("line", ["E: pkg: no-copyright-file", "E: pkg source: weak-key usr/lib"])
def test_a_tag_of_a_package_closes_nothing(line: str) -> None:
    assert not is_closing_line(line)
