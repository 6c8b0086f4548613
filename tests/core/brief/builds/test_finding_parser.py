import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.builds import finding_parser
from ctxkit.core.brief.builds.finding_parser import FindingParser
from ctxkit.core.brief.builds.findings import BuildEvent, ReaderState
from tests.core.brief.builds.parsing import parse_lines


def parse(text, *, plain=False):
    state, events = ReaderState(), []
    parser = FindingParser(state, events.append, lambda: setattr(state, "head", None), plain=plain)
    findings = [parser.parse(line, number) for number, line in enumerate(text.split("\n"), 1)]
    return [finding for finding in findings if finding], state, events


@pytest.mark.parametrize(
    ("text", "path", "code", "number"),
    [
        ("src/a.js\n  3:1  error  Unexpected var  no-var", "src/a.js", "no-var", 2),
        ("error[E0425]: cannot find value\n  --> src/a.rs:3:5", "src/a.rs", "E0425", 1),
        ("error[unpinned-uses]: not pinned\n  --> ./ci.yml:9:15", "./ci.yml", "unpinned-uses", 1),
        ("In a.sh line 3:\n  ^-- SC2086 (info): Double quote", "a.sh", "SC2086", 2),
        ("== [m4.sql] FAIL\nL:  29 | P:  20 |  PRS | Couldn't find bracket", "m4.sql", "PRS", 2),
    ],
)
def test_a_finding_takes_its_place_from_another_line(text: str, path: str, code: str, number: int) -> None:
    findings, _, _ = parse(text)
    assert [(finding.path, finding.code, finding.number) for finding in findings] == [(path, code, number)]


def test_a_finding_ends_at_its_place() -> None:
    findings, state, _ = parse("✘ [ERROR] Could not resolve 'x'\n    a.js:1:2:")
    assert (findings[0].end, state.head) == (2, None)


def test_a_check_that_passed_is_no_finding() -> None:
    findings, state, events = parse('Check: CKV_1: "Ensure x"\n\tPASSED for resource: a')
    assert (findings, [event.kind for event in events], state.passed) == ([], ["passed", "passed"], 2)


def test_a_place_and_a_message_are_a_finding_only_if_the_log_is_plain() -> None:
    assert not parse("a.py:3: unused variable 'x'")[0]
    assert parse("a.py:3: unused variable 'x'", plain=True)[0]


def test_a_severity_before_a_rule_in_brackets_is_stated() -> None:
    findings, _, _ = parse("warning[artipacked]: credentials persist\n  --> ./ci.yml:9:15")
    assert [(finding.severity, finding.rated) for finding in findings] == [("warning", True)]


def test_the_help_of_maven_below_an_error_is_no_error() -> None:
    rows = ["[ERROR] no such goal", "[ERROR] [Help 1] http://a.example", "[ERROR] For more information about the errors"]
    findings, _, _ = parse("\n".join(rows))
    assert [finding.message for finding in findings] == ["no such goal"]


def test_rows_below_a_file_at_the_margin_state_their_severity() -> None:
    findings, _, _ = parse("docs/a.md\n5:2  warning Unexpected space  bullet-indent\n12:30 to lunch")
    assert [(finding.path, finding.severity, finding.code, finding.number) for finding in findings] == [
        ("docs/a.md", "warning", "bullet-indent", 2)
    ]


def test_a_tick_before_a_severity_marks_what_can_be_fixed() -> None:
    findings, _, _ = parse("docs/a.md\n  7:25  \u2713 error  Incorrect term  terminology")
    assert [(finding.severity, finding.rated, finding.code) for finding in findings] == [("error", True, "terminology")]


def test_errors_of_a_linker_are_told_apart_by_symbol_and_the_function_above_them_is_no_error() -> None:
    text = "/usr/bin/ld: /tmp/x.o: in function `main':\na.c:(.text+0x3c): undefined reference to `f'\n/usr/bin/ld: a.c:(.text+0x4e1b): undefined reference to `f'"
    findings, _, _ = parse(text + "\n/usr/bin/ld: cannot find -lnone: No such file or directory")
    same = ("a.c", "undefined reference to `f'")
    assert [(row.path, row.message) for row in findings] == [
        same,
        same,
        ("", "cannot find -lnone: No such file or directory"),
    ]


def test_an_error_of_a_linker_names_the_line_of_its_source_with_and_without_the_linker_before_it() -> None:
    rows = [
        "/usr/bin/ld: t.p/a.c.o: in function `main':",
        "/src/a.c:71: undefined reference to `f'",
        "/usr/bin/ld: /src/a.c:76: undefined reference to `g'",
        "/usr/bin/ld: b.o:/src/b.c:3: multiple definition of `x'; a.o:/src/a.c:1: first defined here",
        "/usr/bin/ld: libx.a(c.o):c.c:(.text+0x1): more undefined references to `f' follow",
    ]
    findings, _, _ = parse("\n".join(rows))
    assert [(row.path, row.number) for row in findings] == [("/src/a.c", 2), ("/src/a.c", 3), ("/src/b.c", 4), ("c.c", 5)]


