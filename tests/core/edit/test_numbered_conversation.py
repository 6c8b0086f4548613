"""Messages are numbered from 1, and their tokens add up."""

import json
from time import process_time

import pytest

from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.count.amount import CountOptions, sum_amounts
from ctxkit.core.edit.numbered_conversation import (
    MAX_SUGGESTIONS,
    MIN_TOKENS,
    SUMMARY_MARK,
    TITLE_LENGTH,
    choose_range,
    compute_overhead,
    find_stay_reason,
    list_messages,
    list_tasks,
    number_messages,
    suggest_ranges,
)
from ctxkit.core.errors import NotStoredError, UsageError
from ctxkit.core.summary.frame import frame_page
from ctxkit.core.summary.template import SummaryPage, render_page
from ctxkit.core.text.quantity import PositionRange
from ctxkit.core.tokens.estimate import likely_tokenizer
from ctxkit.core.tokens.vocabulary import find_vocabulary
from tests.core.edit.talk import CHAT, number_talk


def test_each_message_has_a_row() -> None:
    rows = list_messages(number_talk())
    assert [(row.first, row.last) for row in rows] == [(at, at) for at in range(1, 8)]
    assert [row.what for row in rows] == [message["role"] for message in CHAT]
    assert [row.stays for row in rows] == [True, *[False] * 6]
    assert [row.title for row in rows[:4]] == ["Be brief.", "Fix the test", "read", "x = 1"]


def test_a_task_is_a_request_with_all_that_follows_it() -> None:
    rows = list_tasks(number_talk())
    assert [(row.first, row.last, row.what, row.calls) for row in rows] == [
        (1, 1, "system", 0),
        (2, 5, "request", 1),
        (6, 7, "request", 0),
    ]


def test_the_rows_and_the_rest_add_up_to_the_total() -> None:
    conversation = number_talk()
    for rows in (list_messages(conversation), list_tasks(conversation)):
        assert sum_amounts(row.amount for row in rows).plus(compute_overhead(conversation)) == conversation.total
    assert conversation.sum_cost(2, 3) == conversation.costs[1].plus(conversation.costs[2])
    assert conversation.get_method(conversation.total) == "estimate"


def test_a_summary_of_an_edit_is_a_range_of_its_own() -> None:
    rows = list_tasks(number_talk([CHAT[0], {"role": "user", "content": f"{SUMMARY_MARK} Messages 2:5"}, *CHAT[5:]]))
    assert [row.what for row in rows] == ["system", "summary", "request"]


@pytest.mark.parametrize("words", ["word " * 99, "a\nb\t c", "\x1b[31mred"])
def test_a_title_is_one_printable_line(words: str) -> None:
    (row,) = list_messages(number_talk([{"role": "user", "content": words}]))
    assert len(row.title) <= TITLE_LENGTH
    assert row.title.isprintable()


def test_a_system_prompt_stays_and_says_why() -> None:
    conversation = number_talk()
    assert [find_stay_reason(record) for record in conversation.path[:2]] == ["is a system prompt", ""]


