from ctxkit.core.lint.document.workspace import TokenLimits
from ctxkit.core.lint.rules.budget import findings
from tests.core.lint.places import workspace

FILES = {"AGENTS.md": "one two three four\n", "web/AGENTS.md": "five six\n"}


def over(**limits):
    return [(one.code, one.path, one.tokens) for one in findings(workspace(FILES)._replace(limits=TokenLimits(**limits)))]


def test_there_is_no_limit_until_one_is_set() -> None:
    assert over() == []


def test_files_and_load_sets_over_their_limits_are_told_of() -> None:
    assert over(file_tokens=3) == [("BUD001", "AGENTS.md", 1)]
    assert over(by_path={"web/AGENTS.md": 1}) == [("BUD001", "web/AGENTS.md", 1)]
    assert set(over(set_tokens=5)) == {("BUD002", "AGENTS.md", 1)}
