from ctxkit.core.brief.kinds import junit_xml as kind

LOG = """\
<?xml version="1.0" encoding="utf-8"?>
<testsuites tests="3" failures="1" errors="1">
  <testsuite name="box" tests="3" failures="1" errors="1">
    <testcase classname="box.Box" name="fine" time="0.1"/>
    <testcase classname="box.Box" name="keeps &quot;a&quot;" file="box.py" line="4">
      <failure message="1 &lt; 2 is wrong" type="AssertionError"><![CDATA[Traceback:
  box.py:5 <testcase name="no">
</failure> is not the end]]></failure>
    </testcase>
    <testcase classname="box.Box" name="late">
      <error>RuntimeError: no room</error>
    </testcase>
  </testsuite>
</testsuites>
"""


def test_what_a_report_says(trial) -> None:
    text = trial(kind).map(LOG)
    assert '- 2: <testsuites tests="3" failures="1" errors="1">\n' in text
    assert 'Lines 5-9: box.Box keeps "a"\n' in text
    assert "  - 6: 1 &lt; 2 is wrong\n" in text
    assert "Lines 10-12: box.Box late\n" in text
    assert "RuntimeError: no room\n" in text
    assert " fine" not in text


def test_a_report_on_one_line_is_placed_by_bytes(trial) -> None:
    case = '<testcase classname="a.B" name="t"><failure message="boom">x</failure></testcase>'
    fill = "".join(f'<testcase classname="a.B" name="ok{n}"/>' for n in range(2_000))
    log = f'<?xml version="1.0"?><testsuite tests="2001" failures="1">{fill}{case}</testsuite>'
    start = log.index('<testcase classname="a.B" name="t">')
    text = trial(kind).map(log)
    assert f"a.B t (bytes {start}-{start + len(case)})" in text
    assert "- 1: boom\n" in text


def test_a_report_cut_below_says_so(trial) -> None:
    assert "- no end of the report in this log\n" in trial(kind).map(
        LOG[: LOG.index('    <testcase classname="box.Box" name="late"')]
    )


def test_a_report_without_cases(trial) -> None:
    assert "- no test case in this report\n" in trial(kind).map('<?xml version="1.0"?>\n<testsuite tests="0"/>\n')


def test_other_xml_is_left_alone(trial) -> None:
    assert trial(kind).known('<?xml version="1.0"?>\n<project><test name="a"/></project>\n') != kind.NAME


def test_a_report_cut_above_without_failures_says_what_is_there(trial) -> None:
    text = trial(kind).map('<testcase name="a"/>\n<testcase name="b"></testcase>\n</testsuite>\n</testsuites>\n')
    assert "- no beginning of the report in this log: nothing says how many tests there were\n" in text
    assert "- none of the 2 test cases here is marked as failed\n" in text


def test_a_failing_case_that_begins_above_the_log_is_told(trial) -> None:
    text = trial(kind).map("E  assert 1\n</failure></testcase><testcase name='b'/>\n</testsuite>\n</testsuites>\n")
    assert "- Lines 1-2: the end of a failing case that begins above this log\n" in text


def test_a_report_cut_above_is_known_by_cases_that_passed(trial) -> None:
    rows = "".join(f'<testcase name="t{at}" time="0.1" />' for at in range(900))
    text = trial(kind).map(f"E  assert 1\n</failure></testcase>\n{rows}</testsuite></testsuites>")
    assert "the end of a failing case that begins above this log" in text
