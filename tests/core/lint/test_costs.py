from ctxkit.core.lint.costs import compute_costs, find_savings
from ctxkit.core.lint.document.finding import WARNING, LintFinding
from ctxkit.core.lint.run import replace_texts
from tests.core.lint.places import workspace


def test_files_and_sets_are_counted_before_and_after() -> None:
    before = workspace({"AGENTS.md": "a b c\n", "docs/x.md": "one two\n"}, prompt="p q")
    found = compute_costs(before, replace_texts(before, {"AGENTS.md": "a\n"}))
    assert [(cost.name, cost.before, cost.after) for cost in found.files] == [("prompt.txt", 2, 2), ("AGENTS.md", 3, 1)]
    assert {(cost.before, cost.after, cost.saving) for cost in found.sets} == {(5, 3, 2)}


LONG = "word " * 150 + "\n"


def found(files: dict[str, str], *findings: LintFinding) -> list[tuple[int, str, str]]:
    return [(saving.tokens, saving.path, saving.action.partition(":")[0]) for saving in find_savings(workspace(files), findings)]


def test_rules_without_a_condition_imports_and_long_files_cost_on_every_turn() -> None:
    files = {
        "CLAUDE.md": "@docs/a.md\n" + "x\n" * 199 + "y y\n" * 100,
        "docs/a.md": LONG,
        ".claude/rules/b.md": LONG * 2,
        ".claude/rules/c.md": f"---\npaths: '*.py'\n---\n{LONG * 9}",
        ".claude/skills/d/SKILL.md": LONG * 9,
    }
    assert found(files) == [
        (300, ".claude/rules/b.md", "limit it by paths"),
        (200, "CLAUDE.md", "keep 200 lines, and move what is needed at times into skills or scoped rules"),
        (150, "docs/a.md", "link to it instead of importing it"),
    ]


def test_copies_count_where_a_host_always_loads_them_and_a_file_has_one_saving() -> None:
    copies = [LintFinding("DUP002", WARNING, "AGENTS.md", line, line, "copy", tokens=80) for line in (1, 2)]
    lost = LintFinding("DUP002", WARNING, "skills/a/SKILL.md", 1, 1, "copy", tokens=500)
    files = {"AGENTS.md": "x\n", "skills/a/SKILL.md": "x\n"}
    assert found(files, *copies, lost) == [(160, "AGENTS.md", "remove its copies of other statements (findings DUP, --fix)")]


def test_small_savings_and_those_after_the_third_are_left_out() -> None:
    assert found({"CLAUDE.md": "x\n", ".claude/rules/a.md": "few words\n"}) == []
    assert len(found({f".claude/rules/{name}.md": LONG for name in "abcde"})) == 3
