import pytest

from ctxkit.core.lint.baseline import beyond, read, written
from ctxkit.core.lint.linting import Job, found
from tests.core.lint.places import workspace

TAGS = "<think>\nOkay, the user wants tabs.\n</think>\n"


def test_what_is_known_is_left_out_as_often_as_it_is_known():
    one = found(workspace({"MEMORY.md": TAGS}), Job())
    two = found(workspace({"MEMORY.md": f"- A fact above.\n\n{TAGS}\n- Another fact.\n\n{TAGS}"}), Job())
    known = read(written(one))
    assert beyond(one, known) == []
    assert [finding.line for finding in beyond(two, known)] == [9]


@pytest.mark.parametrize("value", [None, [], {}, {"findings": 1}, {"findings": [{}]}])
def test_what_is_no_baseline_is_refused(value):
    with pytest.raises(ValueError, match="baseline"):
        read(value)
