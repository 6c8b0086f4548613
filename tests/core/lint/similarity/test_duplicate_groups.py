import pytest

from ctxkit.core.lint.check import apply_rules
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.duplicate_groups import find_duplicates
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
OTHER += [
    ("Scores: novelty 8, cost 7, gain 8, risk 6 points.", "Scores: novelty 8, cost 7, gain 6, risk 6 points.", "number"),
]
UNLIKE = [
    ("Run the linter before each commit.", "Write commit messages in the imperative mood."),
    ("Supports pattern matching", "Shows current version and aliases"),
]  # fmt: skip


def found(one, two):
    made = workspace({"AGENTS.md": f"# A\n\n- {one}\n\n## More\n\n- Cats sleep in the sun.\n", "CLAUDE.md": f"# B\n\n- {two}\n"})
    return find_duplicates(made, LoadSetIndex(made))


@pytest.mark.parametrize(("one", "two"), SAME)
def test_what_says_the_same_is_a_group(one: str, two: str) -> None:
    groups = found(one, two).groups
    assert [[unit.path for unit in group.units] for group in groups] == [["AGENTS.md", "CLAUDE.md"]]
    assert groups[0].score < 1


@pytest.mark.parametrize(("one", "two", "clash"), OTHER)
def test_what_looks_alike_and_says_something_else_is_a_clash(one: str, two: str, clash: str) -> None:
    result = found(one, two)
    assert result.groups == ()
    assert [one.similarity.conflict for one in result.conflicts] == [clash]


@pytest.mark.parametrize(("one", "two"), UNLIKE)
def test_what_is_unlike_is_nothing(one: str, two: str) -> None:
    assert found(one, two)[:2] == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        "- Move the mail to the Drafts folder when it is done.\n- Move the mail to the Review folder when it is done.\n",
        "| Likes | 100 per hour | Check the header |\n|---|---|---|\n| Follows | 100 per hour | Check the header |\n",
        "- Impact: high, faster initial paint\n\nX\n\n- Impact: high, faster initial load\n\nY\n\n- Impact: low, faster paint\n",
    ],
)
def test_siblings_that_fill_in_a_form_are_none(text: str) -> None:
    made = workspace({"AGENTS.md": text})
    assert find_duplicates(made, LoadSetIndex(made)).groups == ()


def test_only_what_is_loaded_together_is_compared() -> None:
    text = "- Always run the linter before you commit anything.\n"
    for files in ({"a/AGENTS.md": text, "b/AGENTS.md": text}, {"AGENTS.md": text, "CLAUDE.md": text.upper()}):
        made = workspace(files)
        expected = () if "a/AGENTS.md" in files else 1
        groups = find_duplicates(made, LoadSetIndex(made)).groups
        assert groups == () if expected == () else len(groups) == 1


def test_copies_and_what_is_near_them_are_one_group() -> None:
    text = "- Always run the linter before you commit anything.\n"
    made = workspace({"AGENTS.md": text, "SOUL.md": text, "MEMORY.md": "- Run the linter always, before you commit.\n"})
    (group,) = find_duplicates(made, LoadSetIndex(made)).groups
    assert [unit.path for unit in group.units] == ["AGENTS.md", "SOUL.md", "MEMORY.md"]


def test_old_notes_are_not_looked_at() -> None:
    text = "- Always run the linter before you commit anything.\n"
    notes = {f"memory/2026-01-0{day}.md": text for day in (1, 2, 3, 4)}
    made = workspace({"SOUL.md": "- I am kind and brief today.\n", **notes})
    (group,) = find_duplicates(made, LoadSetIndex(made)).groups
    assert [unit.path for unit in group.units] == ["memory/2026-01-03.md", "memory/2026-01-04.md"]


def _found(files):
    return [(one.code, one.severity.word) for one in apply_rules(workspace(files), select=("DUP", "CON"))]


@pytest.mark.parametrize(
    ("one", "two", "code"),
    [
        ("Never store addresses in the logs of the payments service", "Never store addresses in the logs of the inventory service", None),
        ("Retry idempotent calls to identity at most five times", "Retry idempotent calls to ledger at most five times", None),
        ("提交前必须先检查 payments 服务的日志和告警", "提交前必须先检查 inventory 服务的日志和告警", None),
        ("Keep the answer short and free of jargon", "Of course keep the answer short and free of jargon", "DUP003"),
        ("Tag images with the commit hash, never with the word latest", "Tag images with the commit hash, never, as a rule, with the word latest", "DUP003"),
        ("Parts are made in a different reality than ours", "Parts are made in another reality than ours", "DUP003"),
        ("Claim URL: https://example.org/claim/abcdefghijkl", "Claim: https://example.org/claim/abcdefghijkl", "DUP003"),
        ("Hidden power: reading through all humans. No mask hides a thing.", "Hidden power: reading through all humans.", "DUP003"),
        ("No unwrap in production code", "No unwrap in production code, use expect with a message that helps", "DUP003"),
        ("Offer to stop when the work left is only polish", "Offer to stop when the work left is not only polish", "CON001"),
        ("If no name is given, ask for the change", "Always ask for the change if the name is not given", "DUP003"),
        ("单元测试不得访问外部网络，时间一律使用模拟时钟", "单元测试可以访问外部网络，时间一律使用模拟时钟", "CON001"),
    ],
)
def test_what_two_statements_of_two_files_are_taken_for(one: str, two: str, code: str | None) -> None:
    found = _found({"AGENTS.md": f"# A\n\n- {one}\n", "CLAUDE.md": f"@AGENTS.md\n\n# B\n\n- {two}\n"})
    assert [pair for pair in found if pair[1] == "warning"] == ([(code, "warning")] if code else [])


def test_steps_under_numbered_titles_are_not_taken_for_each_other() -> None:
    text = "# A\n\n## Sweep 3: x\n\nReturn to the voice and the tone, then clarity.\n\n## Sweep 5: y\n\nReturn to the proof, the voice and the tone, then clarity.\n"
    assert _found({"AGENTS.md": text}) == []


def test_a_text_that_one_title_asks_for_and_another_forbids_contradicts_itself() -> None:
    text = "# A\n\n## Do\n\n- Start the axis of a chart at zero\n\n## Don't\n\n- Start the axis of a chart at zero\n"
    assert _found({"AGENTS.md": text}) == [("CON001", "warning")]


def test_a_daily_note_is_looked_at_by_itself_unless_it_is_a_log() -> None:
    notes = "# Day\n\n- The gateway was moved to the new host\n\n## Later\n\n- The gateway was moved to the new host\n"
    old = {f"memory/2026-01-0{day}.md": "x\n" for day in (8, 9)}
    base = {"SOUL.md": "# S\n", "memory/2026-01-01.md": notes, **old}
    assert _found(base) == [("DUP001", "warning")]
    assert _found({**base, "memory/2026-01-01.md": notes + "user: a\nassistant: b\n" * 3}) == []
    assert _found({"SOUL.md": "# S\n", "memory/archive/2026-01-01.md": notes, **old}) == []


@pytest.mark.parametrize("after", ["He said the plan is on track today.", "He said the plan was on track today."])
def test_examples_below_before_and_after_are_no_copies(after: str) -> None:
    text = f"# Quotes\n\n**Before:**\n> He said \"the plan is on track today\".\n\n**After:**\n> {after}\n"
    made = workspace({"AGENTS.md": text})
    assert find_duplicates(made, LoadSetIndex(made))[:2] == ((), ())
