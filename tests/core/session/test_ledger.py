import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.errors import UsageError
from ctxkit.core.session.ledger import AnswerEntry, LedgerEntry, Session, check_session_name

RESULTS, METHODS = ("raw", "tight", "briefing"), ("exact", "estimate")
ITEMS = st.lists(
    st.builds(
        LedgerEntry, st.just("log"), st.integers(0, 10_000), st.sampled_from(METHODS), st.sampled_from(RESULTS), st.booleans()
    )
)


@given(ITEMS)
def test_a_session_is_the_sum_of_what_entered(items) -> None:
    session = Session("s", 1000, 200)
    for now, item in enumerate(items):
        session = session.with_entry(item, now)
    assert session.used == sum(item.tokens for item in items)
    assert session.estimated == sum(item.tokens for item in items if item.method == "estimate")
    assert session.items == len(items)
    assert session.gatings == sum(item.result == "briefing" for item in items)


def test_an_anchor_is_the_whole_truth_about_what_is_used() -> None:
    session = Session("s", 1000, 200).with_entry(LedgerEntry("log", 70, "estimate", "briefing"), 5.0).with_used(12, 9.0)
    assert (session.used, session.estimated, session.items, session.gatings) == (12, 0, 1, 1)


def test_a_compaction_is_an_anchor_that_is_counted() -> None:
    session = Session("s", 1000, 200).with_entry(LedgerEntry("log", 70, "exact", "raw"), 5.0).with_compaction(30, 30, 9.0)
    assert (session.used, session.estimated, session.compactions, session.items) == (30, 30, 1, 1)
    assert session.with_compaction(10, 0, 9.5)[5:10] == (10, 0, 1, 0, 2)


def test_time_never_goes_back() -> None:
    session = Session("s", 1000, 200, updated=100.0)
    assert session.with_entry(LedgerEntry("log", 1, "exact", "raw"), 50.0).updated == 100.0
    assert session.with_used(0, 50.0).updated == 100.0


def test_what_is_held_is_taken_too() -> None:
    assert Session("s", 1000, 200, used=30, reserved=12).occupancy == 42


def test_an_entry_may_be_several_items() -> None:
    session = Session("s", 1000, 200).with_entry(LedgerEntry("history", 70, "exact", "raw"), 5.0, 16)
    assert (session.items, session.used) == (16, 70)


def test_an_edit_sets_what_is_used() -> None:
    session = Session("s", 1000, 200, used=500, estimated=400).with_edit(30, 0, 9.0)
    assert (session.used, session.estimated, session.edits, session.compactions) == (30, 0, 1, 0)


@pytest.mark.parametrize("name", ["s", "0", "_x", ":a", "build-42", "a.b:c_d-e", "A" * 128, "20261121T141254Z-0d5c7c32"])
def test_a_name_is_letters_digits_and_four_signs(name: str) -> None:
    assert check_session_name(name) == name


@pytest.mark.parametrize(
    "name", ["", ".", "..", ".x", "-x", "a/b", "../a", "a b", "a\n", "a\0b", "ä", "\u0663", "a" * 129, "a\\b", "~"]
)
def test_any_other_name_is_a_slip_with_a_hint(name: str) -> None:
    with pytest.raises(UsageError, match="is not the name of a session") as raised:
        check_session_name(name)
    assert "letters, digits" in raised.value.hint


def test_an_answer_says_until_when_the_prompt_is_cached() -> None:
    session = Session("s", 1000, 0, used=10, cold_from=5.0)
    answered = session.with_answer(AnswerEntry(700, 2, True, 300), 50.0)
    assert (answered.used, answered.items, answered.due, answered.cold_from) == (700, 2, 1, 350.0)
    assert session.with_answer(AnswerEntry(None, 1), 50.0)._replace(updated=0) == session._replace(items=1, cold_from=0.0)
    assert answered.with_compaction(90, 0, 60.0).cold_from == 0
