import pytest

from ctxkit.core.brief.builds.build_reader import BuildReader, clean_build_line, find_step_title, is_closing_line
from ctxkit.core.brief.builds.findings import BuildEvent, BuildFinding
from ctxkit.core.text import lines
from tests.core.brief.builds.parsing import parse_lines

RUST = """\
   Compiling x v0.1.0 (/p)
warning: unused variable: `a`
 --> src/lib.rs:1:10
  |
1 | fn f() { let a = 1; }
  |              ^ help: prefix it
  |
  = note: `#[warn(unused_variables)]` on by default

warning: unused variable: `b`
 --> src/lib.rs:2:10
  |
2 | fn g() { let b = 1; }
  |              ^

error[E0425]: cannot find value `c` in this scope
 --> src/lib.rs:3:10
  |
3 | fn h() { c }
  |          ^ not found

For more information about this error, try `rustc --explain E0425`.
warning: `x` (lib) generated 2 warnings
error: could not compile `x` (lib) due to 1 previous error; 2 warnings emitted
"""
GCC = """\
gcc -c a.c
In file included from b.h:1,
                 from a.c:2:
c.h:3:5: error: unknown type name ‘T’
    3 |     T t;
      |     ^
a.c: In function ‘main’:
a.c:9:3: warning: unused variable ‘i’ [-Wunused-variable]
    9 |   int i;
      |       ^
a.c:9:3: note: declared here
make: *** [Makefile:2: a.o] Error 1
"""
STYLISH = """\

/p/a.js
  3:7   error    'x' is not defined  no-undef
  4:11  warning  Expected { after 'if' condition  curly

/p/b.js
  1:1  error  Parsing error: Unexpected token

✖ 3 problems (2 errors, 1 warning)
"""
JAVAC = """\
A.java:3: error: cannot find symbol
import a.B;
        ^
  symbol:   class B
  location: package a
1 error
"""
SHELL = """\
In a.sh line 3:
echo $x
     ^-- SC2086 (info): Double quote to prevent globbing.
     ^-- SC2154 (warning): x is referenced but not assigned.
"""
WRAPPED = """\
a.py:3: error: Argument 1 to "f" has incompatible
type "str"; expected "int"  [arg-type]
    f("x")
      ^~~
Found 1 error in 1 file (checked 1 source file)
"""


def read(text):
    found = []
    BuildReader(found.append).read(lines.lines_from_bytes(text.encode()))
    findings = [(f.path, f.severity, f.code, f.start, f.number, f.end) for f in found if isinstance(f, BuildFinding)]
    return findings, [(e.kind, e.number) for e in found if isinstance(e, BuildEvent)]


def test_rustc_names_a_lint_once_and_the_place_below_the_message() -> None:
    findings, events = read(RUST)
    assert findings == [
        ("src/lib.rs", "warning", "unused_variables", 2, 2, 8),
        ("src/lib.rs", "warning", "unused_variables", 10, 10, 14),
        ("src/lib.rs", "error", "E0425", 16, 16, 20),
    ]
    assert [number for what, number in events if what == "closing"] == [23, 24]


def test_gcc_leads_to_a_finding_and_adds_notes_to_it() -> None:
    findings, events = read(GCC)
    assert findings == [("c.h", "error", "", 2, 4, 6), ("a.c", "warning", "-Wunused-variable", 7, 8, 11)]
    assert events == [("other", 1), ("closing", 12)]


def test_eslint_names_the_file_above_its_rows() -> None:
    findings, events = read(STYLISH)
    assert findings == [
        ("/p/a.js", "error", "no-undef", 2, 3, 3),
        ("/p/a.js", "warning", "curly", 4, 4, 4),
        ("/p/b.js", "error", "", 6, 7, 7),
    ]
    assert events == [("closing", 9)]


def test_a_caret_takes_the_source_line_above_it_along() -> None:
    assert read(JAVAC) == ([("A.java", "error", "", 1, 1, 5)], [("closing", 6)])


def test_shellcheck_has_findings_below_the_line_they_are_about() -> None:
    findings, _ = read(SHELL)
    assert [(f[0], f[2], f[4]) for f in findings] == [("a.sh", "SC2086", 3), ("a.sh", "SC2154", 4)]
    assert findings[0][3] == 1


def test_a_code_at_the_end_of_a_wrapped_message_is_found() -> None:
    findings, events = read(WRAPPED)
    assert findings == [("a.py", "error", "arg-type", 1, 1, 4)]
    assert events == [("closing", 5)]


def test_colours_and_what_a_service_adds_change_nothing() -> None:
    plain, _ = read(GCC)
    stamped, _ = read("".join(f"2026-01-02T03:04:05.1234567Z {row}\n" for row in GCC.splitlines()))
    coloured, _ = read(GCC.replace("error:", "\x1b[01;31m\x1b[Kerror: \x1b[m\x1b[K").replace("error: ", "error:"))
    assert plain == stamped
    assert [f[0] for f in coloured] == [f[0] for f in plain]


def test_the_output_that_a_container_build_repeats_is_read_once() -> None:
    error = "src/f90.c:12:5: error: unknown type name 'foo_t'"
    rows = [
        f"#9 15.22 {error}",
        "#9 ERROR: process failed: exit code: 2",
        "------",
        " > [4/6] RUN make:",
        f"15.22 {error}",
    ]
    items = parse_lines(enumerate([*rows, "------", f"15.30 {error}"], 1))
    assert [item.number for item in items if isinstance(item, BuildFinding)] == [1, 7]


def test_checks_that_passed_are_no_findings() -> None:
    log = 'Check: CKV_1: "Ensure x"\n\tPASSED for resource: a\n\tFile: /main.tf:1-3\n\tCalling File: /b.tf:1-2\n' * 2
    items = parse_lines(
        enumerate((log + 'Check: CKV_2: "Ensure y"\n\tFAILED for resource: b\n\tFile: /c.tf:4-5').split("\n"), 1)
    )
    assert [item.kind for item in items[:-1]] == ["passed"] * 8
    assert (items[-1].code, items[-1].path, items[-1].end) == ("CKV_2", "/c.tf", 11)


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
