"""Old results are cleared, stale reads first, until the goal is reached."""

import json

import pytest

from ctxkit.core.compact.clear import MIN_GAIN, clear_results, find_recent_start
from ctxkit.core.compact.plan import CompactionPlan, prepare_input
from ctxkit.core.compact.stub import is_cleared
from tests.core.compact.sizes import balance, policy, read, session


def cleared(transcript, stores=True, **given):
    conversation = prepare_input(transcript, balance(transcript), policy(4096, **given))
    return conversation, clear_results(conversation, CompactionPlan(), stores=stores)


def test_the_oldest_results_are_cleared_and_the_recent_ones_stay() -> None:
    conversation, plan = cleared(session("openai", 24), last=4)
    edits = dict(plan.edits())
    results = [record.at for record in conversation.path if record.results]
    assert set(edits) <= set(results[:-2])
    assert min(edits) == results[0]
    for edit in edits.values():
        assert is_cleared(edit.text)
        assert edit.gain >= MIN_GAIN
        assert edit.ref in edit.text or edit.ref[:16] in edit.text
        assert b"of the output" in edit.stored


def test_it_stops_at_the_goal_unless_forced() -> None:
    some = len(cleared(session("openai", 24))[1].shortened)
    every = len(cleared(session("openai", 24), force=True)[1].shortened)
    assert 0 < some <= every


def test_without_a_store_no_ref_is_named() -> None:
    _, plan = cleared(session("openai", 24), stores=False)
    assert all(edit.ref[:16] not in edit.text for _, edit in plan.edits())


def test_short_results_stay() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    turns = [{"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c", "content": "ok"}]
    _, plan = cleared(read(json.dumps([{"role": "user", "content": "go"}, *turns * 9]).encode()), force=True, last=0)
    assert plan.is_empty


def test_only_the_newest_observations_stay() -> None:
    conversation, plan = cleared(session("openai", 24), observations=3)
    results = [record.at for record in conversation.path if record.results]
    assert set(plan.shortened) == set(results[:-3])
    assert set(cleared(session("anthropic", 24), observations=0)[1].shortened) != set()
    assert cleared(session("openai", 24), observations=10_000)[1].is_empty


def prepared(**given):
    transcript = session("openai", 6)
    return prepare_input(transcript, balance(transcript), policy(4096, **given))


@pytest.mark.parametrize("last", [0, 1, 3, 99])
def test_so_many_messages_are_recent_as_the_policy_says(last: int) -> None:
    conversation = prepared(last=last)
    assert find_recent_start(conversation) == max(len(conversation.path) - last, 0)


@pytest.mark.parametrize("recent", [0, 50, 400, 100_000])
def test_the_recent_messages_are_the_most_that_fit_into_their_tokens(recent: int) -> None:
    conversation = prepared(recent=recent)
    count = conversation.token_counter.count_record
    start, budget = find_recent_start(conversation), conversation.policy.recent_tokens
    assert sum(map(count, conversation.path[start:])) <= budget
    assert start == 0 or sum(map(count, conversation.path[start - 1 :])) > budget
