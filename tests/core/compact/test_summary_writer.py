"""Who writes a page, and what happens where that fails."""

import pytest

from ctxkit.core.compact.summary_writer import insert_pins, make_summary_writer, merge_prior_page
from ctxkit.core.errors import InputOutputError
from ctxkit.core.summary.summary_input import SummaryInput
from ctxkit.core.summary.template import SummaryPage, parse_page, render_page
from tests.core.compact.sizes import COUNT, session

RECORDS = session("openai", 6).records
MATTER = SummaryInput(tuple(RECORDS), 8, "", (), 600, COUNT)


def test_extract_needs_no_model() -> None:
    made = make_summary_writer("extract", None, print)(MATTER)
    assert (made.writer, made.fell_back, dict(made.dropped)) == ("extract", False, {})
    assert "Please fix the parser in src/parser.py" in made.page.task


def test_what_a_model_writes_is_checked() -> None:
    words = "<think>hm</think># Context\n\n## Task\nPlease fix the parser in src/parser.py.\n\n## Facts\n- /etc/made/up.conf has 77123 lines.\n"
    made = make_summary_writer("cmd:x", lambda matter: words, print)(MATTER)
    assert (made.writer, made.fell_back) == ("cmd:x", False)
    assert "up.conf" not in render_page(made.page)
    assert sum(made.dropped.values()) == 1


def test_what_is_no_page_is_made_without_the_model_and_said() -> None:
    said = []
    made = make_summary_writer("cmd:x", lambda matter: "I cannot help with that.", said.append)(MATTER)
    assert (made.writer, made.fell_back) == ("extract", True)
    assert said == ["the summary is made without a model: what cmd:x wrote is not a summary of this conversation"]


def broken(matter):
    raise InputOutputError("nobody answers")


def test_a_model_that_fails_costs_a_warning_or_all() -> None:
    said = []
    made = make_summary_writer("http://x", broken, said.append)(MATTER)
    assert (made.writer, made.fell_back) == ("extract", True)
    assert said == ["the summary is made without a model, because http://x failed: nobody answers"]
    with pytest.raises(InputOutputError):
        make_summary_writer("http://x", broken, said.append, strict=True)(MATTER)


def test_pins_are_put_where_they_are_missing() -> None:
    page = SummaryPage(task="Fix it.", decisions=("Use tabs.",))
    assert insert_pins(page, ("Use tabs.",)) == page
    assert insert_pins(page, ("Be  quick.",)).decisions == ("Use tabs.",)  # two blanks do not survive on a line
    for pin in ("Be quick.", "Be  quick.", "one\n  two"):
        assert pin in render_page(insert_pins(page, (pin,)))


def test_pages_of_two_places_are_merged() -> None:
    page, memo = "# Context\n\n## Task\nOld.\n\n## Facts\n- One.\n", "# Context\n\n## Task\nNew.\n\n## Facts\n- Two.\n"
    both = parse_page(merge_prior_page(memo, page))
    assert (both.task, set(both.facts)) == ("New.", {"One.", "Two."})
    assert (merge_prior_page("", page), merge_prior_page(memo, ""), merge_prior_page("no page", page)) == (page, memo, page)
