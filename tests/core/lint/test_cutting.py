import pytest

from ctxkit.core.lint.cutting import cut
from ctxkit.core.lint.mending import edited
from ctxkit.core.lint.parse import parse


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("one\nX\ntwo\n", "one\n\ntwo\n"),
        ("one\r\nX\r\ntwo\r\n", "one\r\n\r\ntwo\r\n"),
        ("- one\nX\n- two\n", "- one\n- two\n"),
        ("one\n\nX\ntwo\n", "one\n\ntwo\n"),
        ("X\ntwo", "two"),
        ("one\nX", "one\n"),
    ],
)
def test_what_stood_apart_does_not_run_together(text, left):
    document = parse("A.md", text.encode())
    line = 1 + [document.at(number) for number in range(1, document.lines + 1)].index("X")
    assert edited(text, [cut(document, line, line)]) == left
