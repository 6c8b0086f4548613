import pytest

from ctxkit.core.context.extract.conclusions import LATE_TURNS, find_conclusion_items
from ctxkit.core.context.extract.ranking import MUST_SCORE


def told(*words: str, ends: tuple[int, ...] = ()) -> list[tuple[str, str]]:
    return [(item.section, item.forms[0]) for item in find_conclusion_items(list(enumerate(words)), ends)]


def test_changes_of_files_and_results_of_tests_are_facts_and_choices_decisions() -> None:
    report = "- Added `retry` to src/http.py.\n- All 45 tests pass (45 passing, 0 failing).\n\nWe decided to keep SQLite as the store."
    assert told(report) == [
        ("Facts", "Added `retry` to src/http.py."),
        ("Facts", "All 45 tests pass (45 passing, 0 failing)."),
        ("Decisions", "We decided to keep SQLite as the store."),
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "The corridor turns west after 30 feet, and she pauses at the corner.",
        "Because millions of them died, I came to src/a.py.",
        "Added retries to the client.",
        "I will add `retry` to src/http.py.",
        "Fixed it in src/http.py, which should work now.",
        "The suite takes 38 s.",
        "Added to src/http.py:",
        "Integrated with exercise views via `cacheExerciseContent()` in `app.js`",
        "| Added | src/http.py |",
        "This fixed src/http.py.",
        "I created a complete Vue.js application with all features.",
        "Frequency can be set (0.1 - 10 Hz).",
        "Would all 45 tests pass with src/a.py?",
    ],
)
def test_talk_plans_guesses_and_reports_without_a_file_are_left_out(sentence: str) -> None:
    assert told(sentence) == []


def test_only_the_last_message_of_a_turn_counts() -> None:
    assert told("Added `a` to a.py.", "Fixed `b` in b.py now.", "Removed c.py from the list.", ends=(1,)) == [
        ("Facts", "Removed c.py from the list."),
        ("Facts", "Fixed `b` in b.py now."),
    ]


def test_a_result_of_tests_holds_only_in_the_last_turn() -> None:
    assert told("All 40 tests passed in 3 s.", "Moved it to lib/b.py at last.", ends=(0,)) == [("Facts", "Moved it to lib/b.py at last.")]


def test_the_last_turn_is_worth_most_and_old_turns_are_left_out() -> None:
    words = [f"Added `f{at}` to src/f{at}.py." for at in range(LATE_TURNS + 3)]
    items = list(find_conclusion_items(list(enumerate(words)), range(len(words))))
    assert [item.forms[0] for item in items] == words[::-1][:LATE_TURNS]
    assert [item.score >= MUST_SCORE for item in items] == [True] + [False] * (LATE_TURNS - 1)


def test_marks_of_emphasis_are_dropped() -> None:
    assert told("- ✅ **Added `retry`** to src/http.py.") == [("Facts", "Added `retry` to src/http.py.")]
