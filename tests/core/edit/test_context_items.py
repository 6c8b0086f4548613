"""Items are listed as ranges that can go alone, and chosen by the numbers of the list."""

import json

import pytest

from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.count.amount import CountOptions
from ctxkit.core.edit import context_items
from ctxkit.core.edit.numbered_conversation import number_messages
from ctxkit.core.session.history import MarkedMessages
from ctxkit.core.tokens.estimate import likely_tokenizer
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.core.tools.builtin import CallError
from tests.commands.edit_talk import CHAT

NO_MARKS = MarkedMessages()


@pytest.fixture
def conversation():
    vocabulary = find_vocabulary("bytes/3")
    transcript = parse_transcript(json.dumps(CHAT).encode(), "x")
    return number_messages(transcript, CountOptions(vocabulary, likely_tokenizer(vocabulary), json.loads))


def marks(conversation, *items, mark="kept"):
    return MarkedMessages(**{mark: frozenset(context_items.digest_items(conversation, items))})


def test_the_list_has_the_form_of_the_specification(conversation) -> None:
    """Seed 004: "Items 0-10: Initial task discussion (12,300 tokens)"; here they are counted from 1."""
    text = context_items.format_items(conversation, context_items.list_items(conversation), NO_MARKS)
    rows = text.splitlines()
    assert rows[0].startswith("Item 1: system: Be brief. (")
    assert rows[0].endswith(" tokens, must stay)")
    assert rows[2].startswith("Items 3-4: read a.py (")
    assert rows[-1].startswith("In all: 7 items, ")


def test_the_list_shows_marks(conversation) -> None:
    rows = context_items.describe_rows(conversation, context_items.list_items(conversation), marks(conversation, 3, 4))
    assert [row["remarks"] for row in rows[:3]] == [["must stay"], [], ["kept"]]


def test_a_range_that_can_go_alone_is_taken(conversation) -> None:
    assert context_items.choose_items(conversation, (3, 4), NO_MARKS, replaced=False) == (3, 4)


@pytest.mark.parametrize(
    ("items", "message", "hint"),
    [
        ((3, 3), "items 3 to 3 cannot go alone", "call again with start 3 and end 4"),
        ((1, 2), "item 1 is a system prompt", "choose a range without it"),
    ],
)
def test_another_range_is_refused_with_what_to_do(conversation, items, message: str, hint: str) -> None:
    with pytest.raises(CallError, match=message) as error:
        context_items.choose_items(conversation, items, NO_MARKS, replaced=False)
    assert error.value.hint == hint


def test_what_is_kept_is_not_taken(conversation) -> None:
    with pytest.raises(CallError, match="item 4 is kept by keep_range"):
        context_items.choose_items(conversation, (3, 4), marks(conversation, 4, 4), replaced=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({}, "needs a range"), ({"range": {"start": 3, "end": 2}}, "ends before it starts"), ({"range": {"start": 3, "end": 8}}, "there is no item 8")],
)
def test_a_range_must_be_in_the_conversation(conversation, arguments, message: str) -> None:
    with pytest.raises(CallError, match=message):
        context_items.read_range(conversation, {"action": "remove_range", **arguments})


def test_removable_ranges_are_those_whose_items_are_all_marked(conversation) -> None:
    marked = marks(conversation, 3, 5, mark="removable")
    assert list(context_items.find_removable_ranges(conversation, marked)) == [(5, 5), (3, 4)]
    assert list(context_items.find_removable_ranges(conversation, marks(conversation, 4, 4, mark="removable"))) == []


def test_the_call_of_this_moment_is_not_edited(conversation) -> None:
    context_items.check_call(conversation, (3, 4))
    open_call = number_messages(parse_transcript(json.dumps(CHAT[:3]).encode(), "x"), conversation.order)
    with pytest.raises(CallError, match="item 3 is the call that you make now"):
        context_items.check_call(open_call, (2, 3))
    context_items.check_call(open_call, (2, 2))
