"""A statement knows its text, its lines and what stands above it."""

from ctxkit.core.lint.document.parse import parse_document

TEXT = "# Build\n\nCommands:\n\n- **Run** `make`\n  - with care\n\n| a | b |\n| - | - |\n| 1 | 2 |\n"


def test_the_offsets_of_a_statement_hold_its_text() -> None:
    document = parse_document("A.md", TEXT.encode())
    assert all(document.text[unit.start : unit.end].strip() == unit.text for unit in document.units)


def test_sections_introductions_and_depths() -> None:
    units = parse_document("A.md", TEXT.encode()).units
    assert [(unit.kind, unit.line, unit.depth, unit.is_intro, unit.intro) for unit in units] == [
        ("heading", 1, 1, False, ""),
        ("paragraph", 3, 0, True, ""),
        ("bullet", 5, 0, False, "Commands:"),
        ("bullet", 6, 1, False, "Commands:"),
        ("row", 8, 0, True, "Commands:"),
        ("row", 10, 0, False, "Commands:"),
    ]
    assert {unit.section for unit in units[1:]} == {("Build",)}
    assert units[2].normal == "run make"
