import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.summary.merge import carry_over, merge_pages, parse_list
from ctxkit.core.summary.template import MAX_BULLETS, Extra, SummaryPage, apply_limits, parse_page, render_page

BULLET = st.sampled_from(
    [
        "Never push to main",
        "Use orjson because it is fast",
        "Changed: a.py, b.py.",
        "Changed: b.py, c.py.",
        "Done: write; test.",
        "12 tests passed",
        "14 tests passed",
        "`make`: 3 passed",
        "`make`: error: no rule",
        "Port 8080 is taken",
        *(f"point {letter}" for letter in "abcdefghijkl"),
    ]
)
BULLETS = st.lists(BULLET, max_size=12).map(tuple)
PAGES = st.builds(SummaryPage, st.sampled_from(["", "one", "two"]), BULLETS, BULLETS, BULLETS, BULLETS).map(apply_limits)


def test_two_lists_of_one_label_are_joined() -> None:
    new = SummaryPage(facts=("Changed: a.py, b.py.", "`make`: ok", "Changed: b.py, c.py."))
    assert merge_pages(SummaryPage(), new).facts == ("Changed: a.py, b.py, c.py.", "`make`: ok")


@pytest.mark.slow
@given(PAGES, PAGES)
def test_merging_the_same_again_changes_nothing(earlier, new) -> None:
    once = merge_pages(earlier, new)
    assert merge_pages(once, new) == once
    assert all(len(once.bullets(name)) <= MAX_BULLETS for name in ("Decisions", "Facts", "Pending", "Errors"))


@given(PAGES)
def test_a_page_merged_with_itself_says_the_same(page) -> None:
    once = merge_pages(page, page)
    for name in ("Task", "Facts", "Pending"):
        assert set(once.bullets(name)) <= set(page.bullets(name)) or name == "Facts"
    assert set(once.decisions) == set(page.decisions)
    assert merge_pages(once, once) == once


def test_what_is_done_leaves_pending() -> None:
    earlier = SummaryPage(pending=("Write tests", "Push", "Tag"))
    new = SummaryPage(pending=("Push",), done=("tag", "write tests"))
    assert merge_pages(earlier, new).pending == ("Push",)


def test_newer_facts_win_and_others_stay() -> None:
    earlier = SummaryPage(facts=("`make`: 3 passed", "Port 8080 is taken", "The API is slow"))
    new = SummaryPage(facts=("`make`: 5 passed",))
    assert merge_pages(earlier, new).facts == ("`make`: 5 passed", "Port 8080 is taken", "The API is slow")


def test_lists_of_paths_are_joined_the_newest_first() -> None:
    earlier = SummaryPage(facts=("Changed: b.py, c.py and others.", "Read in /long/path/: x.py, /y.py."))
    new = SummaryPage(facts=("Changed: a.py, b.py.",))
    assert merge_pages(earlier, new).facts[0] == "Changed: a.py, b.py, c.py and others."
    assert parse_list(earlier.facts[1]) == ("Read", ["/long/path/x.py", "/y.py"])


def test_lists_below_the_root_and_in_folders_with_blanks_are_lists() -> None:
    assert parse_list("Changed in /: x y/c.py, a.py.") == ("Changed", ["/x y/c.py", "/a.py"])
    assert parse_list("Changed in /my docs/: c.py, d.py.") == ("Changed", ["/my docs/c.py", "/my docs/d.py"])


def test_an_error_gets_its_resolution() -> None:
    earlier = SummaryPage(errors=("`make`: error: no rule", "`ls x`: no such file"))
    new = SummaryPage(facts=("`make`: 3 passed",), errors=("`cc a.c`: undefined reference",))
    assert merge_pages(earlier, new).errors == (
        "`make`: error: no rule; passed later",
        "`ls x`: no such file",
        "`cc a.c`: undefined reference",
    )


def test_the_newer_error_of_a_command_stands_for_it() -> None:
    merged = merge_pages(SummaryPage(errors=("`make`: error: a",)), SummaryPage(errors=("`make`: error: b",)))
    assert merged.errors == ("`make`: error: b",)


def test_the_oldest_that_is_no_rule_falls_first() -> None:
    earlier = SummaryPage(decisions=("Never push", *(f"old {letter}" for letter in "abcdefghi")))
    merged = merge_pages(earlier, SummaryPage(decisions=("new one", "Always sign")))
    assert merged.decisions == ("Never push", "Always sign", *(f"old {letter}" for letter in "cdefghi"), "new one")


def test_a_rule_that_holds_for_all_tasks_outlives_the_rules_of_one() -> None:
    standing = "Never change the lockfile in any task."
    page = SummaryPage(decisions=(standing,))
    for number in range(40):
        page = merge_pages(page, SummaryPage(decisions=(f"Never touch module {number}.",)))
    assert page.decisions[0] == standing
    assert page.decisions[1:] == tuple(f"Never touch module {number}." for number in range(31, 40))


def test_the_task_is_the_new_one_where_there_is_one() -> None:
    assert merge_pages(SummaryPage("old"), SummaryPage("new")).task == "new"
    assert merge_pages(SummaryPage("old"), SummaryPage()).task == "old"


def test_a_hand_edited_file_survives() -> None:
    earlier = parse_page("mine\n## Task\nold\n## Decisions\n- Rule of mine\n\n## House\n- tabs\n")
    merged = merge_pages(earlier, SummaryPage("new", extra=(Extra("", "## Pinned\n\nx"),)))
    assert merged.decisions == ("Rule of mine",)
    assert [extra.text for extra in merged.extra] == ["mine", "## House\n- tabs", "## Pinned\n\nx"]
    assert parse_page(render_page(merged)) == merged


def test_what_is_to_be_done_is_no_less_so_because_a_rule_speaks_of_it() -> None:
    merged = merge_pages(SummaryPage(pending=("write the documentation",)), SummaryPage(decisions=("Never forget to write the documentation.",)))
    assert merged.pending == ("write the documentation",)


def test_errors_of_tools_are_told_apart_by_what_they_were_given() -> None:
    earlier = SummaryPage(errors=("edit `a.py`: no match", "edit `b.py`: no match", "odd one"))
    new = SummaryPage(errors=("edit `a.py`: other text", "another odd one"))
    assert carry_over(earlier, new).errors == ("edit `b.py`: no match", "odd one")
