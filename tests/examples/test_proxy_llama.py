"""A conversation through the proxy that grows beyond the window of a real llama.cpp server, which counts its requests."""

import json
from pathlib import Path

import pytest

from tests.examples.completion import ANSWER
from tests.examples.conftest import WINDOW
from tests.proxies import run_proxy

TURNS = 12


def make_turn(number: int) -> list[dict[str, object]]:
    """Return a call and its result."""
    call = {"id": f"call_{number}", "type": "function", "function": {"name": "sh", "arguments": '{"command": "make"}'}}
    lines = "\n".join(f"{number}: line {line} of the output" for line in range(40 * (number % 4)))
    return [{"role": "assistant", "content": "", "tool_calls": [call]}, {"role": "tool", "tool_call_id": call["id"], "content": lines}]


@pytest.mark.slow
def test_requests_of_a_growing_conversation_fit_by_the_count_of_the_server(
    server: str, model: Path, home: dict[str, str], ctxkit: str
) -> None:
    messages: list[dict[str, object]] = [
        {"role": "system", "content": "Work in small steps."},
        {"role": "user", "content": "Mend the parser in a.py."},
    ]
    sizes = []
    with run_proxy(ctxkit, home, server, "--window", str(WINDOW), "--tokenizer", str(model)) as proxy:
        for number in range(TURNS):
            messages += make_turn(number)
            reply = proxy.chat({"model": "tiny", "messages": messages, "max_tokens": ANSWER})
            assert reply.status == 200, reply.body
            sizes.append(json.loads(reply.body)["usage"]["prompt_tokens"])
        assert proxy.end() == (0, "")
    assert max(sizes) + ANSWER <= WINDOW
    assert min(sizes[4:]) < max(sizes) * 0.8
