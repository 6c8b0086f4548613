"""Long texts become shorter, then the oldest messages leave, and the last request stays."""

import json

import pytest

from ctxkit.core.compact.plan import CompactionPlan, prepare_input
from ctxkit.core.compact.summarize import find_last_request
from ctxkit.core.compact.truncate import size_of, truncate
from tests.core.chat.talks import FORMATS
from tests.core.compact.sizes import balance, policy, read, session


def prepared(transcript, window=2048, **given):
    return prepare_input(transcript, balance(transcript), policy(window, **given))


@pytest.mark.parametrize("name", FORMATS)
def test_the_rest_fits_and_the_request_stays(name):
    conversation = prepared(session(name))
    plan = truncate(conversation, CompactionPlan(), stores=True)
    assert size_of(conversation, plan) <= conversation.policy.effective
    assert conversation.path[find_last_request(conversation)].at not in plan.dropped


def test_what_fits_stays_as_it_is():
    conversation = prepared(session("openai", 2), 200_000)
    assert truncate(conversation, CompactionPlan(), stores=True).is_empty


def test_results_are_shortened_before_the_words_of_the_user():
    words = "word " * 600
    call = {"id": "c", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    turns = [
        {"role": "user", "content": words},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": words * 4},
        {"role": "user", "content": "go on"},
    ]
    conversation = prepared(read(json.dumps(turns).encode()), 4096)
    plan = truncate(conversation, CompactionPlan(), stores=True)
    assert list(plan.shortened) == [2]
    (edit,) = plan.shortened[2].values()
    assert (edit.kind, edit.stored, edit.is_result) == ("truncated", (words * 4).encode(), True)
    assert edit.text.startswith("word word")


def test_a_long_argument_of_a_call_is_shortened_within_its_json():
    arguments = json.dumps({"path": "a.py", "text": "line of code\n" * 2_000})
    call = {"id": "c", "type": "function", "function": {"name": "write", "arguments": arguments}}
    turns = [
        {"role": "user", "content": "Write it."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
        {"role": "user", "content": "go on"},
    ]
    conversation = prepared(read(json.dumps(turns).encode()))
    (edit,) = truncate(conversation, CompactionPlan(), stores=True).shortened[1].values()
    (patch,) = edit.patches
    assert json.loads(patch.value)["path"] == "a.py"
    assert len(patch.value) < len(arguments)
