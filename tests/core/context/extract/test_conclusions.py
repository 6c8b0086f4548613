from ctxkit.core.context.extract.conclusions import LATE_MESSAGES, find_conclusion_items, find_decision_items
from ctxkit.core.context.extract.ranking import MUST_SCORE


def told(*words):
    said = list(enumerate(words))
    return {(item.section, item.forms[0]) for item in (*find_conclusion_items(said), *find_decision_items(said))}


def test_numbers_and_names_are_facts_and_reasons_decisions() -> None:
    assert told(
        "The suite has 412 tests and takes 38 s. I'll use orjson because it is faster. Let me look at 3 more files. Fine.",
    ) == {("Facts", "The suite has 412 tests and takes 38 s."), ("Decisions", "I'll use orjson because it is faster.")}


def test_pasted_lines_and_tables_are_left_out() -> None:
    assert told('File "/a/b.py", line 3, in f\n| a | 12 |\n{"x": 120},\nsrc/a.py:12 is it\n```\nx = 120\n```') == set()


def test_the_latest_is_worth_most() -> None:
    items = list(find_conclusion_items([(0, "The run took 12 ms."), (1, "The run took 15 ms.")]))
    assert max(items, key=lambda item: item.score).forms == ("The run took 15 ms.",)


def test_what_was_settled_long_ago_is_told_too() -> None:
    old = "We decided to keep SQLite as the store."
    assert told(old, *(["Fine."] * (LATE_MESSAGES + 3))) == {("Decisions", old)}


def test_a_few_words_do_not_count_as_a_conclusion() -> None:
    talk = ["I pinned it to 861.96.1.", *(["Let me look at that."] * (LATE_MESSAGES + 3))]
    assert ("Facts", "I pinned it to 861.96.1.") in told(*talk)


def test_headings_and_links_are_left_out() -> None:
    assert told("Root Cause Analysis\n\n[a 12](/x) and [b](/y) of 1999\n\n{'code': 500, 'param': 12}\n\n![x](y) 1836") == set()


def test_the_last_message_stands_before_what_was_said_earlier() -> None:
    found = list(find_conclusion_items([(0, "All 40 tests passed in 3 s."), (1, "The commit is 9f2c1ab now.")]))
    assert {item.forms[0]: item.score >= MUST_SCORE for item in found} == {"All 40 tests passed in 3 s.": False, "The commit is 9f2c1ab now.": True}


def test_web_pages_and_orders_are_no_conclusions() -> None:
    surfed = "I typed 'x' into 'y'.\n\nThe viewport shows 47% of the webpage.\n\nAbout 2,160 results"
    assert told(surfed, "Address: https://e.org\nTitle: 12 x\nIt was built in 1836.") == set()
    assert told("Look for the 2024 price of it. Call all 12 shops instead of writing.") == set()
    assert told("Use the price of 2024 instead of 2023.") == {("Decisions", "Use the price of 2024 instead of 2023.")}


def test_an_explanation_is_a_fact() -> None:
    messages = [(at, f"Step {at} is done, and {at} files are in place.") for at in range(20)]
    cause = "The cause was a missing index: the query went from 381 ms to 95 ms."
    items = list(find_decision_items([(0, cause), *messages]))
    assert [(item.section, item.forms[0]) for item in items] == [("Facts", cause)]


def test_a_contrast_alone_is_no_decision() -> None:
    assert told("The theme starts as festive instead of modern.", "Fine.") == set()
    assert told("We read the rows lazily instead of loading them.", "Fine.") != set()


def test_labelled_plans_guesses_and_advice_are_no_facts() -> None:
    assert told("THOUGHT: I will modify src/a.py so that it keeps 12 rows. This could be in src/b.py.") == set()
    assert told("After making these changes, try running src/a.py with 12 rows.") == set()
