import pytest

from ctxkit.core.summary.demands import find_demands, is_demand, is_output, is_standing_rule


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
