import pytest

from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.references.excuses import (
    PastSections,
    find_packaged,
    rejects_path,
    says_gone,
    says_optional,
    speaks_of_another,
)
from tests.core.lint.places import workspace


@pytest.mark.parametrize(
    ("text", "gone", "optional"),
    [("      was removed in May", True, False), ("hooks (    ): scrubbed", True, False), ("Read     first", False, False), ("<!-- n -->8<!-- /n --> in    ", False, False), ("    -> the new one", True, False),
     ("Write the report to    ", False, True), ("Read     if it exists", False, True), ("see     in that repo", False, True), ("**Example (in     ):**", False, True), ("UIA package:     has the flags", False, True),
     ("The bundle builds separately via    ", False, False), ("It is bundled into    ", False, True),
     ("Write the safety tests (    ): limits", False, True), ("- Name files:    ", False, True), ("The files are named in    ", False, True)],
)  # fmt: skip
def test_what_a_sentence_says_of_its_path(text: str, gone: bool, optional: bool) -> None:
    assert (says_gone(text), says_optional(text)) == (gone, optional)


@pytest.mark.parametrize(
    ("before", "after", "is_rejected"),
    [
        ("Use a, **not**", "", True), ("Put it in a, not in", "", True), ("Use a, not       or", "for it", True), ("There is no", "file", True),
        ("Use a, nicht", "", True), ("使用 a，而不是", "", True), ("", "ではなく a を使う", True), ("", "가 아니라", True),
        ("Never use", "for tests", True), ("Do not discover or read", ", credentials", True), ("Don't import the helpers from", "", True),
        ("They must not be read from", "", True), ("Do not use a without", "", False), ("You cannot use a. Read", "", False),
        ("Do not edit", "by hand", False), ("Note the paths in", "", False), ("If it does not match, read", "", False), ("", "", False),
    ],
)  # fmt: skip
def test_the_words_around_a_path_may_reject_it(before: str, after: str, is_rejected: bool) -> None:
    assert rejects_path(before, after) is is_rejected


def test_a_section_and_those_below_it_are_about_the_past() -> None:
    past = PastSections(parse_document("A.md", b"# A\n\ntext\n\n## Changelog\n\ntext\n\n### May\n\ntext\n\n## Now\n\ntext\n"))
    assert [line for line in (1, 3, 7, 11, 15) if past.is_past(line)] == [7, 11]


def test_a_section_about_deleted_files_is_about_the_past() -> None:
    past = PastSections(parse_document("A.md", b"## Deleted files\n\ntext\n\n## Delete a user\n\ntext\n"))
    assert [line for line in (3, 7) if past.is_past(line)] == [3]


@pytest.mark.parametrize(
    ("line", "speaks"),
    [
        ("Upgrade from React 18", True), ("Do not use npm", True), ("React 18 → 19", True), ("It doesn't run on Node 18", True),
        ("We migrated to React 19", True), ("See the migration guide of React 19", True),
        ("Go 1.23 backend. PostgreSQL (goose migrations).", False), ("React 19 with Vite", False), ("Run `npm install`.", False), ("", False),
    ],
)  # fmt: skip
def test_a_line_may_speak_of_another_version_or_tool(line: str, speaks: bool) -> None:
    assert speaks_of_another(line) is speaks


def test_a_skill_that_no_host_loads_is_packaged() -> None:
    paths = ("CLAUDE.md", ".claude/skills/a/SKILL.md", "plugins/p/skills/a/SKILL.md", "plugins/p/commands/b.md", "skills/a/SKILL.md")
    packaged = find_packaged(workspace(dict.fromkeys(paths, "---\nname: a\ndescription: A\n---\nx\n")))
    assert "plugins/p/skills/a/SKILL.md" in packaged
    assert packaged.isdisjoint(paths[:2])
