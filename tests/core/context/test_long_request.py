import pytest

from ctxkit.core.context.long_request import MIN_LENGTH, find_long_request, quote_request
from ctxkit.core.context.template import REQUEST_TITLE
from tests.core.context.talk import matter, ran, records_of, said, user, words

LONG = "Fix the issue below.\n\n" + "\n".join(f"Row {n} of the table is read twice." for n in range(30))


def long_request(*talk, earlier: str = "", last: int = -1) -> str:
    return find_long_request(matter(records_of(list(talk)), earlier=earlier), last)


def test_a_long_first_message_is_the_task_while_only_replies_follow() -> None:
    assert len(LONG) > MIN_LENGTH
    assert long_request(user(LONG), *ran("ls"), user("continue")) == LONG
    assert long_request(user(LONG), *ran("ls"), user("continue"), last=0) == ""
    assert long_request(user(LONG), *ran("ls"), user("Now write the documentation of all of the rows.")) == ""
    assert long_request(user("Fix it."), *ran("ls"), user("continue")) == ""


def test_it_goes_on_from_one_summary_to_the_next() -> None:
    block, _ = quote_request(LONG, 10_000, words, stores=True)
    page = f"# Context\n\n## Task\nFix it.\n{block}"
    assert long_request(said("ok"), user("go on"), earlier=page) == LONG
    assert long_request(user("Now write the documentation of all of the rows."), earlier=page) == ""
    assert long_request(user("go on"), earlier="# Context\n\n## Task\nFix it.\n") == ""


@pytest.mark.parametrize("stores", [True, False])
def test_beyond_its_limit_its_ends_stay_and_the_rest_is_a_ref_away(stores: bool) -> None:
    block, data = quote_request(LONG, 120, words, stores=stores)
    assert words(block) <= 160
    assert block.startswith(f"\n{REQUEST_TITLE}\n\n> Fix the issue below.\n")
    assert block.endswith("> Row 29 of the table is read twice.\n")
    assert ("ctxkit cache get" in block) is stores
    assert data == LONG.encode()


def test_nothing_is_quoted_of_nothing() -> None:
    assert quote_request("", 100, words, stores=True) == ("", b"")
