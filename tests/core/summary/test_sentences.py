import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.summary.sentences import (
    clip_line,
    clip_middle,
    find_demands,
    is_demand,
    is_output,
    is_standing_rule,
    join_parts,
    split_sentences,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Fix it. Then push!  Why? Done", ["Fix it.", "Then push!", "Why?", "Done"]),
        ("See a.py, e.g. line 3. ok", ["See a.py, e.g. line 3.", "ok"]),
        ("Use v1.2.3 of x.y. Not 2.", ["Use v1.2.3 of x.y.", "Not 2."]),
        ("Run `a. B` now. Go", ["Run `a. B` now.", "Go"]),
        ("See https://a.b/c. It works", ["See https://a.b/c.", "It works"]),
        ("- one\n- [ ] two\n3. three\n> four\n# five", ["one", "two", "three", "four", "five"]),
        ("a line\ngoes on\n\nand another", ["a line goes on", "and another"]),
        ("Title:\nnext", ["Title:", "next"]),
        ("before\n```py\nx = 1. y\n```\nafter", ["before", "after"]),
        ("直してください。急ぎです。", ["直してください。", "急ぎです。"]),
        ("It fails re. coverage, so wait. ok", ["It fails re. coverage, so wait.", "ok"]),
        ("", []),
        ("...\n\n", ["..."]),
        ("Ensure go build ./... succeeds. Go on", ["Ensure go build ./... succeeds.", "Go on"]),
        ("Que faire ? Rien. Why?? Yes", ["Que faire ?", "Rien.", "Why??", "Yes"]),
        ("Run go test ./... Then push", ["Run go test ./...", "Then push"]),
    ],
)
def test_sentences(text: str, found) -> None:
    assert list(split_sentences(text)) == found


@given(st.text(alphabet="ab .!?\n`。-*1", max_size=60))
def test_nothing_is_added_and_the_order_stays(text: str) -> None:
    at = 0
    flat = " ".join(text.split())
    for sentence in split_sentences(text):
        for word in sentence.split():
            at = flat.index(word, at) + len(word)


@pytest.mark.parametrize(
    "sentence",
    [
        "Never push to main.",
        "The output is long, so please use a pager.",
        "Never pass a token.",
        "Only change what is broken.",
        "Please use tabs.",
        "Don't touch the tests.",
        "The output must be sorted.",
        "Only answer in French.",
        "I want the old API to stay.",
        "Make sure that all tests pass.",
    ],
)
def test_demands(sentence: str) -> None:
    assert is_demand(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The build is slow.",
        "Why does it never stop?",
        "It never stops.",
        "I don't know.",
        "2026-01-01 12:00:00 only one worker",
        "GET /login 403 Forbidden",
        "[CLI] please wait",
        "Rules that you must keep:",
        "Only the list of files is affected.",
        "**Only Copilot** has another suffix",
        "As it comes first, the rest never benefits from the cache.",
        "The spec is ready to use!",
        "The total of order 1023 is off by a cent: 58.19 EUR instead of 58.20 EUR.",
        "ok, i removed almost all of them, except for the border.",
    ],
)
def test_what_is_no_demand(sentence: str) -> None:
    assert not is_demand(sentence)


def test_a_demand_that_goes_on_with_the_sentence_before_it_is_told_with_it() -> None:
    assert list(find_demands("Don't scroll. Instead, use goto.")) == ["Don't scroll. Instead, use goto."]
    assert list(find_demands("It is slow. Otherwise it must be kept. Use tabs.")) == ["It is slow. Otherwise it must be kept.", "Use tabs."]
    assert list(find_demands("It is slow\n\nInstead, use goto.")) == ["Instead, use goto."]


def test_demands_are_found_in_a_text() -> None:
    assert list(find_demands("Fix it. Never push.\n- Always run the tests")) == ["Never push.", "Always run the tests"]


def test_a_standing_rule_says_that_it_goes_on() -> None:
    assert is_standing_rule("From now on, never push.")
    assert is_standing_rule("Always answer in every file in French.")
    assert not is_standing_rule("Never push.")
    assert not is_standing_rule("In this session we mend the parser.")


def test_lines_of_programs_are_output() -> None:
    assert is_output("src/a.py:3: error: x")
    assert not is_output("Mend src/a.py.")


@given(st.text(st.sampled_from("ab \n"), max_size=300), st.integers(12, 80))
def test_parts_are_the_ends_of_a_text(text: str, limit: int) -> None:
    parts = clip_middle(text, limit)
    assert text.startswith(parts[0])
    assert text.endswith(parts[-1]) or text.rstrip().endswith(parts[-1].rstrip())
    assert len(parts) == 1 or sum(map(len, parts)) <= limit + 1


def test_the_mark_counts_what_is_left_out() -> None:
    text = "one two three four"
    assert join_parts(text, clip_middle(text, 12)) == "one two [... 7 characters ...] four"
    assert clip_line("a\n b", 10) == "a b"
