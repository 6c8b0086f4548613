"""Which copies may be removed, and which removals are safe."""

import json

import pytest

from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.fixes.apply_fixes import apply_edits
from ctxkit.core.lint.fixes.removal import delete_lines, has_dependents, make_removal_fix
from ctxkit.core.lint.loading.loads import LoadSetIndex
from tests.core.lint.places import workspace

RULE = "Run the linter before you commit anything."


def removal(files):
    """Return the fix that keeps the statement of the first file with the rule and removes the others."""
    place = workspace(files)
    first = next(iter(files))
    ordered = sorted(place.documents, key=lambda document: document.path != first)
    units = [unit for document in ordered for unit in document.units if RULE in unit.text]
    documents = {document.path: document for document in place.documents}
    return make_removal_fix(units[0], units[1:], documents, LoadSetIndex(place))


def test_a_bullet_with_a_sibling_is_removed_safely() -> None:
    text = f"- {RULE}\n- Other words stand here.\n- {RULE}\n"
    fix = removal({"AGENTS.md": text})
    assert (fix.safe, fix.description) == (True, "remove the copy, keep AGENTS.md:1")
    assert apply_edits(text, fix.edits) == f"- {RULE}\n- Other words stand here.\n"
    longer = removal({"AGENTS.md": f"- {RULE} Use port 80.\n- Other words stand here.\n- {RULE}\n"})
    assert (longer.safe, len(longer.edits)) == (False, 1)


@pytest.mark.parametrize(
    "text",
    [
        f"- {RULE}\n- Other.\n- {RULE}\n  - a bullet below it\n",
        f"- {RULE}\n\n| a | b |\n| - | - |\n| {RULE} | x |\n",
    ],
)
def test_a_statement_that_holds_another_stays(text: str) -> None:
    assert removal({"AGENTS.md": text}) is None


@pytest.mark.parametrize(
    "text",
    [
        f"- {RULE}\n\n# Alone\n\n- {RULE}\n",
        f"- {RULE}\n\nWords above.\n{RULE}\n",
        f"- {RULE}\n\n> - {RULE}\n",
    ],
)
def test_a_removal_that_changes_more_than_the_copy_is_not_safe(text: str) -> None:
    fix = removal({"AGENTS.md": text})
    assert fix is not None
    assert not fix.safe


def test_a_copy_that_an_agent_loads_alone_is_not_removed() -> None:
    files = {"AGENTS.md": f"- {RULE}\n- Other.\n", "CLAUDE.md": f"- {RULE}\n- Words.\n"}
    assert removal(files) is None
    assert removal({**files, "CLAUDE.md": f"@AGENTS.md\n\n{files['CLAUDE.md']}"}) is not None


def test_a_statement_for_one_tool_does_not_replace_one_for_another():
    text = f"- {RULE}\n- Other words stand here.\n"
    assert removal({"CLAUDE.md": text, "GEMINI.md": text}) is None
    assert removal({"CLAUDE.md": text, ".claude/rules/a.md": text}) is not None


def test_a_copy_below_another_heading_or_introduction_is_not_removed_safely() -> None:
    assert not removal({"AGENTS.md": f"# A\n\n- {RULE}\n- Other.\n\n# B\n\n- {RULE}\n- Words.\n"}).safe
    assert not removal({"AGENTS.md": f"Now:\n\n- {RULE}\n- Other.\n\nThen:\n\n- {RULE}\n- Words.\n"}).safe
    assert removal({"AGENTS.md": f"Now:\n\n- {RULE}\n- Other.\n- {RULE}\n"}).safe
    below = f"- {RULE}\n- Words.\n"
    assert removal({".claude/rules/b.md": f"# A\n\n{below}", ".claude/rules/a.md": f"# A\n\n{below}"}).safe
    # Cursor reads CLAUDE.md too, and no rules of Claude Code.
    assert removal({".claude/rules/a.md": f"# A\n\n{below}", "CLAUDE.md": f"# A\n\n{below}"}) is None


