from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.extract.ranking import LEFT_OUT, MUST_SCORE, build_page
from ctxkit.core.context.limits import find_breaches
from ctxkit.core.context.template import MAX_BULLETS, SummaryPage, render_page
from tests.core.context.talk import words

BARE = words(render_page(SummaryPage()))
FORMS = st.lists(st.text(alphabet="abc def.", min_size=1, max_size=60), min_size=1, max_size=3).map(lambda found: tuple(sorted(found, key=len, reverse=True)))
ITEMS = st.lists(st.builds(PageItem, st.sampled_from(["Decisions", "Facts", "Pending", "Errors"]), FORMS, st.integers(1, 900), st.integers(-5, 5)), max_size=30)


@given(ITEMS, st.integers(BARE, 400))
def test_the_page_fits_and_keeps_to_the_template(items, target: int) -> None:
    page = build_page(items, (), target, words)
    assert words(render_page(page)) <= target
    assert find_breaches(render_page(page)) == ()


@given(ITEMS)
def test_the_order_in_which_things_come_does_not_matter_where_they_differ(items) -> None:
    items = [item._replace(score=at * 7, rank=at) for at, item in enumerate(items)]
    assert build_page(items, (), 200, words) == build_page(items[::-1], (), 200, words)


def test_what_is_worth_most_stands() -> None:
    items = [PageItem("Facts", (f"fact number {n} has some length",), n) for n in range(50)]
    page = build_page(items, (), BARE + 40, words)
    assert page.facts[0] == "fact number 49 has some length"


def test_what_must_stand_shares_bullets_where_there_are_too_many() -> None:
    items = [PageItem("Errors", (f"`make {n}`: error {n}.",), MUST_SCORE + n, n) for n in range(25)]
    page = build_page(items, (), 2000, words)
    assert len(page.errors) == MAX_BULLETS
    assert all(f"`make {n}`: error {n}" in "\n".join(page.errors) for n in range(25))
    assert page.errors == tuple(sorted(page.errors, key=lambda bullet: int(bullet.split("`")[1].split()[1])))


def test_what_need_not_stand_does_not() -> None:
    items = [PageItem("Facts", (f"fact {n}",), 100 + n, n) for n in range(25)]
    assert len(build_page(items, (), 2000, words).facts) == MAX_BULLETS


def test_fuller_forms_are_taken_where_there_is_room() -> None:
    item = PageItem("Facts", ("x" * 400, "x" * 40, "x"), 850)
    assert build_page([item], (), 2000, words).facts == ("x" * 400,)
    assert build_page([item], (), BARE + 60, words).facts == ("x" * 40,)
    assert build_page([item], (), BARE + 5, words).facts == ("x",)
    assert build_page([item], (), BARE, words).facts == ()


def test_the_task_stands_whatever_it_takes() -> None:
    page = build_page([PageItem("Task", ("long " * 90, "short enough to say"), 900)], (), 10, words)
    assert page.task == "short enough to say"


def test_what_the_task_says_is_not_said_again() -> None:
    items = [PageItem("Task", ('Fix it ("Never push.")',), 900), PageItem("Decisions", ("Never push.",), 785)]
    assert build_page(items, (), 500, words).decisions == ()


def test_everything_that_must_stand_does_before_any_of_it_is_told_in_full() -> None:
    items = [PageItem("Errors", (f"error {n} " + "long " * 20, f"brief error {n}"), MUST_SCORE + 30 - n, n) for n in range(6)]
    page = build_page(items, (), BARE + 50, words)
    assert [error for error in page.errors if "brief" in error or "long" in error] == list(page.errors)
    assert len(page.errors) == 6


def test_all_grow_a_little_before_one_grows_much() -> None:
    items = [PageItem("Errors", (f"{n} " + "long " * 16, f"{n} " + "mid " * 8, f"{n}"), 800 - n, n) for n in range(4)]
    page = build_page(items, (), BARE + 4 * 11, words)
    assert all("mid" in error for error in page.errors)


def test_what_shares_a_bullet_stays_short() -> None:
    items = [PageItem("Errors", (f"`make {n}`: " + "much " * 80, f"`make {n}`: x."), MUST_SCORE + 60 - n, n) for n in range(20)]
    page = build_page(items, (), 5000, words)
    assert [n for n in range(20) if f"`make {n}`: much" in "\n".join(page.errors)] == list(range(6))
    assert all(f"`make {n}`: x" in "\n".join(page.errors) for n in range(6, 20))


def test_marks_of_reasoning_are_left_out() -> None:
    items = [
        PageItem("Task", ("Fix the <think> tag. Then push.",), 900),
        PageItem("Errors", ("`make`: <Message> / error", "`make`: error"), 800),
        PageItem("Facts", ("It says <think>.",), 800),
    ]
    page = build_page(items, (), 500, words)
    assert (page.task, page.errors, page.facts) == ("Then push.", ("`make`: error",), ())


def test_a_bullet_that_breaks_a_rule_is_split_moved_or_left_out() -> None:
    items = [
        PageItem("Facts", ("The lexer works. The parser works.",), 800),
        PageItem("Errors", ("Removed redundant ID truncation",), 790, 1),
        PageItem("Pending", ("AgentLines int",), 790),
        PageItem("Decisions", ("Is that so?", "Use tabs."), 790),
    ]
    page = build_page(items, (), 500, words)
    assert page.facts == ("The lexer works.", "The parser works.", "Removed redundant ID truncation")
    assert (page.errors, page.pending, page.decisions) == ((), (), ("Use tabs.",))


def test_what_a_person_wrote_stays_sentence_by_sentence() -> None:
    items = [PageItem("Facts", ("Key files: a.py:\nSee (there. Twice.",), 800, 0, "own")]
    assert build_page(items, (), 500, words).facts == ("Key files: a.py: See (there.", "Twice.")


def test_demands_that_do_not_fit_are_named_as_left_out() -> None:
    demands = [PageItem("Decisions", (f"Never touch the folder number {n} of the tree.",), 790 - n, n, "demand") for n in range(12)]
    assert LEFT_OUT in "\n".join(build_page(demands, (), BARE + 80, words).decisions)
    assert LEFT_OUT not in "\n".join(build_page(demands, (), 2000, words).decisions)
