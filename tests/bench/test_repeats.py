"""Repeated results are counted: the same, nearly the same, and neither."""

from bench.compact.said import Did, Said
from bench.repeats import Result, Tally, add_session, count_changes, list_results

LISTING = "".join(f"{number}: a line of a file\n" for number in range(300))


def count(text: str) -> int:
    return -(-len(text) // 3)


def make(*texts: str, call: str = "cat") -> list[Result]:
    return [Result(call, text, count(text)) for text in texts]


def test_results_are_the_same_nearly_the_same_or_new() -> None:
    edited = LISTING.replace("7: a line", "7: another line", 1)
    tally = Tally()
    add_session(tally, make(LISTING, "few words", LISTING, edited, "".join(sorted(LISTING))), count)
    assert (tally.results, tally.small, tally.same, tally.near) == (5, 1, 1, 1)
    assert tally.same_tokens == count(LISTING)
    assert tally.near_tokens - tally.near_saved == count_changes(LISTING, edited, count) < 100


def test_another_session_has_seen_nothing() -> None:
    tally = Tally()
    for _ in range(2):
        add_session(tally, make(LISTING), count)
    assert (tally.sessions, tally.results, tally.same) == (2, 2, 0)


def test_a_repeated_call_is_counted_apart() -> None:
    tally = Tally()
    add_session(tally, [*make(LISTING), *make(LISTING, call="head"), *make(LISTING)], count)
    assert (tally.same, tally.same_call) == (2, 1)


def test_results_have_the_words_of_their_calls() -> None:
    rows = [Said("assistant", did=[Did("c1", "read", {"path": "a"})]), Said("tool", "text", answers="c1")]
    assert list(list_results([*rows, Said("tool", " ", answers="c1")], count)) == [
        Result("read [('path', 'a')]", "text", 2)
    ]
