"""Text is split into statements: where one begins, and where it ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.lint.document.parse import parse_document


def statements(text):
    return [(unit.kind, unit.line, unit.end_line) for unit in parse_document("A.md", text.encode()).units]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A #\n## B", [("heading", 1, 1), ("heading", 2, 2)]),
        ("Title\n=====\ntext", [("heading", 1, 2), ("paragraph", 3, 3)]),
        ("#no heading", [("paragraph", 1, 1)]),
        ("One sentence\nover two lines.", [("paragraph", 1, 2)]),
        ("One sentence.\nAnother one.", [("paragraph", 1, 1), ("paragraph", 2, 2)]),
        ("- a\n  goes on\n- b", [("bullet", 1, 2), ("bullet", 3, 3)]),
        ("1. a\n2) b\n\u2022 c", [("bullet", 1, 1), ("bullet", 2, 2), ("bullet", 3, 3)]),
        ("a | b\n--- | ---\n1 | 2", [("row", 1, 1), ("row", 3, 3)]),
        ("text\n\n---\n\ntext", [("paragraph", 1, 1), ("paragraph", 5, 5)]),
        ("```\ncode\n```", [("code", 1, 3)]),
        ("```\nnever closed", []),
        ("> quoted\n>\n> again", [("paragraph", 1, 1), ("paragraph", 3, 3)]),
        ("<details>\n[a]: http://b\n", []),
        ("", []),
    ],
)
def test_a_text_has_these_statements(text: str, expected) -> None:
    assert statements(text) == expected


@given(st.lists(st.sampled_from(["# a", "- b", "  - c", "d.", "e", "", "| f | g |", "| - | - |", "```", "> h", "---"]), max_size=14))
def test_statements_are_in_order_and_do_not_overlap(lines: list[str]) -> None:
    document = parse_document("A.md", "\n".join(lines).encode())
    ends = 0
    for unit in document.units:
        assert ends < unit.line <= unit.end_line <= document.lines
        assert document.text[unit.start : unit.end].strip() == unit.text != ""
        ends = unit.end_line
