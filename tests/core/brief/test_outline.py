import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.outline import Entry, clean_line, quote
from ctxkit.core.text.escapes import strip_escapes


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("as it is", "as it is"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[1;38;5;200mbold\x1b[K", "bold"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("10%\r50%\r100%", "100%"),
        ("done\r", "done"),
        ("a\x00b\x08c", "abc"),
        ("tab\tstays", "tab\tstays"),
        ("漢字 é", "漢字 é"),
        ("\x9b31mred", "red"),
        ("\x85next", "next"),
        ("cut off\x1b[3", "cut off"),
        ("cut off\x1b[", "cut off"),
    ],
)
def test_a_line_is_seen_as_on_a_terminal(text: str, seen: str) -> None:
    assert strip_escapes(text) == seen


@given(st.text(alphabet="ab \x1b[]0;m\r\x00\x07\x9b\t漢", max_size=30))
def test_no_control_character_but_the_tab_is_left_and_nothing_is_added(text: str) -> None:
    seen = strip_escapes(text)
    assert all(letter == "\t" or ord(letter) >= 32 for letter in seen)
    assert strip_escapes(seen) == seen
    letters = iter(text)
    assert all(letter in letters for letter in seen)


@given(st.text(max_size=60), st.integers(1, 40))
def test_a_long_line_is_cut_with_a_mark_that_says_by_how_much(text: str, width: int) -> None:
    seen = clean_line(text, width)
    whole = strip_escapes(text).strip() if not text.isprintable() else text.strip()
    if len(whole) <= width + len(" [+12 chars]"):
        assert seen == whole
        return
    start, _, mark = seen.rpartition(" [+")
    assert whole.startswith(start)
    assert len(start) <= width
    assert int(mark.removesuffix(" chars]")) == len(whole) - len(start)


def test_a_quote_stands_at_its_line() -> None:
    assert quote(7, "  text ", rank=3) == Entry("text", 7, 7, 3, verbatim=True)
