"""What limits a statement belongs to its identity, and a plain topic does not."""

import pytest

from ctxkit.core.lint.document.markdown import FileRole
from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.similarity.identity import IdentityReader, find_model_directory, limits_section

RULE = "Run the full test suite and read its output."


def identities(text: str, path: str = "AGENTS.md", role: FileRole = FileRole.INSTRUCTIONS):
    """Return the identities of the statements with the rule."""
    document = parse_document(path, text.encode(), role)
    reader = IdentityReader(document)
    return [reader.read(unit) for unit in document.units if "full test suite" in unit.text]


@pytest.mark.parametrize(
    "text",
    [
        f"# Style\n\n- {RULE}\n\n# Tests\n\n- {RULE}\n",
        f"# Style\n\n- {RULE}\n\n## More\n\nOther words.\n\n{RULE}\n",
        f"## 1. Style\n\n- {RULE}\n\n## 2. Tests\n\n* **Run** the full test suite and read its output\n",
    ],
)
def test_a_statement_is_the_same_below_two_topics(text: str) -> None:
    first, second = identities(text)
    assert first is not None
    assert first == second


@pytest.mark.parametrize(
    "text",
    [
        f"# Before a merge\n\n- {RULE}\n\n# After a merge\n\n- {RULE}\n",
        f"1. **Before**:\n   - {RULE}\n2. **After**:\n   - {RULE}\n",
        f"1. Principle: x\n   - {RULE}\n2. Principle: x\n   - {RULE}\n",
        f"Always:\n\n- {RULE}\n\nOn Fridays:\n\n- {RULE}\n",
        f"# Never\n\n- {RULE}\n\n# Tests\n\n- {RULE}\n",
        f"**If there is a runner:**\nStart it.\n\n{RULE}\n\n**If there is none:**\nCall make.\n\n{RULE}\n",
        f"{{{{ if a }}}}\n\n- {RULE}\n\n{{{{ else }}}}\n\n- {RULE}\n\n{{{{ end }}}}\n",
        f"{{% if a %}}\n\n- {RULE}\n\n{{% else %}}\n\n- {RULE}\n",
        f'<check if="a">\n\n- {RULE}\n\n</check>\n\n- {RULE}\n',
        f"- {RULE} https://example.org/?id\n\nOr:\n\n- {RULE} https://example.org/#id\n",
        f"## 2026-01-02\n\n- {RULE}\n\n## 2026-01-03\n\n- {RULE}\n",
        f"## `make a`\n\n- {RULE}\n\n## `make b`\n\n- {RULE}\n",
        f"# Rules\n\n- {RULE}\n\n# Checklist\n\n- {RULE}\n",
        f"- Is it late?\n  - NO → {RULE}\n- Is it big?\n  - NO → {RULE}\n",
        f"- `a` (required): {RULE}\n\nx\n\n- `a` (required): {RULE}\n",
        f"| A |\n|---|\n| {RULE} |\n\nx\n\n| A |\n|---|\n| {RULE} |\n",
        f'- "{RULE[:-1]}"\n\n\n- {RULE}\n',
        f"- {RULE} `\"`\n- {RULE} `()`\n",
        f"- {RULE} a && b\n- {RULE} a \\|\\| b\n",
        f"{RULE} See [AGENTS.md](../AGENTS.md).\n\n{RULE} See [AGENTS.md](../../AGENTS.md).\n",
    ],
)
def test_what_limits_a_statement_makes_it_another_one(text: str) -> None:
    first, second = identities(text)
    assert first is not None
    assert first != second


@pytest.mark.parametrize("text", [f"1. {RULE}\n", f"- [ ] {RULE}\n", "- Does the full test suite pass now?\n", f"{RULE[:-1]}:\n\n- x\n", "> — Anna Bern, The full test suite, Chapter 7\n"])
def test_a_step_a_box_a_question_and_an_introduction_have_no_identity(text: str) -> None:
    assert identities(text) == [None]


def test_notes_of_days_and_templates_are_places_of_their_own() -> None:
    text = f"- {RULE}\n"
    plain = identities(text)
    assert identities(text, "CLAUDE.md") == plain
    assert identities(text, "memory/2026-01-02.md", FileRole.DAILY) != identities(text, "memory/2026-01-03.md", FileRole.DAILY)
    assert identities(text, "templates/app/AGENTS.md") != plain


@pytest.mark.parametrize(
    ("path", "directory"),
    [("templates/app/AGENTS.md", "templates"), ("a/examples/b.md", "a/examples"), ("AGENTS.md", ""), ("template.md", "")],
)
def test_the_directory_of_a_template_is_known_by_its_name(path: str, directory: str) -> None:
    assert find_model_directory(path) == directory


@pytest.mark.parametrize(("title", "limits"), [("2.1 Style", False), ("Ground rules", False), ("首次启动", True), ("Step 2", True), ("GET /users", True)])
def test_a_title_that_tells_when_or_which_limits(title: str, limits: bool) -> None:
    assert limits_section(title) is limits


def parts(text: str, role: FileRole = FileRole.INSTRUCTIONS):
    document = parse_document("AGENTS.md", text.encode(), role)
    reader = IdentityReader(document)
    return [reader.find_part(unit) for unit in document.units if "full test suite" in unit.text]


def test_sections_of_one_title_and_those_of_procedures_are_parts() -> None:
    plain = f"# A\n\n- {RULE}\n\n## B\n\n- {RULE}\n"
    assert parts(plain) == [0, 0]
    assert parts(plain, FileRole.SKILL) == parts(plain, FileRole.COMMAND) == [1, 2]
    assert parts(f"# Red\n\n## Work\n\n- {RULE}\n\n# Blue\n\n## Work\n\n- {RULE}\n") == [2, 4]


@pytest.mark.parametrize("text", ["If fails: read its output, run the full test suite.", "Repeat the full test suite."])
def test_a_statement_about_the_one_above_it_has_no_identity(text: str) -> None:
    assert identities(f"- Run it\n- {text}\n") == [None]


def test_what_a_procedure_quotes_is_said_and_no_statement() -> None:
    text = f"Say:\n\n> {RULE}\n"
    assert identities(text, role=FileRole.SKILL) == [None]
    assert identities(text) != [None]


def test_a_case_ends_with_its_section() -> None:
    first, second = identities(f"# A\n\n**If there is a runner:** start it.\n\n# B\n\n{RULE}\n\n# C\n\n{RULE}\n")
    assert first == second


@pytest.mark.parametrize(("path", "expected"), [("skills/a/assets/AGENTS.md", "skills/a/assets"), ("assets/AGENTS.md", ""), ("skills/a/SKILL.md", "")])
def test_the_assets_of_a_skill_are_made_for_another_project(path: str, expected: str) -> None:
    assert find_model_directory(path) == expected
