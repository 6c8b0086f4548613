from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.extract.item import Item
from ctxkit.core.context.extract.ranking import MUST, ranked
from ctxkit.core.context.limits import breaches
from ctxkit.core.context.template import MOST, Context, render
from tests.core.context.talk import words

BARE = words(render(Context()))
FORMS = st.lists(st.text(alphabet="abc def.", min_size=1, max_size=60), min_size=1, max_size=3).map(lambda found: tuple(sorted(found, key=len, reverse=True)))
ITEMS = st.lists(st.builds(Item, st.sampled_from(["Decisions", "Facts", "Pending", "Errors"]), FORMS, st.integers(1, 900), st.integers(-5, 5)), max_size=30)


@given(ITEMS, st.integers(BARE, 400))
def test_the_page_fits_and_keeps_to_the_template(items, target):
    page = ranked(items, (), target, words)
    assert words(render(page)) <= target
    assert breaches(render(page)) == ()


@given(ITEMS)
def test_the_order_in_which_things_come_does_not_matter_where_they_differ(items):
    items = [item._replace(worth=at * 7, rank=at) for at, item in enumerate(items)]
    assert ranked(items, (), 200, words) == ranked(items[::-1], (), 200, words)


def test_what_is_worth_most_stands():
    items = [Item("Facts", (f"fact number {n} of some length",), n) for n in range(50)]
    page = ranked(items, (), BARE + 40, words)
    assert page.facts[0] == "fact number 49 of some length"


def test_what_must_stand_shares_bullets_where_there_are_too_many():
    items = [Item("Errors", (f"`make {n}`: error {n}.",), MUST + n, n) for n in range(25)]
    page = ranked(items, (), 2000, words)
    assert len(page.errors) == MOST
    assert all(f"`make {n}`: error {n}." in "\n".join(page.errors) for n in range(25))
    assert page.errors == tuple(sorted(page.errors, key=lambda bullet: int(bullet.split("`")[1].split()[1])))


def test_what_need_not_stand_does_not():
    items = [Item("Facts", (f"fact {n}",), 100 + n, n) for n in range(25)]
    assert len(ranked(items, (), 2000, words).facts) == MOST


def test_fuller_forms_are_taken_where_there_is_room():
    item = Item("Facts", ("x" * 400, "x" * 40, "x"), 850)
    assert ranked([item], (), 2000, words).facts == ("x" * 400,)
    assert ranked([item], (), BARE + 60, words).facts == ("x" * 40,)
    assert ranked([item], (), BARE + 5, words).facts == ("x",)
    assert ranked([item], (), BARE, words).facts == ()


def test_the_task_stands_whatever_it_takes():
    page = ranked([Item("Task", ("long " * 90, "short enough to say"), 900)], (), 10, words)
    assert page.task == "short enough to say"


def test_what_the_task_says_is_not_said_again():
    items = [Item("Task", ("Fix it. Never push.",), 900), Item("Decisions", ("Never push.",), 785)]
    assert ranked(items, (), 500, words).decisions == ()


def test_everything_that_must_stand_does_before_any_of_it_is_told_in_full():
    items = [Item("Errors", (f"{n} " + "long " * 20, f"brief {n}"), MUST + 30 - n, n) for n in range(6)]
    page = ranked(items, (), BARE + 40, words)
    assert [error for error in page.errors if "brief" in error or "long" in error] == list(page.errors)
    assert len(page.errors) == 6


def test_all_grow_a_little_before_one_grows_much():
    items = [Item("Errors", (f"{n} " + "long " * 16, f"{n} " + "mid " * 8, f"{n}"), 800 - n, n) for n in range(4)]
    page = ranked(items, (), BARE + 4 * 11, words)
    assert all("mid" in error for error in page.errors)


def test_what_shares_a_bullet_stays_short():
    items = [Item("Errors", (f"`make {n}`: " + "much " * 80, f"`make {n}`: x."), MUST + 60 - n, n) for n in range(20)]
    page = ranked(items, (), 5000, words)
    assert [n for n in range(20) if f"`make {n}`: much" in "\n".join(page.errors)] == list(range(6))
    assert all(f"`make {n}`: x." in "\n".join(page.errors) for n in range(6, 20))


def test_marks_of_reasoning_are_left_out():
    items = [
        Item("Task", ("Fix the <think> tag. Then push.",), 900),
        Item("Errors", ("`make`: <Message> / error", "`make`: error"), 800),
        Item("Facts", ("It says <think>.",), 800),
    ]
    page = ranked(items, (), 500, words)
    assert (page.task, page.errors, page.facts) == ("Then push.", ("`make`: error",), ())
