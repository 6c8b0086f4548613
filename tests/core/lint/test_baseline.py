import pytest

from ctxkit.core.lint.baseline import find_new, make_baseline, parse_baseline
from ctxkit.core.lint.run import LintOptions, collect_findings
from tests.core.lint.places import workspace

TAGS = "<think>\nOkay, the user wants tabs.\n</think>\n"


def test_what_is_known_is_left_out_as_often_as_it_is_known() -> None:
    one = collect_findings(workspace({"MEMORY.md": TAGS}), LintOptions())
    two = collect_findings(workspace({"MEMORY.md": f"- A fact above.\n\n{TAGS}\n- Another fact.\n\n{TAGS}"}), LintOptions())
    known = parse_baseline(make_baseline(one))
    assert find_new(one, known) == []
    assert [finding.line for finding in find_new(two, known)] == [9]


@pytest.mark.parametrize("value", [None, [], {}, {"findings": 1}, {"findings": [{}]}])
def test_what_is_no_baseline_is_refused(value) -> None:
    with pytest.raises(ValueError, match="baseline"):
        parse_baseline(value)
