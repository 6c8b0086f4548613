import pytest

from ctxkit.core.brief.builds.finding_parser import FindingParser
from ctxkit.core.brief.builds.reader_state import ReaderState


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
