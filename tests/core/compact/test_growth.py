"""The time of a compaction grows as the conversation does, whatever stands in it."""

import json
from time import process_time

import pytest

from tests.core.compact.sizes import compact, policy, read


def user(text="go on"):
    return {"role": "user", "content": text}


def call(id_):
    return {"id": id_, "type": "function", "function": {"name": "run", "arguments": "{}"}}


def calling(*ids):
    return {"role": "assistant", "content": None, "tool_calls": [call(id_) for id_ in ids]}


def result(id_):
    return {"role": "tool", "tool_call_id": id_, "content": "ok"}


def system_messages(n):
    return [message for _ in range(n // 2) for message in ({"role": "system", "content": "be kind"}, user())]


def results_in_one_message(n):
    uses = [{"type": "tool_use", "id": f"c{at}", "name": "run", "input": {}} for at in range(n)]
    results = [{"type": "tool_result", "tool_use_id": f"c{at}", "content": "ok"} for at in range(n)]
    return [user(), {"role": "assistant", "content": uses}, {"role": "user", "content": results}, user()]


def calls_of_one_id(n):
    return [user(), calling(*["c"] * n), *[result("c")] * n, user()]


def calls_in_one_another(n):
    ids = [f"c{at}" for at in range(n // 2)]
    return [user(), *map(calling, ids), *map(result, reversed(ids)), user()]


def seconds(messages):
    before = read(json.dumps(messages).encode())
    started = process_time()
    compact(before, policy(4096, force=True))
    return process_time() - started


@pytest.mark.slow
@pytest.mark.parametrize("shape", [system_messages, results_in_one_message, calls_of_one_id, calls_in_one_another])
def test_four_times_as_many_messages_take_about_four_times_as_long(shape) -> None:
    seconds(shape(40))  # what is imported and compiled once
    small, large = min(seconds(shape(500)) for _ in range(3)), min(seconds(shape(2_000)) for _ in range(2))
    assert large < 12 * small  # in squared time it would be 16 times as long
