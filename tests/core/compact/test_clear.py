"""Old results are cleared, stale reads first, until the goal is reached."""

import json
from time import process_time

import pytest

from ctxkit.core.chat.model.message import Record, RecordCall
from ctxkit.core.compact.clear import (
    MIN_GAIN,
    FileAccess,
    clear_results,
    find_file_accesses,
    find_recent_start,
    find_stale_reads,
)
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


def call(name, **given):
    return RecordCall("", name, given)


@pytest.mark.parametrize(
    ("made", "touch"),
    [
        (call("read_file", path="./a.py"), FileAccess("a.py", True)),
        (call("Read", file_path="/x/a.py", offset=5, limit=9), FileAccess("/x/a.py", True, "offset=5 limit=9")),
        (call("str_replace_editor", command="view", path="a.py"), FileAccess("a.py", True)),
        (call("str_replace_editor", command="str_replace", path="a.py", old_str="a"), FileAccess("a.py", False)),
        (call("Edit", file_path="a.py"), FileAccess("a.py", False)),
        (call("mcp__fs__write_file", path="a.py"), FileAccess("a.py", False)),
        (call("functions.open", filename="a.py"), FileAccess("a.py", True)),
    ],
)
def test_what_a_call_does_to_a_file_is_told_by_its_name_and_arguments(made, touch) -> None:
    assert list(find_file_accesses(made)) == [touch]


@pytest.mark.parametrize("made", [call("bash", command="cat a.py"), call("read_file"), call("think", path="a.py"), RecordCall("", "read", "x")])
def test_other_calls_touch_no_file(made) -> None:
    assert list(find_file_accesses(made)) == []


def test_a_read_is_stale_once_the_file_is_read_again_or_changed() -> None:
    calls = [
        *(call("read", path="a"), call("read", path="b"), call("read", path="a", offset=1), call("read", path="c")),
        *(call("edit", path="b"), call("read", path="a", offset=1), call("read", path="b")),
    ]
    path = [Record(at, 0, 0, None, calls=(one,)) for at, one in enumerate(calls)]
    assert find_stale_reads(path) == {(1, 0): "b was changed later", (2, 0): "a was read again later"}


@pytest.mark.slow
def test_reads_of_many_parts_of_one_file_take_linear_time() -> None:
    reads = [Record(at, 0, 1, {}, calls=(call("read_file", path="a.py", offset=at),)) for at in range(20_000)]
    began = process_time()
    assert not find_stale_reads(reads)
    assert process_time() - began < 3  # in squared time 15 s
