"""Limits of answers; tests/commands/test_proxy.py has them in requests."""

import json
from typing import Any

import pytest

from ctxkit.app.proxy.output_limits import find_high_limits, lower_output_limit
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.proxy.model_apis import find_api
from tests.app.proxy.conversations import PATHS


@pytest.mark.parametrize(
    ("api", "members", "high"),
    [
        ("openai", {"max_tokens": 900}, ["max_tokens"]),
        ("openai", {"max_tokens": 500, "max_completion_tokens": 900}, ["max_completion_tokens"]),
        ("responses", {"max_output_tokens": 501}, ["max_output_tokens"]),
        ("anthropic", {"max_tokens": 900, "thinking": {"type": "enabled", "budget_tokens": 100}}, ["max_tokens"]),
        ("anthropic", {"max_tokens": 900, "thinking": {"type": "enabled", "budget_tokens": 600}}, []),
        ("gemini", {"generationConfig": {"maxOutputTokens": 900}}, []),
        ("ollama", {"max_tokens": 900}, []),
    ],
)
def test_limits_above_what_is_left(api: str, members: dict[str, Any], high: list[str]) -> None:
    found = find_api("POST", PATHS[api])
    assert found is not None
    assert find_high_limits(found, members, 500) == high


def test_a_lower_limit_leaves_all_other_bytes() -> None:
    found = find_api("POST", PATHS["openai"])
    assert found is not None
    body = b'{"max_tokens":  900, "messages": [{"role": "user", "content": "hi"}], "x": 1.10}'
    transcript = parse_transcript(body, "sent", get_format("openai"))
    assert lower_output_limit(found, transcript, 500) == body.replace(b"900", b"500")
    assert json.loads(lower_output_limit(found, transcript, 1_000)) == json.loads(body)
