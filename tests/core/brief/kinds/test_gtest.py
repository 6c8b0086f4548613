from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import gtest
from ctxkit.core.text import lines

LOG = """Running main() from gtest_main.cc
[==========] Running 3 tests from 1 test suite.
[ RUN      ] Paths.Joins
[       OK ] Paths.Joins (0 ms)
[ RUN      ] Paths.Splits/2
loading
src/paths_test.cc:41: Failure
Expected equality of these values:
  split("a/b").size()
    Which is: 3
  2
[  FAILED  ] Paths.Splits/2, where GetParam() = "a/b" (1 ms)
[ RUN      ] Paths.Crashes
[==========] 3 tests from 1 test suite ran. (2 ms total)
[  PASSED  ] 1 test.
[  FAILED  ] 1 test, listed below:
[  FAILED  ] Paths.Splits/2, where GetParam() = "a/b"

 1 FAILED TEST
"""


def document(text, name=""):
    content = lines.lines_from_bytes(text.encode())
    return InputDocument(content, content.read, len, 2000, name)


def labels(outlines):
    def walk(entries):
        for entry in entries:
            yield entry.label, entry.start, entry.end
            yield from walk(entry.children)

    return [row for section in outlines[0].sections for row in walk(section.entries)]


def test_a_failing_test_has_the_lines_from_its_start_to_its_failure() -> None:
    found = labels(gtest.outline(document(LOG)))
    assert ("Paths.Splits/2", 5, 12) in [(label, start, end) for label, start, end in found]
    assert ("Expected equality of these values:", 8, 8) in found
    assert ("src/paths_test.cc:41: Failure", 7, 7) in found


def test_closing_lines_are_quoted() -> None:
    found = [row[:2] for row in labels(gtest.outline(document(LOG)))]
    assert ("[==========] 3 tests from 1 test suite ran. (2 ms total)", 14) in found
    assert ("1 FAILED TEST", 19) in found


def test_it_is_told_by_its_marks_but_not_in_source() -> None:
    assert gtest.sniff(document(LOG)) >= 0.9
    assert gtest.sniff(document(LOG, "notes.md")) == 0
    assert gtest.sniff(document("[  OK  ] Started Network Manager.\n[FAILED] Failed to start x.\n")) == 0


def test_text_without_marks_has_no_map() -> None:
    assert gtest.outline(document("nothing\n")) is None
