"""Which ranges may go: what has to stay is named, and the range that may go instead is the smallest one."""

import json

import pytest

from ctxkit.core.chat.transcript import transcript_of
from ctxkit.core.context.summary import framed
from ctxkit.core.context.template import Context, render
from ctxkit.core.count.order import Order
from ctxkit.core.edit.choice import chosen
from ctxkit.core.edit.numbered import by_task, numbered
from ctxkit.core.estimate import tokenizer
from ctxkit.core.span import Span
from ctxkit.core.trouble import Misuse, NotHeld
from ctxkit.core.vocabulary import vocabulary_of

VOCABULARY = vocabulary_of("bytes/3")
ORDER = Order(VOCABULARY, tokenizer(VOCABULARY), json.loads, named=False)


def opened(*turns, around=None):
    value = {**around, "messages": list(turns)} if around else list(turns)
    return numbered(transcript_of(json.dumps(value).encode(), "test"), ORDER)


def says(role, words="words"):
    return {"role": role, "content": words}


def calls(*ids):
    made = [{"id": id_, "type": "function", "function": {"name": "f", "arguments": "{}"}} for id_ in ids]
    return {"role": "assistant", "content": None, "tool_calls": made}


def tells(id_):
    return {"role": "tool", "tool_call_id": id_, "content": "result"}


CHAT = opened(says("system"), says("user"), calls("a", "b"), tells("a"), tells("b"), says("assistant"), says("user"))


@pytest.mark.parametrize(
    ("span", "wider"),
    [
        (Span(2, 2), (2, 2)),
        (Span(2, 6), (2, 6)),
        (Span(3, 5), (3, 5)),
        (Span(3, 3), (3, 5)),
        (Span(4, 4), (3, 5)),
        (Span(5, 6), (3, 6)),
        (Span(2, 4), (2, 5)),
        (Span(7, None), (7, 7)),
        (Span(-2, None), (6, 7)),
        (Span(6, 99), (6, 7)),
    ],
)
def test_what_belongs_together_goes_together(span, wider):
    assert chosen(CHAT, span, expand=True) == wider
    first, last = span.within(7)
    if wider == (first, last):
        assert chosen(CHAT, span, expand=False) == wider
        return
    with pytest.raises(Misuse, match=f"the range {first}:{last} splits a call from its result") as raised:
        chosen(CHAT, span, expand=False)
    assert raised.value.hint == f"messages {wider[0]}:{wider[1]} may go together: --expand takes them"


def test_a_system_prompt_stays_and_so_does_the_last_word():
    for span in (Span(1, 1), Span(None, 2), Span(1, None)):
        with pytest.raises(Misuse, match="message 1 is a system prompt"):
            chosen(CHAT, span, expand=True)
    with pytest.raises(Misuse, match="without messages 2:7 nothing would be left"):
        chosen(CHAT, Span(2, None), expand=True)
    assert chosen(CHAT, Span(2, None), expand=True, replaced=True) == (2, 7)
    with pytest.raises(NotHeld, match="messages from 8: there are 7"):
        chosen(CHAT, Span(8, None), expand=True)


def test_a_range_is_not_widened_over_what_stays():
    found = opened(says("user"), says("assistant"), says("system"), calls("a"), tells("a"), says("user"))
    assert chosen(found, Span(5, 5), expand=True) == (4, 5)
    with pytest.raises(Misuse, match="message 3 is a system prompt"):
        chosen(found, Span(2, 4), expand=True)


def test_a_call_that_waits_for_its_result_stays_with_it_to_the_end():
    found = opened(says("user"), says("assistant"), says("user"), calls("a", "b"), tells("a"))
    assert chosen(found, Span(4, 4), expand=True) == (4, 5)


def test_the_summary_of_a_compaction_stays():
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
    found = numbered(transcript_of(data, "test"), ORDER)
    assert len(found.path) == 3
    with pytest.raises(Misuse, match="message 1 is the summary of a compaction: what it stands for would come back"):
        chosen(found, Span(1, 2), expand=True)
    assert chosen(found, Span(2, 2), expand=False) == (2, 2)


def test_a_summary_that_a_compaction_put_among_the_prompts_may_go():
    page = framed(render(Context(task="Fix it")), "3f9a2c81d0b4")
    found = opened(says("system"), says("system", page), says("user"), says("assistant"), says("user"))
    assert [(row.first, row.last, row.what, row.stays) for row in by_task(found)] == [
        (1, 1, "system", True),
        (2, 2, "summary", False),
        (3, 4, "request", False),
        (5, 5, "request", False),
    ]
    assert chosen(found, Span(2, 4), expand=False) == (2, 4)