LINES = {
    "a.md:3:81 MD013/line-length Line length [Expected: 80]": ("a.md", "error", "MD013/line-length", False),
    "a.md:3 error MD041/first-line-h1 First line": ("a.md", "error", "MD041/first-line-h1", True),
    "Dockerfile:3 DL3008 warning: Pin versions": ("Dockerfile", "error", "DL3008", False),
    "a.py:1:2 [FURB101]: Use read_text": ("a.py", "error", "FURB101", False),
    "a.haml:3 [W] ClassesBeforeIds: Classes first": ("a.haml", "warning", "", True),
    "./x.pp - WARNING: class not documented on line 1 (check: documentation)": (
        "./x.pp",
        "warning",
        "documentation",
        True,
    ),
    "line 3 column 1 - Warning: missing title": ("", "warning", "", True),
    "[warn] src/a.css": ("src/a.css", "warning", "", True),
    "W: pkg: old-fsf-address usr/share/doc": ("pkg", "warning", "old-fsf-address", True),
    "I: pkg: unused-override usr/lib": ("pkg", "warning", "unused-override", False),
    "P: pkg source: no-homepage-field": ("pkg source", "warning", "no-homepage-field", False),
    "X: pkg: duplicate-files a.html b.html": ("pkg", "warning", "duplicate-files", False),
    "E: pkg: no-copyright-file": ("pkg", "error", "no-copyright-file", True),
    "a.haml:3 [C] ClassesBeforeIds: Classes first": ("a.haml", "warning", "", False),
    "line 3 column 1 - Info: value of attribute": ("", "warning", "", False),
    "pyproject.toml: DEP002 'x' defined but not used": ("pyproject.toml", "error", "DEP002", False),
}
ROWS = {
    "  1:2   \u2716  Unknown property  property-no-unknown": ("error", "property-no-unknown"),
    "  1:1       warning  missing document start  (document-start)": ("warning", "document-start"),
    "L:   1 | P:  10 | LT01 | Expected single whitespace": ("error", "LT01"),
    " 12 | WARNING | [x] Line exceeds 85 characters": ("warning", ""),
}
BLOCKS = {
    ">> Issue: [B101:assert_used] Use of assert.\n   Severity: Low\n   Location: ./a.py:3:4": (
        "./a.py",
        "B101:assert_used",
    ),
    'Check: CKV_1: "Ensure"\n\tFAILED for resource: x\n\tFile: /main.tf:28-53': ("/main.tf", "CKV_1"),
    "ERROR No attribute `name` [missing-attribute]\n   --> src/a.py:5:2\n    |": ("src/a.py", "missing-attribute"),
    "  ! eslint(no-var): Unexpected var.\n   ,-[css/j.js:3:10]\n 2 | if": ("css/j.js", "eslint(no-var)"),
    "yaml[line-length]: Line too long\ntasks/main.yml:3": ("tasks/main.yml", "yaml[line-length]"),
    "a.py:16 in public class `B`:\n        D101: Missing docstring": ("a.py", "D101"),
    "In a.sh line 3:\nrm $f\n^-- SC2086 (info): Double quote.": ("a.sh", "SC2086"),
}


@pytest.mark.parametrize("text", LINES)
def test_a_line_is_a_finding(text: str) -> None:
    finding = finding_parser.parse_shape(text, 7)
    assert (finding.path, finding.severity, finding.code, finding.rated) == LINES[text]
    assert (finding.number, finding.start, finding.end) == (7, 7, 7)


@pytest.mark.parametrize("text", ROWS)
def test_a_row_belongs_to_the_file_above(text: str) -> None:
    finding = finding_parser.parse_row(text, "a.css", 2)
    assert (finding.path, finding.severity, finding.code) == ("a.css", *ROWS[text])


def test_the_bars_around_a_severity_are_no_part_of_the_message() -> None:
    rows = [" 5 | ERROR   | [x] Expected 1 space", "15 | ERROR | [x] Expected 1 space", " 6 | WARNING | [ ] Expected"]
    messages = [finding_parser.parse_row(row, "a.php", 2).message for row in rows]
    assert messages == ["[x] Expected 1 space", "[x] Expected 1 space", "[ ] Expected"]


@pytest.mark.parametrize("text", BLOCKS)
def test_message_and_place_on_several_lines_are_one_finding(text: str) -> None:
    [finding] = [item for item in parse_lines(enumerate(text.split("\n"), 1)) if not isinstance(item, BuildEvent)]
    assert (finding.path, finding.code) == BLOCKS[text]


