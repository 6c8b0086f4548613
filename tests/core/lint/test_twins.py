import pytest

from ctxkit.core.lint.loads import Loads
from ctxkit.core.lint.twins import twins
from tests.core.lint.places import workspace

SAME = [
    ("Always run the test suite before you push a branch.", "Run the test suite before pushing a branch, always."),
    ("For each failure: verify it's reproducible before reporting", "Always verify a failure is reproducible before reporting it"),
    ("Include bash, curl, git, tar, and wget packages during installation", "During installation, include these packages: bash, curl, git, tar, and wget"),
    ("Use `thiserror` for error enums with structured variants", "Use `thiserror` for error enums — structured, semantic variants (not string bags)"),
    ("Never commit secrets to the repository.", "Important: never ever commit any secrets to the repository!"),
    ("Keep answers short and factual, without filler.", "Note that answers are to be kept short and factual, without filler."),
    ("提交代码之前必须先运行全部单元测试", "在提交代码之前，必须先运行全部的单元测试"),
    ("شغل جميع الاختبارات قبل رفع التغييرات إلى الفرع الرئيسي", "شغّل جميع الاختبارات دائما قبل رفع التغييرات إلى الفرع الرئيسي"),
]
OTHER = [
    ("Retry a failed upload up to 3 times.", "Retry a failed upload up to 5 times.", "number"),
    ("Keep the coverage of Python 3.10, 3.11 and 3.12 green.", "Keep the coverage of Python 3.10 and 3.11 green.", "number"),
    ("You may push to the main branch without review.", "You may not push to the main branch without review.", "negation"),
    ("Commit generated files to the repository.", "Never commit generated files to the repository.", "negation"),
    ("The importer reads its settings from `config/app.toml`.", "The importer reads its settings from `config/dev.toml`.", "name"),
    ("Store all session data in Postgres until the user logs out.", "Store all session data in Redis until the user logs out.", "name"),
    ("Deploy every release to the staging cluster first.", "Deploy every release to the production cluster first.", "opposite"),
    ("The notes generator fails before publishing if notes are empty.", "The notes generator fails after publishing if notes are empty.", "contrary"),
    ("Add new tests for any feature or bug fix.", "Remove new tests for any feature or bug fix.", "opposite"),
    ("`config` - Changes to configuration files or config handling", "`cli` - Changes to configuration files or config handling", "name"),
    ("**Owner of the billing service**: platform team", "**Owner of the search service**: platform team", "name"),
    ("Use tabs for the indentation of all files.", "Use spaces for the indentation of all files.", "contrary"),
    ("不要把生成的文件提交到主分支", "把生成的文件提交到主分支", "negation"),
]
UNLIKE = [
    ("Run the linter before each commit.", "Write commit messages in the imperative mood."),
    ("Supports pattern matching", "Shows current version and aliases"),
]  # fmt: skip


def found(one, two):
    made = workspace({"AGENTS.md": f"# A\n\n- {one}\n\n## More\n\n- Cats sleep in the sun.\n", "CLAUDE.md": f"# B\n\n- {two}\n"})
    return twins(made, Loads(made))


@pytest.mark.parametrize(("one", "two"), SAME)
def test_what_says_the_same_is_a_group(one, two):
    groups = found(one, two).groups
    assert [[unit.path for unit in group.units] for group in groups] == [["AGENTS.md", "CLAUDE.md"]]
    assert groups[0].score < 1


@pytest.mark.parametrize(("one", "two", "clash"), OTHER)
def test_what_looks_alike_and_says_something_else_is_a_clash(one, two, clash):
    result = found(one, two)
    assert result.groups == ()
    assert [one.likeness.clash for one in result.clashes] == [clash]


@pytest.mark.parametrize(("one", "two"), UNLIKE)
def test_what_is_unlike_is_nothing(one, two):
    assert found(one, two)[:2] == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        "- Move the mail to the Drafts folder when it is done.\n- Move the mail to the Review folder when it is done.\n",
        "| Likes | 100 per hour | Check the header |\n|---|---|---|\n| Follows | 100 per hour | Check the header |\n",
        "- Impact: high, faster initial paint\n\nX\n\n- Impact: high, faster initial load\n\nY\n\n- Impact: low, faster paint\n",
    ],
)
def test_siblings_that_fill_in_a_form_are_none(text):
    made = workspace({"AGENTS.md": text})
    assert twins(made, Loads(made)).groups == ()


def test_only_what_is_loaded_together_is_compared():
    text = "- Always run the linter before you commit anything.\n"
    for files in ({"a/AGENTS.md": text, "b/AGENTS.md": text}, {"AGENTS.md": text, "GEMINI.md": text.upper()}):
        made = workspace(files)
        expected = () if "a/AGENTS.md" in files else 1
        groups = twins(made, Loads(made)).groups
        assert groups == () if expected == () else len(groups) == 1


def test_copies_and_what_is_near_them_are_one_group():
    text = "- Always run the linter before you commit anything.\n"
    made = workspace({"AGENTS.md": text, "SOUL.md": text, "MEMORY.md": "- Run the linter always, before you commit.\n"})
    (group,) = twins(made, Loads(made)).groups
    assert [unit.path for unit in group.units] == ["AGENTS.md", "SOUL.md", "MEMORY.md"]


def test_old_notes_are_not_looked_at():
    text = "- Always run the linter before you commit anything.\n"
    notes = {f"memory/2026-01-0{day}.md": text for day in (1, 2, 3, 4)}
    made = workspace({"SOUL.md": "- I am kind and brief today.\n", **notes})
    (group,) = twins(made, Loads(made)).groups
    assert [unit.path for unit in group.units] == ["memory/2026-01-03.md", "memory/2026-01-04.md"]