SCOPED = f'---\npaths: ["**/*.ts", "**/*.py"]\n---\n# Errors\n\n- {RULE}\n- Words.\n'


@pytest.mark.parametrize(
    ("kept", "is_safe"),
    [
        (f"# Shop\n\n- {RULE}\n- Other.\n", True),
        (f"# Shop\n\n## Errors\n\n- {RULE}\n- Other.\n", True),
        (f"# Shop\n\n## TypeScript\n\n- {RULE}\n- Other.\n", False),
        (f"# Shop\n\n## Errors\n\n### Client\n\n- {RULE}\n- Other.\n", False),
        (f"# Shop\n\nWords.\n\n# TypeScript\n\n- {RULE}\n- Other.\n", False),
    ],
)
def test_a_kept_statement_applies_wherever_its_copy_applied(kept: str, is_safe: bool) -> None:
    assert removal({"CLAUDE.md": kept, ".claude/rules/errors.md": SCOPED}).safe is is_safe


@pytest.mark.parametrize(
    ("kept", "other", "is_safe"),
    [
        ("**/*.go", "**/*.go", True),
        ("**/*.go", "**/*.py", False),
        ("**/*.go,**/*.py", "**/*.py", True),
        ("**/*.go", "", False),
        ("**", "**/*.py", True),
        ("", "**/*.py", True),
    ],
)
def test_a_statement_of_some_files_does_not_replace_one_of_others(kept: str, other: str, is_safe: bool) -> None:
    files = {
        f"docs/{name}.md": f"---\napplyTo: '{patterns}'\n---\n\n- {RULE}\n- Other.\n"
        for name, patterns in (("a", kept), ("b", other))
    }
    settings = json.dumps({"instructions": ["docs/a.md", "docs/b.md"]})
    assert removal({**files, "opencode.json": settings}).safe is is_safe


def test_the_title_of_a_file_of_rules_is_the_subject_of_its_statements() -> None:
    python, typescript = (f"# {name}\n\n- {RULE}\n- Other.\n" for name in ("Python", "TypeScript"))
    assert not removal({".claude/rules/python.md": python, ".claude/rules/typescript.md": typescript}).safe
    assert removal({"AGENTS.md": python, "SOUL.md": typescript}).safe


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Run this first.\n\n```\nmake\n```\n", True),
        ("Run this first.\n\n| a | b |\n| - | - |\n", True),
        ("Run this first.\n\n    make all\n", True),
        ("Run this first, as follows.\n\nMake it.\n", True),
        ("Run these in order:\n", True),
        ("Run these in order.\n- one\n", True),
        ("- Run this first.\n  - a part of it\n", True),
        ("- Run this first.\n  ```\n  make\n  ```\n", True),
        ("Run this first.\n\n- another list\n", False),
        ("- Run this first.\n- Run that.\n", False),
        ("Run this first.\n\n# Next\n\n```\nmake\n```\n", False),
        ("Run this first.\n", False),
    ],
)
def test_a_statement_that_introduces_text_has_dependents(text: str, expected: bool) -> None:
    (document,) = workspace({"AGENTS.md": text}).documents
    assert has_dependents(document.units[0], document) is expected


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("one\nX\ntwo\n", "one\n\ntwo\n"),
        ("one\r\nX\r\ntwo\r\n", "one\r\n\r\ntwo\r\n"),
        ("- one\nX\n- two\n", "- one\n- two\n"),
        ("one\n\nX\ntwo\n", "one\n\ntwo\n"),
        ("X\ntwo", "two"),
        ("one\n\nX\n\ntwo\n", "one\n\ntwo\n"),
        ("one\n\nX\n", "one\n\n"),
        ("one\nX", "one\n"),
    ],
)
def test_what_stood_apart_does_not_run_together(text: str, left: str) -> None:
    document = parse_document("A.md", text.encode())
    line = 1 + [document.at(number) for number in range(1, document.lines + 1)].index("X")
    assert apply_edits(text, [delete_lines(document, line, line)]) == left
