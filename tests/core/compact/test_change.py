"""What a plan describes is what the new conversation says."""

import pytest

from ctxkit.core.compact.change import find_dropped, make_change, rebuild_transcript
from ctxkit.core.compact.plan import CompactionPlan, SummaryMessage, prepare_input
from ctxkit.core.compact.summary_writer import SummaryResult
from ctxkit.core.summary.template import parse_page
from tests.core.chat.talks import FORMATS
from tests.core.compact.sizes import balance, policy, session


def prepared(name, turns=4):
    transcript = session(name, turns)
    return prepare_input(transcript, balance(transcript), policy(4096))


def summary(text="So far."):
    return SummaryMessage(text, "0" * 64, SummaryResult("extract", parse_page("")), 10)


@pytest.mark.parametrize("name", FORMATS)
def test_dropped_messages_leave_and_all_others_stay(name) -> None:
    conversation = prepared(name)
    last = conversation.path[-1]
    plan = CompactionPlan(dropped={record.at: "oldest" for record in conversation.path[1:-1]})
    after = rebuild_transcript(conversation, make_change(conversation, plan))
    words = [record.words for record in after.records if record.words]
    assert words[-1] == last.words
    assert "Step 1." not in after.text


@pytest.mark.parametrize("name", FORMATS)
def test_the_summary_stands_in_the_new_conversation(name) -> None:
    conversation = prepared(name)
    plan = CompactionPlan(dropped={record.at: "summarized" for record in conversation.path[1:-1]}, summary=summary("In short."))
    after = rebuild_transcript(conversation, make_change(conversation, plan))
    assert sum("In short." in record.words for record in after.records) == 1
    assert "All done." in after.text


def test_an_empty_plan_changes_no_byte() -> None:
    conversation = prepared("openai")
    after = rebuild_transcript(conversation, make_change(conversation, CompactionPlan()))
    assert after.text == conversation.transcript.text


def test_what_is_not_sent_is_dropped_unless_the_plan_keeps_it() -> None:
    conversation = prepared("openai")._replace(inactive={2: "other branch"})
    assert find_dropped(conversation, CompactionPlan(dropped={1: "oldest"})) == {1: "oldest", 2: "other branch"}
    assert find_dropped(conversation, CompactionPlan(drops_inactive=False)) == {}


@pytest.mark.parametrize(("name", "member"), [("claude-code", "preTokens"), ("pi", "tokensBefore")])
def test_the_summary_says_how_large_the_conversation_was(name, member) -> None:
    conversation = prepared(name)
    dropped = {record.at: "oldest" for record in conversation.path[:-1]}
    after = rebuild_transcript(conversation, make_change(conversation, CompactionPlan(dropped=dropped, summary=summary())))
    assert f'"{member}": {conversation.total_tokens}' in after.text.replace(f'"{member}":{conversation.total_tokens}', f'"{member}": {conversation.total_tokens}')
