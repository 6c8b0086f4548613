"""The components of a request, with a real llama.cpp server as the referee of their sum."""

import json

import pytest

from tests.conftest import Run
from tests.examples.completion import complete
from tests.examples.conftest import WINDOW

COMPONENTS = ("system_prompt", "skill_prompts", "tool_descriptions", "conversation")


def make_request() -> dict:
    """Return a request of about half the window: a system prompt, a question, calls with results, and an answer."""
    messages = [{"role": "system", "content": "Work in small steps, and say what you saw. " * 12}]
    for number in range(12):
        call = {"id": f"call_{number}", "type": "function", "function": {"name": "sh", "arguments": '{"command": "make"}'}}
        lines = "\n".join(f"src/part_{line}.py:{line}: warning: an unused import" for line in range(number + 3))
        messages += [
            {"role": "user", "content": f"What does part {number} say?"},
            {"role": "assistant", "content": "I run it.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": lines},
            {"role": "assistant", "content": f"Part {number} warns of unused imports, and of nothing else."},
        ]
    return {"model": "tiny", "messages": messages}


@pytest.mark.slow
def test_the_sum_of_the_components_is_within_two_percent(server, model, run: Run) -> None:
    request = make_request()
    done = run("budget", "--json", "--window", str(WINDOW), "--tokenizer", str(model), stdin=json.dumps(request))
    assert done.status == 0, done.err
    usage = json.loads(done.out)
    assert sum(usage[name] for name in COMPONENTS) == usage["used_tokens"]
    judged = complete(server, request)["usage"]["prompt_tokens"]
    assert judged > WINDOW // 2
    assert abs(usage["used_tokens"] - judged) <= 0.02 * judged, (usage, judged)
    assert usage["low"] <= judged <= usage["high"]
