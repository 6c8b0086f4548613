from ctxkit.core.lint.costs import compute_costs
from ctxkit.core.lint.run import replace_texts
from tests.core.lint.places import workspace


def test_files_and_sets_are_counted_before_and_after() -> None:
    before = workspace({"AGENTS.md": "a b c\n", "docs/x.md": "one two\n"}, prompt="p q")
    found = compute_costs(before, replace_texts(before, {"AGENTS.md": "a\n"}))
    assert [(cost.name, cost.before, cost.after) for cost in found.files] == [("prompt.txt", 2, 2), ("AGENTS.md", 3, 1)]
    assert {(cost.before, cost.after, cost.saving) for cost in found.sets} == {(5, 3, 2)}
