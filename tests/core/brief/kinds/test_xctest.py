from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import xctest
from ctxkit.core.text import lines

APPLE = """Test Suite 'All tests' started at 2021-11-05 01:08:23.237
Test Case '-[AppTests.PathTests testJoins]' started.
Test Case '-[AppTests.PathTests testJoins]' passed (0.054 seconds).
Test Case '-[AppTests.PathTests testSplits]' started.
loading
/src/PathTests.swift:13: error: -[AppTests.PathTests testSplits] : XCTAssertEqual failed: ("3") is not equal to ("2")
Test Case '-[AppTests.PathTests testSplits]' failed (0.1 seconds).
Executed 2 tests, with 1 failure (0 unexpected) in 0.154 (0.156) seconds
** TEST FAILED **
"""
LINUX = APPLE.replace("-[AppTests.PathTests ", "PathTests.").replace("]'", "'").replace("] :", " :")
SWIFT = """◇ Test run started.
◇ Test splits() started.
✘ Test splits() recorded an issue at PathTests.swift:13:5: Expectation failed: (parts → 3) == 2
↳ the parts of a path
✘ Test splits() failed after 0.064 seconds with 1 issue.
✔ Test "joins names" passed after 0.001 seconds.
✘ Test run with 2 tests in 1 suite failed after 1.200 seconds with 1 issue.
"""


def document(text, name=""):
    content = lines.lines_from_bytes(text.encode())
    return InputDocument(content, content.read, len, 2000, name)


def labels(text):
    def walk(entries):
        for entry in entries:
            yield entry.label, entry.start, entry.end
            yield from walk(entry.children)

    return [row for section in xctest.outline(document(text))[0].sections for row in walk(section.entries)]


def test_a_failing_case_has_its_lines_its_message_and_the_closing_lines() -> None:
    found = labels(APPLE)
    assert ("AppTests.PathTests testSplits", 4, 7) in found
    assert APPLE.splitlines()[5] in [label for label, start, _ in found if start == 6]
    assert ("Executed 2 tests, with 1 failure (0 unexpected) in 0.154 (0.156) seconds", 8, 8) in found
    assert ("** TEST FAILED **", 9, 9) in found


def test_names_without_brackets_are_those_of_linux() -> None:
    assert ("PathTests.testSplits", 4, 7) in labels(LINUX)


def test_an_issue_of_swift_testing_stands_on_the_line_that_names_the_test() -> None:
    found = labels(SWIFT)
    assert ("splits()", 3, 4) in found
    assert SWIFT.splitlines()[2] in [label for label, start, _ in found if start == 3]
    assert (SWIFT.splitlines()[6], 7, 7) in found


def test_it_is_told_by_its_marks_but_not_in_source() -> None:
    for log in (APPLE, LINUX, SWIFT):
        assert xctest.sniff(document(log)) >= 0.85
    assert xctest.sniff(document(APPLE, "notes.md")) == 0
    assert xctest.sniff(document("✔ Test the door before you leave.\n")) == 0
