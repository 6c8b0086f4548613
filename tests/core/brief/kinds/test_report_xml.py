import pytest

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import report_xml as kind
from ctxkit.core.text import lines

TRX = """<?xml version="1.0" encoding="utf-8"?>
<TestRun id="1" xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010">
  <Results>
    <UnitTestResult testId="t1" testName="Adds" outcome="Passed" />
    <UnitTestResult testId="t2" testName="Divides" outcome="Failed">
      <Output><ErrorInfo>
        <Message>Assert.Equal() Failure
Expected: 3</Message>
        <StackTrace>   at Shop.Tests.Divides() in C:\\a.cs:line 7</StackTrace>
      </ErrorInfo></Output>
    </UnitTestResult>
  </Results>
  <TestDefinitions>
    <UnitTest id="t2"><TestMethod className="Shop.Tests, Shop" name="Divides" /></UnitTest>
  </TestDefinitions>
  <ResultSummary outcome="Failed">
    <Counters total="2" executed="2" passed="1" failed="1" error="0" />
    <RunInfos><RunInfo outcome="Error"><Text>[xUnit.net] Divides [FAIL]</Text></RunInfo></RunInfos>
  </ResultSummary>
</TestRun>
"""
NUNIT = """<?xml version="1.0"?>
<test-run id="2" result="Failed" total="2" passed="1" failed="1">
  <test-suite type="Assembly" name="a.dll" result="Failed">
    <failure><message><![CDATA[One or more child tests had errors]]></message></failure>
    <test-case fullname="N.F.Good" name="Good" result="Passed" />
    <test-case fullname="N.F.Bad" name="Bad" classname="N.F" result="Failed">
      <failure>
        <message><![CDATA[  Expected: True
  But was: False]]></message>
        <stack-trace><![CDATA[at N.F.Bad() in f.cs:line 3]]></stack-trace>
      </failure>
    </test-case>
  </test-suite>
</test-run>
"""
XUNIT = """<assemblies>
  <assembly name="/x/a.dll" run-date="2026-01-01" total="1" passed="0" failed="1" skipped="0" time="0.5">
    <collection name="c"><test name="N.T.Fails" type="N.T" method="Fails" result="Fail">
      <failure exception-type="E"><message>E : broke</message></failure>
    </test></collection>
  </assembly>
</assemblies>
"""


@pytest.fixture
def labels(trial):
    def of(text):
        trial(kind).check(text)
        data = text.encode()
        held = InputDocument(lines.lines_from_bytes(data), lambda at, size: data[at : at + size], lambda text: len(text) // 3, 2_000, "log")
        waiting = [entry for section in kind.outline(held)[0].sections for entry in section.entries]
        for entry in waiting:
            waiting.extend(entry.children)
        return [(entry.start, entry.end, entry.label) for entry in waiting]

    return of


def test_each_format_is_known(trial) -> None:
    assert [trial(kind).known(text) for text in (TRX, NUNIT, XUNIT)] == [kind.NAME] * 3
    assert trial(kind).known("<assembly><a/><b/><c/></assembly>") != kind.NAME


def test_a_failing_test_of_trx_has_its_class_message_and_trace(labels) -> None:
    found = labels(TRX)
    assert (17, 17, "total 2, executed 2, passed 1, failed 1") in found
    assert (5, 11, "Shop.Tests.Divides") in found
    assert (7, 7, "<Message>Assert.Equal() Failure") in found
    assert (9, 9, "<StackTrace>   at Shop.Tests.Divides() in C:\\a.cs:line 7</StackTrace>") in found
    assert not any("RunInfo" in label for _, _, label in found)


def test_a_suite_whose_tests_failed_is_no_failure_of_its_own(labels) -> None:
    found = labels(NUNIT)
    assert (6, 12, "N.F.Bad") in found
    assert (8, 8, "<message><![CDATA[  Expected: True") in found
    assert not any("child tests" in label for _, _, label in found)


def test_a_suite_that_could_not_be_set_up_is_an_error(labels) -> None:
    text = NUNIT.replace('classname="N.F" result="Failed"', 'classname="N.F" result="Skipped"')
    assert (3, 13, "a.dll") in labels(text)


def test_a_failing_test_of_xunit_is_told(labels) -> None:
    found = labels(XUNIT)
    assert (2, 2, "a.dll, total 1, failed 1, time 0.5") in found
    assert (3, 5, "N.T.Fails") in found
    assert (4, 4, '<failure exception-type="E"><message>E : broke</message></failure>') in found


def test_a_report_without_failures_has_the_map_of_xml(labels) -> None:
    found = [label for _, _, label in labels(TRX.replace('"Failed"', '"Passed"').replace('"Error"', '"Ok"'))]
    assert "none of the 2 test cases here is marked as failed" in found
    assert any(label.startswith("elements: ") for label in found)


def test_a_report_that_ends_early_is_read_up_to_there(labels) -> None:
    cut = TRX[: TRX.index("<TestDefinitions>")]
    found = labels(cut)
    assert (5, 11, "Divides") in found
    assert any("BROKEN" in label for _, _, label in found)


def test_lines_are_those_of_the_file_whatever_stands_before_or_within() -> None:
    text = b'\n\n<?xml version="1.0"?>\r<test-run><test-suite result="Failed">\r\n<message>no\rway</message></test-suite></test-run>\n'
    held = lines.lines_from_bytes(text)
    outline = kind.outline(InputDocument(held, held.read, len, 600))[0]
    assert [entry.start for section in outline.sections for entry in section.entries if "way" in str(entry)] == [3]
