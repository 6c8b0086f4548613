"""Messages are numbered from 1, and their tokens add up."""

import pytest

from ctxkit.core.count.amount import sum_amounts
from ctxkit.core.edit.numbered_conversation import (
    SUMMARY_MARK,
    TITLE_LENGTH,
    compute_overhead,
    find_stay_reason,
    list_messages,
    list_tasks,
)
from tests.core.edit.talk import CHAT, number


def test_each_message_has_a_row() -> None:
    rows = list_messages(number())
    assert [(row.first, row.last) for row in rows] == [(at, at) for at in range(1, 8)]
    assert [row.what for row in rows] == [message["role"] for message in CHAT]
    assert [row.stays for row in rows] == [True, *[False] * 6]
    assert [row.title for row in rows[:4]] == ["Be brief.", "Fix the test", "read", "x = 1"]


def test_a_task_is_a_request_with_all_that_follows_it() -> None:
    rows = list_tasks(number())
    assert [(row.first, row.last, row.what, row.calls) for row in rows] == [
        (1, 1, "system", 0),
        (2, 5, "request", 1),
        (6, 7, "request", 0),
    ]


def test_the_rows_and_the_rest_add_up_to_the_total() -> None:
    conversation = number()
    for rows in (list_messages(conversation), list_tasks(conversation)):
        assert sum_amounts(row.amount for row in rows).plus(compute_overhead(conversation)) == conversation.total
    assert conversation.sum_cost(2, 3) == conversation.costs[1].plus(conversation.costs[2])
    assert conversation.get_method(conversation.total) == "estimate"


def test_a_summary_of_an_edit_is_a_range_of_its_own() -> None:
    rows = list_tasks(number([CHAT[0], {"role": "user", "content": f"{SUMMARY_MARK} Messages 2:5"}, *CHAT[5:]]))
    assert [row.what for row in rows] == ["system", "summary", "request"]


@pytest.mark.parametrize("words", ["word " * 99, "a\nb\t c", "\x1b[31mred"])
def test_a_title_is_one_printable_line(words: str) -> None:
    (row,) = list_messages(number([{"role": "user", "content": words}]))
    assert len(row.title) <= TITLE_LENGTH
    assert row.title.isprintable()


def test_a_system_prompt_stays_and_says_why() -> None:
    conversation = number()
    assert [find_stay_reason(record) for record in conversation.path[:2]] == ["is a system prompt", ""]


def test_a_conversation_without_messages_has_no_rows() -> None:
    conversation = number([CHAT[1]])._replace(path=(), costs=())
    assert list_tasks(conversation) == list_messages(conversation) == []


def test_words_beside_a_result_begin_a_task_and_the_result_of_a_tool_in_text_does_not() -> None:
    call = {"functionCall": {"name": "bash", "args": {"command": "ls"}}}
    result = {"functionResponse": {"name": "bash", "response": {"output": "a.py"}}}
    gemini = {"contents": [
        {"role": "user", "parts": [{"text": "Create a form."}]},
        {"role": "model", "parts": [call]},
        {"role": "user", "parts": [result, {"text": "Stop. Keep the tests."}]},
        {"role": "model", "parts": [{"text": "Stopped."}]},
    ]}  # fmt: skip
    assert [row.title for row in list_tasks(number(gemini)) if row.what == "request"] == ["Create a form.", "Stop. Keep the tests."]
    cline = [
        {"role": "user", "content": [{"type": "text", "text": "<task>\nCreate a form.\n</task>"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "<read_file>\n<path>a.ts</path>\n</read_file>"}]},
        {"role": "user", "content": [{"type": "text", "text": "[read_file for 'a.ts'] Result:"}, {"type": "text", "text": "x"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
    ]
    assert [row.title for row in list_tasks(number(cline)) if row.what == "request"] == ["Create a form."]
