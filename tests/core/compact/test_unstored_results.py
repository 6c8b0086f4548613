"""Output that must not be stored returns to messages that stay, while there is room."""

import json

import pytest

from ctxkit.core.compact.context import CompactionContext
from ctxkit.core.compact.summary_writer import make_summary_writer
from ctxkit.core.compact.trigger import compact_if_due
from ctxkit.core.compact.unstored import PLACEHOLDER
from tests.core.compact.sizes import balance, loud, policy, read

SECRET = "correct horse battery staple "


def exchange(number, command, output):
    call = {"id": f"c{number}", "type": "function", "function": {"name": "sh", "arguments": json.dumps({"command": command})}}
    result = {"role": "tool", "tool_call_id": f"c{number}", "content": output}
    return [{"role": "assistant", "content": None, "tool_calls": [call]}, result]


def compact(messages, window, **given):
    data = json.dumps(messages).encode()
    transcript = read(data)
    writer = make_summary_writer("extract", None, loud)
    context = CompactionContext(balance(transcript), writer, is_unstored=lambda script: script.startswith("pass"))
    return data, compact_if_due(transcript, data, policy(window, **given), context)


@pytest.mark.parametrize("times", [1, 20])
def test_only_the_newest_output_returns_that_fits(times):
    long = SECRET * 40
    messages = [{"role": "user", "content": "go"}]
    for number in range(8):
        messages += exchange(number, "pass x" if number % 2 else "make", long * times if number % 2 else "ok " * 300)
    _, outcome = compact(messages, 4000, force=True, last=5)
    assert outcome.result == "compacted"
    assert outcome.after.amount.high <= 4000 * 0.8
    assert (SECRET.encode() in outcome.content) == (times == 1)
    assert not any(SECRET.encode() in content.data for content in outcome.stored)
    assert outcome.storable is not None
    assert SECRET not in outcome.storable.text


def test_what_is_not_due_or_saves_nothing_keeps_its_bytes():
    messages = [{"role": "user", "content": "go"}, *exchange(1, "pass x", SECRET)]
    data, outcome = compact(messages, 4000)
    assert (outcome.result, outcome.content, outcome.storable) == ("unchanged", data, None)
    data, outcome = compact(messages, 4000, force=True)
    assert (outcome.result, outcome.content) == ("unchanged", data)


def test_output_that_alone_is_too_large_becomes_a_placeholder():
    messages = [{"role": "user", "content": "go"}, *exchange(1, "pass x", SECRET * 2000), {"role": "user", "content": "and?"}]
    _, outcome = compact(messages, 4000)
    assert outcome.result == "compacted"
    assert PLACEHOLDER in json.loads(outcome.content)[2]["content"]
    assert outcome.before.amount.tokens > 4000 > outcome.after.amount.tokens


def test_without_such_output_nothing_differs():
    messages = [{"role": "user", "content": "go"}, *(part for n in range(9) for part in exchange(n, "make", "ok " * 400))]
    _, outcome = compact(messages, 2000)
    assert (outcome.result, outcome.storable) == ("compacted", None)
