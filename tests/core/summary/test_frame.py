from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.summary.frame import SUMMARY_MARK, frame_page, unframe_page
from ctxkit.core.summary.template import SummaryPage, parse_page, render_page


def test_a_frame_names_the_way_back_and_holds_the_page() -> None:
    page = render_page(SummaryPage("Mend it", facts=("a",)))
    words = frame_page(page, "ctxkit cache get 3f9a2c81d0b4")
    assert words.splitlines()[0].startswith(SUMMARY_MARK)
    assert words.splitlines()[-1] == "[To read these messages: ctxkit cache get 3f9a2c81d0b4]"
    assert unframe_page(words) == page


def test_the_way_back_stands_behind_the_page_so_that_an_equal_page_begins_with_equal_bytes() -> None:
    page = render_page(SummaryPage("Mend it", facts=("a",)))
    first, second = (frame_page(page, f"ctxkit cache get {ref}") for ref in ("3f9a2c81d0b4", "77aa2c81d0b4"))
    assert first.index("3f9a") == second.index("77aa") > first.index("- a")
    with_record = f"{first}\n## Record\n\n- b\n"
    assert "cache get" not in unframe_page(with_record)
    assert unframe_page(with_record).endswith("- b\n")


def test_a_frame_of_an_earlier_version_is_read() -> None:
    page = render_page(SummaryPage("Mend it"))
    words = f"{SUMMARY_MARK} Earlier messages stand here in short; ctxkit cache get 3f9a prints them in full.\n\n{page}"
    assert unframe_page(words) == page


def test_without_a_store_there_is_no_way_back() -> None:
    page = render_page(SummaryPage("Mend it", facts=("a",)))
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
