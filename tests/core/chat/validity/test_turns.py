"""Who sends a message, and where the results of a response may be."""

import pytest

from ctxkit.core.chat.editing.editable_format import ApiRules, ResultLayout
from ctxkit.core.chat.model.record import Record, RecordCall, RecordResult
from ctxkit.core.chat.validity.turns import Turn, find_sender_end, find_turns, sender_of

CALL, RESULT = RecordCall("a", "run"), RecordResult("a", "out", ())


def make_records(*roles: str) -> list[Record]:
    """Return a record for each role; "call" is an assistant's message with a call, "tool" one with its result."""
    return [
        Record(
            at,
            0,
            0,
            {},
            "assistant" if role == "call" else role,
            calls=(CALL,) if role == "call" else (),
            results=(RESULT,) if role == "tool" else (),
        )
        for at, role in enumerate(roles)
    ]


def test_a_run_is_what_one_sender_says_in_a_row() -> None:
    records = make_records("assistant", "user", "tool", "assistant", "system")
    assert [sender_of(record) for record in records] == ["assistant", "user", "user", "assistant", "system"]
    assert [find_sender_end(records, at) for at in range(5)] == [1, 3, 3, 4, 5]


@pytest.mark.parametrize(
    ("layout", "turn"),
    [("near", Turn(1, 1, 2, 3)), ("next", Turn(1, 1, 2, 4)), ("any", Turn(1, 1, 1, 5)), ("within", Turn(1, 1, 1, 2))],
)
def test_results_are_expected_where_the_layout_says(layout: ResultLayout, turn: Turn) -> None:
    records = make_records("user", "call", "tool", "user", "assistant")
    assert list(find_turns(records, ApiRules(layout))) == [turn]


def test_a_conversation_without_calls_has_no_turns() -> None:
    assert list(find_turns(make_records("user", "assistant"), ApiRules("near"))) == []
