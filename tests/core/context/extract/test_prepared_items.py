from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.extract.prepared_items import deduplicate_items, drop_contained


def test_of_equal_items_the_one_with_the_highest_score_stays() -> None:
    items = [PageItem("Facts", ("Port 8080 is used.",), 5), PageItem("Facts", ("port 8080 is used",), 9)]
    assert [item.score for item in deduplicate_items(items)] == [9]


def test_an_item_that_breaks_the_rules_is_split_into_its_sentences() -> None:
    [first, second] = deduplicate_items([PageItem("Facts", ("The parser works. Key files modified: The lexer is new.",), 9)])
    assert first.forms == ("The parser works.",)
    assert second.forms == ("Key files modified: The lexer is new.",)


def test_an_instruction_that_another_open_item_contains_is_left_out() -> None:
    whole, part = PageItem("Pending", ("Look at a.py; Add a test for it.",), 720), PageItem("Pending", ("Add a test for it.",), 703)
    fact, task = PageItem("Facts", ("Add a test for it.",), 450), PageItem("Pending", ("Add a test",), 825)
    assert list(drop_contained([whole, part, fact, task])) == [whole, fact, task]


@given(st.lists(st.text(alphabet="ab ", min_size=1, max_size=6), max_size=9, unique=True))
def test_what_remains_contains_each_open_item(texts: list[str]) -> None:
    items = [PageItem("Pending", (text,), 703) for text in texts]
    kept = list(drop_contained(items))
    assert all(any(item.forms[0] in other.forms[0] for other in kept) for item in items)
