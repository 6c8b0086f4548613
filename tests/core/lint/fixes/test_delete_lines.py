import pytest

from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.fixes.apply_fixes import apply_edits
from ctxkit.core.lint.fixes.delete_lines import delete_lines


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
