from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.summary.frame import SUMMARY_MARK, frame_page, unframe_page
from ctxkit.core.summary.template import SummaryPage, parse_page, render_page


def test_a_frame_names_the_way_back_and_holds_the_page() -> None:
    page = render_page(SummaryPage("Mend it", facts=("a",)))
    words = frame_page(page, "3f9a2c81d0b4")
    assert words.splitlines()[0].startswith(SUMMARY_MARK)
    assert "ctxkit cache get 3f9a2c81d0b4" in words.splitlines()[0]
    assert unframe_page(words) == page
    assert "cache get" not in frame_page(page, "")
    assert unframe_page(frame_page(page, "")) == page


@given(st.text(max_size=60))
def test_other_words_hold_no_page(text: str) -> None:
    assert unframe_page(text) is None
    assert unframe_page(f"{SUMMARY_MARK} {text}") is None or "# Context" in text
    assert unframe_page(f"I saw {frame_page(render_page(SummaryPage('x')), '')}") is None


def test_blanks_around_a_frame_do_not_matter() -> None:
    found = unframe_page("\n " + frame_page(render_page(SummaryPage("x")), "abc"))
    assert parse_page(found) == SummaryPage("x")
