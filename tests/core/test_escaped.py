import pytest

from ctxkit.core.escaped import escaped


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, ünïcode 日本", "plain text, ünïcode 日本"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("a\nb\rc\td", "a\\nb\\rc\\td"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\x9b31m\x7f", "\\x9b31m\\x7f"),
        ("\udcff", "\\udcff"),
        ("", ""),
    ],
)
def test_nothing_is_left_that_a_terminal_would_obey(text: str, shown: str) -> None:
    assert escaped(text) == shown
    assert escaped(text).isprintable()
