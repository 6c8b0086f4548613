"""Findings that are written as sentences."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.builds.findings import MAX_LINE_LENGTH, parse_finding, parse_sentence
from tests.example_counts import count_examples

LINES = {
    "src/a.c:3:5: error: ‘x’ undeclared (first use in this function)": ("src/a.c", "error", ""),
    "src/a.c:3:5: warning: unused variable ‘y’ [-Wunused-variable]": ("src/a.c", "warning", "-Wunused-variable"),
    "a.h:1:10: fatal error: no.h: No such file or directory": ("a.h", "error", ""),
    "src/a.ts(12,3): error TS2304: Cannot find name 'x'.": ("src/a.ts", "error", "TS2304"),
    "src/a.ts:12:3 - error TS2304: Cannot find name 'x'.": ("src/a.ts", "error", "TS2304"),
    "Program.cs(7,13): warning CS0219: The variable is assigned [/a/b.csproj]": ("Program.cs", "warning", "CS0219"),
    "pkg/a.py:3: error: Incompatible types in assignment  [assignment]": ("pkg/a.py", "error", "assignment"),
    "pkg/a.py:1:80: E501 line too long (90 > 79 characters)": ("pkg/a.py", "error", "E501"),
    "pkg/a.py:1:8: F401 [*] `os` imported but unused": ("pkg/a.py", "error", "F401"),
    "a.py:4:4: C0116: Missing function or method docstring (missing-function-docstring)": ("a.py", "warning", "C0116"),
    "a.py:4:4: E0602: Undefined variable 'x' (undefined-variable)": ("a.py", "error", "E0602"),
    "/p/a.js:3:7: 'x' is not defined. [Error/no-undef]": ("/p/a.js", "error", "no-undef"),
    "/p/a.js: line 3, col 7, Warning - Expected curly (curly)": ("/p/a.js", "warning", "curly"),
    "A.java:5: warning: [rawtypes] found raw type: List": ("A.java", "warning", "rawtypes"),
    "[ERROR] /p/A.java:[5,9] cannot find symbol": ("/p/A.java", "error", ""),
    "./main.go:7:2: undefined: x": ("./main.go", "error", ""),
    "vet: ./main.go:7:2: undeclared name: x": ("./main.go", "error", ""),
    "a.sh:3:6: note: Double quote to prevent globbing. [SC2086]": ("a.sh", "warning", "SC2086"),
    "e: file:///p/A.kt:3:5 Unresolved reference: x": ("/p/A.kt", "error", ""),
    "app/a.rb:1:1: C: [Correctable] Style/FrozenStringLiteralComment: Missing": (
        "app/a.rb",
        "warning",
        "Style/FrozenStringLiteralComment",
    ),
    "C:\\p\\My Files\\a.cpp(3): error C2065: 'x': undeclared identifier": ("C:\\p\\My Files\\a.cpp", "error", "C2065"),
    "src/lib.rs:3:5: error[E0425]: cannot find value `x`": ("src/lib.rs", "error", "E0425"),
    "a.cpp:27:  Tab found; better to use spaces  [whitespace/tab] [1]": ("a.cpp", "warning", "whitespace/tab"),
    "C:\\a\\b.h(27):  Missing space after ,  [whitespace/comma] [3]": ("C:\\a\\b.h", "warning", "whitespace/comma"),
    "C:\\Program Files (x86)\\include\\type_traits(1534,1): warning C4267: 'argument': conversion": (
        "C:\\Program Files (x86)\\include\\type_traits",
        "warning",
        "C4267",
    ),
    "<unknown>:0: warning: passing argument of non-sendable type 'T'": ("<unknown>", "warning", ""),
    "<command-line>:0:0: error: macro names must be identifiers": ("<command-line>", "error", ""),
    '"/home/main.cpp", line 21: Error:  #5: cannot open source input file': ("/home/main.cpp", "error", ""),
    '"usi.cpp", line 212: Warning, badargtype: String literal converted': ("usi.cpp", "warning", ""),
    '"lint.c", line 7: warning (dcc:1521): missing return expression': ("lint.c", "warning", "dcc:1521"),
    '"a.cpp", line 2: error #20-D: identifier "x" is undefined': ("a.cpp", "error", "#20-D"),
    "/p/file1.f90(1): warning #6843: A dummy argument is not given a value": ("/p/file1.f90", "warning", "#6843"),
    "trunk/http.py:3: [C] Line too long (85/80)": ("trunk/http.py", "warning", "C"),
    "trunk/http.py:3: [E0602, main] Undefined variable": ("trunk/http.py", "error", "E0602"),
    "o.xml:4: element qty: Schemas validity error : Element 'qty': '0' is no value": ("o.xml", "error", ""),
    "xml/other.xml:5: parser error : Opening and ending tag mismatch": ("xml/other.xml", "error", ""),
    "roles/main.yml:41: no-changed-when: Commands should not change things": (
        "roles/main.yml",
        "warning",
        "no-changed-when",
    ),
    "a/b.c:32:  [5] (race) chown:  This accepts filename arguments": ("a/b.c", "warning", "race"),
    "[WARNING] /p/A.java:[1] [DefaultPackage] Java classes in default package": (
        "/p/A.java",
        "warning",
        "DefaultPackage",
    ),
    "1. ERROR in C:\\a\\E C.java (at line 8)": ("C:\\a\\E C.java", "error", ""),
    "PHP Parse error:  syntax error, unexpected '}' in /p/a.php on line 12": ("/p/a.php", "error", ""),
    "Warning: Undefined variable $x in C:\\My Site\\a.php on line 3": ("C:\\My Site\\a.php", "warning", ""),
    'syntax error at lib/A.pm line 7, near "my "': ("lib/A.pm", "error", ""),
    "- a.c:3: warning: x [-Wfoo]": ("a.c", "warning", "-Wfoo"),
    "-   - a.c:3 warning:[-Wfoo]": ("a.c", "warning", "-Wfoo"),
    "\u2022 src/b.py:3:1: E501 too long": ("src/b.py", "error", "E501"),
    "/d/p1.rst: WARNING: document isn't included in any toctree [toc.not_included]": ("/d/p1.rst", "warning", "toc.not_included"),
    "/p/dir.pl: Code before warnings are enabled at line 10, column 1.  See page 431 of PBP.": (
        "/p/dir.pl",
        "warning",
        "",
    ),
}
NONE = (
    "2026-01-02 10:20:30 error: disk full",
    "Jan  2 03:04:05 host app[3]: error: x",
    "http://localhost:8080: error: refused",
    "src/a.py:12:    raise ValueError('error: x')",
    "src/a.py:12:def main():",
    "at f (/p/a.js:3:5)",
    '  File "a.py", line 3, in f',
    "see section 3:12, for the rest",
    "ratio 16:9",
)


@pytest.mark.parametrize("line", LINES)
def test_a_finding_is_read_from_its_line(line: str) -> None:
    found = parse_finding(line, 7)
    assert found is not None
    assert (found.path, found.severity, found.code, found.number) == (*LINES[line], 7)


@pytest.mark.parametrize("line", NONE)
def test_other_lines_are_no_findings(line: str) -> None:
    assert parse_finding(line, 1) is None


def test_messages_that_differ_in_what_they_quote_have_one_form() -> None:
    one, other = (parse_finding(f"a.c:{n}:1: error: ‘{name}’ undeclared", n) for n, name in ((1, "x"), (2, "yy")))
    assert one.message_form == other.message_form == "… undeclared"


@settings(max_examples=count_examples(100), deadline=None)
@given(st.text(alphabet="ab:()[]0 1,.-/error\u2501", max_size=60))
def test_no_line_is_too_strange(line: str) -> None:
    found = parse_finding(line, 1)
    assert found is None or found.path


@pytest.mark.parametrize(
    ("rest", "rated"),
    [
        ("error: x [id]", True),
        ("warning: x [id]", True),
        ("style: x [id]", False),
        ("E501 x", False),
        ("C: Style/Not: x", False),
        ("W: Lint/Void: x", True),
        (" Tab found  [whitespace/tab] [1]", False),
        ("DL3015 info: x", False),
        ("DL3020 error: x", True),
    ],
)
def test_only_errors_and_warnings_are_counted_by_name(rest: str, rated: bool) -> None:
    finding = parse_finding(f"src/a.c:3:1: {rest}", 1)
    assert finding is not None
    assert finding.rated is rated


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a.c:1:2: style: The function 'f' is never used. [unusedFunction]", "unusedFunction"),
        ("a.c:1:2: information: Skipping configuration. [ConfigurationNotChecked]", "ConfigurationNotChecked"),
    ],
)
def test_a_code_of_several_words_stands_at_the_end(text: str, code: str) -> None:
    assert parse_finding(text, 1).code == code


def test_the_grade_is_the_stated_word_if_it_is_neither_error_nor_warning() -> None:
    grades = [parse_finding(f"a.c:1:2: {word}: text [abc]", 1).grade for word in ("style", "information", "error")]
    assert grades == ["style", "information", ""]


def test_a_severity_behind_the_code_is_the_grade() -> None:
    assert parse_finding("Dockerfile:3 DL3015 info: Avoid more packages", 1).grade == "info"


@pytest.mark.parametrize(
    ("text", "rated"),
    [
        ("./main.go:7:2: can inline New with cost 5", False),
        ("shop/v1/a.proto:4:1:Import is unused.", False),
        ("vet: ./main.go:7:2: undeclared name: x", True),
    ],
)
def test_a_message_without_a_severity_is_a_finding(text: str, rated: bool) -> None:
    assert parse_finding(text, 1).rated is rated


@pytest.mark.parametrize(
    ("line", "severity", "code"),
    [
        ("[WARN] a/B.java:4:1: 'x' should be separated. [EmptyLineSeparator]", "warning", "EmptyLineSeparator"),
        ("[ERROR] a/B.java:4:1: WhitespaceAround: '=' is not. [WhitespaceAround]", "error", "WhitespaceAround"),
        ("a.rst:3: (WARNING/2) Inline literal start-string without end-string.", "warning", ""),
        ("a.rst:3: (ERROR/3) Unexpected indentation.", "error", ""),
    ],
)
def test_a_severity_before_the_file_or_with_a_level_is_stated(line: str, severity: str, code: str) -> None:
    finding = parse_finding(line, 1)
    assert finding is not None
    assert (finding.severity, finding.code, finding.rated) == (severity, code, True)


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("1. ERROR in /w/A.java (at line 3)", ("/w/A.java", "error", "")),
        ("PHP Parse error:  syntax error, unexpected end of file in /w/a.php on line 9", ("/w/a.php", "error", "syntax error, unexpected end of file")),
        ("Deprecated: Function f() is old in /w/a.php on line 9", ("/w/a.php", "warning", "Function f() is old")),
        ('syntax error at lib/A.pm line 7, near "}"', ("lib/A.pm", "error", "syntax error")),
        ("It stands at line 7.", None),
        ("plain words", None),
        (f"{'x' * MAX_LINE_LENGTH} at a.pl line 3.", None),
    ],
)
def test_a_sentence_names_file_severity_and_message(text: str, finding) -> None:
    assert parse_sentence(text) == finding
