"""Large and old results to which nothing refers are suggested first."""

from time import process_time

import pytest

from ctxkit.core.edit.suggestions import MAX_SUGGESTIONS, MIN_TOKENS, suggest_ranges
from tests.core.edit.talk import number_talk

LONG = "x = 1\n" * MIN_TOKENS
END = [{"role": "assistant", "content": "Fine."}, {"role": "user", "content": "Go on."}] * 3


def result(text: str, at: int = 1, arguments: str = "{}") -> list[dict[str, object]]:
    call = {"id": f"c{at}", "type": "function", "function": {"name": "read", "arguments": arguments}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{at}", "content": text},
    ]


def suggested(*turns: object) -> list[tuple[int, int, int]]:
    conversation = number_talk([{"role": "user", "content": "Fix it."}, *turns])
    return [(row.first, row.last, mentions) for row, _, mentions, _ in suggest_ranges(conversation)]


def test_the_largest_and_oldest_ranges_come_first() -> None:
    turns = (*result(LONG), *result(LONG * 3, 2), *result("short", 3), *END)
    assert suggested(*turns) == [(4, 5, 0), (2, 3, 0)]


def test_what_is_mentioned_later_comes_last_or_stays() -> None:
    named = result(f"def parse_header():\n{LONG}", 2, '{"path": "src/head.py"}')
    later = [{"role": "assistant", "content": "The bug is in `parse_header`."}]
    assert suggested(*named, *result(LONG), *later, *END) == [(4, 5, 0), (2, 3, 1)]
    assert suggested(*named, *later * 3, *END) == []


def test_a_name_that_was_known_before_is_no_reference() -> None:
    known = {"role": "user", "content": "Look at parse_header."}
    later = {"role": "assistant", "content": "parse_header is fine."}
    assert suggested(known, *result(f"parse_header\n{LONG}"), later, *END) == [(3, 4, 0)]


def test_recent_ranges_and_messages_without_calls_stay() -> None:
    assert suggested({"role": "assistant", "content": LONG}, *END, *result(LONG)) == []


def test_what_changed_a_file_is_suggested_last_and_all_name_their_paths() -> None:
    call = {"id": "e", "type": "function", "function": {"name": "edit", "arguments": '{"path": "b.py", "text": "x"}'}}
    edit = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "e", "content": LONG * 9},
    ]
    look = result(LONG, 2, '{"path": "a.py"}')
    conversation = number_talk([{"role": "user", "content": "Fix it."}, *edit, *look, *END])
    assert [(item.row.title, item.is_edit) for item in suggest_ranges(conversation)] == [("read a.py", False), ("edit b.py", True)]


@pytest.mark.slow
def test_many_names_take_linear_time() -> None:
    turns = [turn for at in range(200) for turn in result(" ".join(f"name_{at}_{n}" for n in range(300)), at)]
    start = process_time()
    assert len(suggested(*turns, *END)) == MAX_SUGGESTIONS
    assert process_time() - start < 3
