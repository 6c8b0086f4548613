import pytest

from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.similarity.compared_statements import is_significant, list_compared_documents
from tests.core.lint.places import workspace


def list_units(text: str) -> list[Unit]:
    return list(workspace({"AGENTS.md": text}).documents[0].units)


@pytest.mark.parametrize(
    ("text", "significant"),
    [
        ("- Run the linter first.\n", True),
        ("- Be brief.\n", False),
        ("# Run the linter before you commit\n", False),
        ("- return the value of a = b;\n", False),
        ("- Run the linter; then commit the change;\n", True),
        ("```\nmake all install clean test\n```\n", True),
        ("```\nmake\n```\n", False),
    ],
)
def test_a_statement_counts_unless_it_is_short_or_a_heading_or_a_line_of_code(text: str, significant: bool) -> None:
    assert [is_significant(unit) for unit in list_units(text)] == [significant]


def test_archived_notes_and_transcripts_are_left_out() -> None:
    note = "- The gateway was moved to the new host\n"
    transcript = note + "user: a\nassistant: b\n" * 3
    later = {f"memory/2026-01-0{day}.md": "- x\n" for day in (8, 9)}
    files = {
        "SOUL.md": "# S\n", "memory/2026-01-01.md": note, "memory/archive/2026-01-01.md": note,
        "memory/2026-01-02.md": transcript, **later,
    }  # fmt: skip
    assert [document.path for document in list_compared_documents(workspace(files)) if document.text.startswith(note)] == [
        "memory/2026-01-01.md"
    ]
