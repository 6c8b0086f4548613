"""The requests of the user that state a wish are found and quoted."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.extract.requests import UserRequest
from ctxkit.core.context.extract.wish import asks_something, count_words, find_wishes, quote_wish, states_wish
from ctxkit.core.context.page_rules import find_fault

LONG = "The users page times out for large customers since the last release, and nobody knows why. " * 4


def requests_of(*texts: str) -> list[UserRequest]:
    """Return requests at even positions; the agent answers at odd ones."""
    return [UserRequest(2 * at, text, text) for at, text in enumerate(texts)]


def test_wishes_are_the_newest_orders_and_questions() -> None:
    requests = requests_of("Build a site.", "Deploy it to Netlify.", "蓝色", "1. yes\n2. no", "B", "go on")
    assert find_wishes(requests, 200) == ['"Deploy it to Netlify"', '"Build a site"']
    assert find_wishes([*requests, UserRequest(90, f"{LONG}Fix it.")], 200)[0].endswith('Fix it"')
    assert len(find_wishes([*requests, UserRequest(90, f"{LONG}Fix it.")], 200)) == 1
    assert find_wishes([UserRequest(0, "蓝色")], 200) == ['"蓝色"']


@pytest.mark.parametrize(
    ("text", "is_wish"),
    [
        ("Deploy it.", True),
        ("the page is blank when the video is off", True),
        ("出ています", False),
        ("Option B", False),
        ("ERROR: 1\nERROR: 2\nERROR: 3\nERROR: 4\nERROR: 5", False),
        ("you are DUMB this morning", False),
    ],
)
def test_a_wish_orders_asks_or_tells(text: str, is_wish: bool) -> None:
    assert states_wish(text) is is_wish


def test_a_wish_is_quoted_without_the_output_below_it() -> None:
    log = "".join(f"2026-04-02 19:48:1{at} | ERROR | tool {at} failed\n" for at in range(8))
    assert quote_wish(f"fix the start of the tools:\n{log}", 200) == '"fix the start of the tools:"'
    assert quote_wish(f"{LONG}Fix it.", 120).endswith('… Fix it"')
    assert quote_wish("", 100) == ""
    words = "read the words of the last session " * 9
    assert quote_wish(words, 120) == '"read the words of the last session read the words of the last session read the words of the last session read the words …"'


def test_the_parts_of_a_wish() -> None:
    assert count_words("这个有啥用") == 3
    assert asks_something("It is slow. Why?") is False
    assert asks_something("It is slow. Why is that so?") is True


@given(st.lists(st.text("ab1. \"'()?!言`\n", max_size=60), min_size=1, max_size=5), st.integers(20, 200))
def test_wishes_keep_the_rules_of_a_task(texts: list[str], max_chars: int) -> None:
    for quote in find_wishes(requests_of(*texts), max_chars):
        assert not find_fault("Task", f"Go on (asked before: {quote})")


@pytest.mark.slow
def test_long_requests_take_linear_time() -> None:
    begin = time.perf_counter()
    for text in ("please " * 30_000, "(" * 200_000, "a. " * 9_000, "这" * 30_000, "1. a\n" * 20_000, "必ず" * 30_000):
        find_wishes(requests_of(text, text), 400)
    assert time.perf_counter() - begin < 10