def test_a_conversation_without_messages_has_no_rows() -> None:
    conversation = number_talk([CHAT[1]])._replace(path=(), costs=())
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
    assert [row.title for row in list_tasks(number_talk(gemini)) if row.what == "request"] == ["Create a form.", "Stop. Keep the tests."]
    cline = [
        {"role": "user", "content": [{"type": "text", "text": "<task>\nCreate a form.\n</task>"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "<read_file>\n<path>a.ts</path>\n</read_file>"}]},
        {"role": "user", "content": [{"type": "text", "text": "[read_file for 'a.ts'] Result:"}, {"type": "text", "text": "x"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
    ]
    assert [row.title for row in list_tasks(number_talk(cline)) if row.what == "request"] == ["Create a form."]


VOCABULARY = find_vocabulary("bytes/3")
ORDER = CountOptions(VOCABULARY, likely_tokenizer(VOCABULARY), json.loads, is_named=False)


def opened(*turns, around=None):
    value = {**around, "messages": list(turns)} if around else list(turns)
    return number_messages(parse_transcript(json.dumps(value).encode(), "test"), ORDER)


def says(role, words="words"):
    return {"role": role, "content": words}


def calls(*ids):
    made = [{"id": id_, "type": "function", "function": {"name": "f", "arguments": "{}"}} for id_ in ids]
    return {"role": "assistant", "content": None, "tool_calls": made}


def tells(id_):
    return {"role": "tool", "tool_call_id": id_, "content": "result"}


CHAT_MESSAGE_RANGE = opened(says("system"), says("user"), calls("a", "b"), tells("a"), tells("b"), says("assistant"), says("user"))


@pytest.mark.parametrize(
    ("span", "wider"),
    [
        (PositionRange(2, 2), (2, 2)),
        (PositionRange(2, 6), (2, 6)),
        (PositionRange(3, 5), (3, 5)),
        (PositionRange(3, 3), (3, 5)),
        (PositionRange(4, 4), (3, 5)),
        (PositionRange(5, 6), (3, 6)),
        (PositionRange(2, 4), (2, 5)),
        (PositionRange(7, None), (7, 7)),
        (PositionRange(-2, None), (6, 7)),
        (PositionRange(6, 99), (6, 7)),
    ],
)
def test_what_belongs_together_goes_together(span, wider) -> None:
    assert choose_range(CHAT_MESSAGE_RANGE, span, expand=True) == wider
    first, last = span.resolve(7)
    if wider == (first, last):
        assert choose_range(CHAT_MESSAGE_RANGE, span, expand=False) == wider
        return
    with pytest.raises(UsageError, match=f"the range {first}:{last} splits a call from its result") as raised:
        choose_range(CHAT_MESSAGE_RANGE, span, expand=False)
    assert raised.value.hint == f"messages {wider[0]}:{wider[1]} belong together: --expand takes them"


def test_a_system_prompt_stays_and_so_does_the_last_word() -> None:
    for span in (PositionRange(1, 1), PositionRange(None, 2), PositionRange(1, None)):
        with pytest.raises(UsageError, match="message 1 is a system prompt"):
            choose_range(CHAT_MESSAGE_RANGE, span, expand=True)
    with pytest.raises(UsageError, match="without messages 2:7 nothing would be left"):
        choose_range(CHAT_MESSAGE_RANGE, PositionRange(2, None), expand=True)
    assert choose_range(CHAT_MESSAGE_RANGE, PositionRange(2, None), expand=True, replaced=True) == (2, 7)
    with pytest.raises(NotStoredError, match="no messages from 8 on: the conversation has 7"):
        choose_range(CHAT_MESSAGE_RANGE, PositionRange(8, None), expand=True)


def test_a_range_is_not_widened_over_what_stays() -> None:
    found = opened(says("user"), says("assistant"), says("system"), calls("a"), tells("a"), says("user"))
    assert choose_range(found, PositionRange(5, 5), expand=True) == (4, 5)
    with pytest.raises(UsageError, match="message 3 is a system prompt"):
        choose_range(found, PositionRange(2, 4), expand=True)


def test_a_call_that_waits_for_its_result_stays_with_it_to_the_end() -> None:
    found = opened(says("user"), says("assistant"), says("user"), calls("a", "b"), tells("a"))
    assert choose_range(found, PositionRange(4, 4), expand=True) == (4, 5)


def test_the_summary_of_a_compaction_stays() -> None:
    def entry(id_, parent, **more):
        return {"id": id_, "parentId": parent, "timestamp": "2026-01-01T00:00:00Z", **more}

    lines = [
        {"type": "session", "id": "x", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/"},
        entry("a", None, type="message", message=says("user")),
        entry("b", "a", type="message", message=says("user")),
        entry("c", "b", type="compaction", summary="short", firstKeptEntryId="b", tokensBefore=9),
        entry("d", "c", type="message", message=says("user")),
    ]
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    found = number_messages(parse_transcript(data, "test"), ORDER)
    assert len(found.path) == 3
    with pytest.raises(UsageError, match="message 1 is the summary of a compaction: without it, the messages that it replaces come back"):
        choose_range(found, PositionRange(1, 2), expand=True)
    assert choose_range(found, PositionRange(2, 2), expand=False) == (2, 2)


def test_a_summary_that_a_compaction_put_among_the_prompts_may_go() -> None:
    page = frame_page(render_page(SummaryPage(task="Fix it")), "3f9a2c81d0b4")
    found = opened(says("system"), says("system", page), says("user"), says("assistant"), says("user"))
    assert [(row.first, row.last, row.what, row.stays) for row in list_tasks(found)] == [
        (1, 1, "system", True),
        (2, 2, "summary", False),
        (3, 4, "request", False),
        (5, 5, "request", False),
    ]
    assert choose_range(found, PositionRange(2, 4), expand=False) == (2, 4)


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