def test_a_check_that_passed_is_not_a_finding() -> None:
    text = 'Check: CKV_1: "Ensure"\n\tPASSED for resource: x\n\tFile: /main.tf:28-53'
    assert all(isinstance(item, BuildEvent) for item in parse_lines(enumerate(text.split("\n"), 1)))


def test_a_place_and_a_message_are_a_finding_only_where_a_blank_divides_them() -> None:
    finding = finding_parser.parse_plain("a.py:3: unused import 'os' (90% confidence)", 1)
    assert (finding.path, finding.rated) == ("a.py", False)
    assert finding_parser.parse_plain("a.py:3:import os", 1) is None
    assert finding_parser.parse_plain("a.py:3:    import os", 1) is None


@pytest.mark.parametrize(
    "text", ["see line 4", "Error in line", "12:30 lunch", "key: value", "[info] done", "W: GPG error: x"]
)
def test_other_lines_are_not_findings(text: str) -> None:
    assert finding_parser.parse_shape(text, 1) is None


@pytest.mark.parametrize(
    "text", ["INFO src/a.py:3: formatted", "On 2026-03-01 at 10:15:00 it rained.", "He wrote. It was 10:15: too late"]
)
def test_neither_a_line_of_a_logger_nor_a_time_is_a_plain_finding(text: str) -> None:
    assert finding_parser.parse_plain(text, 1) is None


@given(st.text(min_size=1))
def test_any_line_can_be_read(text: str) -> None:
    findings = [finding_parser.parse_shape(text, 1), finding_parser.parse_plain(text, 1), finding_parser.parse_row(text, "a", 1)]
    assert all(finding.message in text for finding in findings if finding)
    head = finding_parser.parse_message_head(text)
    assert head is None or head.message in text
    assert finding_parser.parse_place(text) in text


@pytest.mark.parametrize(
    ("text", "code", "severity", "message"),
    [
        ('✘ [ERROR] Could not resolve "x"', "", "error", 'Could not resolve "x"'),
        ("▲ [WARNING] Suspicious [impossible-typeof]", "impossible-typeof", "warning", "Suspicious"),
    ],
)
def test_a_sign_and_a_severity_in_brackets_announce_a_finding(text: str, code: str, severity: str, message: str) -> None:
    head = finding_parser.parse_message_head(text)
    assert head is not None
    assert (head.code, head.severity, head.message) == (code, severity, message)


def test_a_place_may_end_with_a_colon() -> None:
    assert finding_parser.parse_place("    src/e1.js:1:116:") == "src/e1.js"


def test_a_code_between_bars_needs_no_number() -> None:
    finding = finding_parser.parse_row("L:  29 | P:  20 |  PRS | Couldn't find closing bracket.", "m4.sql", 3)
    assert finding is not None
    assert (finding.code, finding.message) == ("PRS", "Couldn't find closing bracket.")


@pytest.mark.parametrize(("path", "plain"), [("ChangeLog", True), ("Makefile", True), ("Step", False), ("INFO", False)])
def test_a_plain_finding_needs_the_name_of_a_file(path: str, plain: bool) -> None:
    assert (finding_parser.parse_plain(f"{path}:729: Mey ==> May", 1) is not None) == plain


def test_a_time_after_a_date_is_no_place() -> None:
    assert finding_parser.parse_plain("-rw-r--r-- runner/docker   114 2024-03-01 18:35 GMT+0", 1) is None
    assert finding_parser.parse_plain("my notes/a b.txt:18: word", 1) is not None


@pytest.mark.parametrize(
    ("text", "severity", "code", "rated"),
    [
        ("  /src/a.js:9:13: Extra semicolon. (semi)", "error", "semi", False),
        ("  /src/a.js:9:1: Unexpected var. (no-var) (warning)", "warning", "no-var", True),
        ("/src/a.js:9:1: Unexpected var. [error]", "error", "", True),
        ("/src/a.js:9:1: Two words (not one)", "error", "", False),
    ],
)
def test_a_rule_and_a_severity_may_stand_behind_a_plain_message(
    text: str, severity: str, code: str, *, rated: bool
) -> None:
    finding = finding_parser.parse_plain(text, 3)
    assert finding is not None
    assert (finding.path, finding.severity, finding.code, finding.rated) == ("/src/a.js", severity, code, rated)


@pytest.mark.parametrize("text", ["  1 a.ts:4:3 \u203a cart \u203a adds", "   a.ts:4:3 \u203a cart", "  a.js:9: no column"])
def test_an_indented_plain_finding_has_a_column(text: str) -> None:
    assert finding_parser.parse_plain(text, 3) is None
