"""Terminal escapes leave, and the text stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.ansi import strip_controls, strip_escapes


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("cut \x1b[3", "cut "),
        ("cut \x1b[3\r", "cut "),
        ("drawn\rcut \x1b[\r", "cut "),
        ("10%\r50%\r100%", "100%"),
        ("last\r\r", "last"),
        ("\x1bMup", "up"),
    ],
)
def test_sequences_and_what_was_drawn_over_leave(text: str, plain: str) -> None:
    assert strip_escapes(text) == plain


@given(st.text(st.sampled_from("ab \n\t\x00\x1b[]m;\x07\x7f\x9b\u202e\u2066\u2028é")))
def test_no_control_character_is_left(text: str) -> None:
    for plain in (strip_escapes(text), strip_controls(text)):
        assert plain.replace("\n", "").replace("\t", "").isprintable()
        assert strip_controls(plain) == plain


@given(st.text(st.characters(categories=["L", "N", "P", "Zs"])))
def test_printable_text_stays(text: str) -> None:
    assert strip_escapes(text) == text
