from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.summary import MARK, contents, framed
from ctxkit.core.context.template import Context, parse, render


def test_a_frame_names_the_way_back_and_holds_the_page():
    page = render(Context("Mend it", facts=("a",)))
    words = framed(page, "3f9a2c81d0b4")
    assert words.splitlines()[0].startswith(MARK)
    assert "ctxkit cache get 3f9a2c81d0b4" in words.splitlines()[0]
    assert contents(words) == page
    assert "cache get" not in framed(page, "")
    assert contents(framed(page, "")) == page


@given(st.text(max_size=60))
def test_other_words_hold_no_page(text):
    assert contents(text) is None
    assert contents(f"{MARK} {text}") is None or "# Context" in text
    assert contents(f"I saw {framed(render(Context('x')), '')}") is None


def test_blanks_around_a_frame_do_not_matter():
    found = contents("\n " + framed(render(Context("x")), "abc"))
    assert parse(found) == Context("x")
