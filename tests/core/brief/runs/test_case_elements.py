"""Failing cases of XML reports, also of broken ones."""

import pytest

from ctxkit.core.brief.runs.case_elements import KEPT_LINES, CaseReader

TRX = b"""<?xml version="1.0"?>
<TestRun>
 <TestDefinitions><UnitTest id="1"><TestMethod className="N.C, N"/></UnitTest></TestDefinitions>
 <Results>
  <UnitTestResult testId="1" testName="a" outcome="Passed"/>
  <UnitTestResult testId="1" testName="b" outcome="Failed">
   <Output><ErrorInfo><Message>one
two</Message><StackTrace>at x</StackTrace></ErrorInfo></Output>
  </UnitTestResult>
 </Results>
 <ResultSummary><Counters total="2" failed="1"/></ResultSummary>
</TestRun>
"""


def read(*pieces):
    reader = CaseReader()
    reader.read(pieces)
    return reader


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_failing_cases_have_their_lines_whatever_the_pieces(size: int) -> None:
    reader = read(*(TRX[at : at + size] for at in range(0, len(TRX), size)))
    (case,) = reader.failed
    assert (case.attributes["testName"], case.start, case.end) == ("b", 6, 9)
    assert {line: text.strip() for line, text in case.message.items() if text.strip()} == {7: "one", 8: "two"}
    assert list(case.trace.values()) == ["at x"]
    assert (reader.total, reader.classes, reader.broken) == (2, {"1": "N.C"}, "")
    assert [line for line, _ in reader.counts] == [11, 11]


def test_a_report_that_ends_early_keeps_what_was_read() -> None:
    reader = read(TRX[: TRX.index(b"</StackTrace>")])
    assert reader.broken != ""
    assert [case.attributes["testName"] for case in reader.failed] == ["b"]


def test_a_failed_suite_stays_only_without_a_failed_test() -> None:
    suite = b'<test-run><test-suite result="Failed"><failure><message>setup</message></failure>%s</test-suite></test-run>'
    assert [case.tag for case in read(suite % b"").failed] == ["test-suite"]
    assert [case.tag for case in read(suite % b'<test-case name="a" result="Failed"/>').failed] == ["test-case"]


def test_only_the_beginning_of_a_long_message_is_kept() -> None:
    text = b'<r><test-case result="Failed"><message>' + b"x\n" * 50 + b"</message></test-case></r>"
    assert len(read(text).failed[0].message) <= KEPT_LINES
