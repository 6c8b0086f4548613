from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.summary.frame import (
    SUMMARY_MARK,
    append_summary,
    frame_page,
    is_instruction,
    is_summary,
    prepend_summary,
    split_prefix,
    unframe_page,
)
from ctxkit.core.summary.template import SummaryPage, parse_page, render_page
from tests.core.chat.talks import Said
from tests.core.compact.sizes import read, written


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


PAGE = frame_page("# Context\n\n## Task\nFix it.\n", "ctxkit cache get 3f9a2c81d0b4")


def record(words, role="user"):
    return read(written("openai", [Said(role, words), Said("user", "x")]), "openai").records[0]


def test_they_come_apart_again() -> None:
    found = split_prefix(record(prepend_summary(PAGE, "Now the tests.")))
    assert found.record.words == "Now the tests."
    assert found.record.passages[0].text == "Now the tests."
    assert found.page + "\n" == PAGE


def test_a_summary_behind_the_words_comes_apart_too() -> None:
    words = append_summary("Now the tests.", PAGE)
    assert words.startswith("Now the tests.\n")
    found = split_prefix(record(words))
    assert found.record.words == "Now the tests."
    assert found.page + "\n" == PAGE
    assert split_prefix(record(append_summary("Now the tests.", "some text"))) is None


def test_other_messages_have_no_summary_before_them() -> None:
    assert split_prefix(record("Now the tests.")) is None
    assert split_prefix(record(PAGE)) is None


def test_a_summary_of_the_system_does_not_instruct() -> None:
    assert is_summary(record(PAGE, "system"))
    assert not is_instruction(record(PAGE, "system"))
    assert is_instruction(record("Be good.", "system"))
    assert not is_summary(record(f"He wrote: {PAGE}"))
