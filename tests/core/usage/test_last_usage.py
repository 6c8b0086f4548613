import json
from math import inf
from typing import Any

import pytest

from ctxkit.core.usage.last_usage import LastUsage, find_cold_time, find_last_usage

ASKED = {"type": "user", "message": {"role": "user", "content": "Go."}, "uuid": "a", "parentUuid": None, "sessionId": "s"}
USAGE = {"input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 5}
ANSWER = {"role": "assistant", "model": "claude-sonnet-4-5", "content": [{"type": "text", "text": "Yes."}], "usage": USAGE}
ANSWERED = {**ASKED, "type": "assistant", "message": ANSWER, "uuid": "b", "parentUuid": "a"}
TOKENS = {"info": {"last_token_usage": {"input_tokens": 100, "output_tokens": 5}, "model_context_window": 272_000}, "type": "token_count"}
CODEX = [
    {"timestamp": "t", "type": "turn_context", "payload": {"model": "gpt-5.4"}},
    {"timestamp": "t", "type": "event_msg", "payload": TOKENS},
]
COPILOT = [{"type": "session.usage_record", "data": {"usage": {"model": "m", "inputTokens": 100, "outputTokens": 5}}, "id": "1", "parentId": None}]
GEMINI = [{"id": "1", "type": "gemini", "content": "a", "model": "gemini-2.5-pro", "tokens": {"input": 100, "output": 5}}]


def tail(*values: object) -> bytes:
    return "\n".join(map(json.dumps, values)).encode()


@pytest.mark.parametrize(
    ("lines", "usage"),
    [
        ([ASKED, ANSWERED, ASKED], LastUsage(105, "claude-sonnet-4-5")),
        (CODEX, LastUsage(105, "gpt-5.4", 272_000)),
        (COPILOT, LastUsage(105, "m")),
        (GEMINI, LastUsage(105, "gemini-2.5-pro")),
        (CODEX[1:], LastUsage(105, "", 272_000)),
        ([ASKED], LastUsage()),
        ([], LastUsage()),
    ],
)
def test_the_last_request_counts(lines: list[object], usage: LastUsage) -> None:
    assert find_last_usage(tail(*lines)) == usage


def test_a_request_before_a_compaction_does_not_count() -> None:
    summary = {**ASKED, "isCompactSummary": True, "uuid": "c", "parentUuid": "b"}
    assert find_last_usage(tail(ASKED, ANSWERED, summary)) == LastUsage()


def test_lines_that_are_broken_are_left_out() -> None:
    assert find_last_usage(b'x"}\n' + tail(ANSWERED) + b'\n[1]\n{"type": "assis').used == 105


USAGE_COLD_CACHE = {"input_tokens": 5, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 60}
AT = "1970-01-01T00:01:40.000Z"


def make_line(usage: dict[str, Any], **more: Any) -> str:
    return json.dumps({"type": "assistant", "timestamp": AT, "message": {"role": "assistant", "usage": usage}, **more})


USER = json.dumps({"type": "user", "message": {"role": "user", "content": "x"}})
LONG = {**USAGE_COLD_CACHE, "cache_creation": {"ephemeral_1h_input_tokens": 60}}


@pytest.mark.parametrize(
    ("lines", "cold_from"),
    [
        ([make_line(USAGE_COLD_CACHE), USER, "{"], 400),
        ([make_line(USAGE_COLD_CACHE), make_line(LONG)], 3_700),
        ([make_line(LONG), make_line(USAGE_COLD_CACHE, isSidechain=True)], 3_700),
        ([make_line(USAGE_COLD_CACHE), make_line({"input_tokens": 5})], 0),
        ([make_line(USAGE_COLD_CACHE), json.dumps({"type": "system", "subtype": "compact_boundary"})], 0),
        ([make_line(USAGE_COLD_CACHE, timestamp="soon")], inf),
        ([USER], 0),
        ([], 0),
    ],
)
def test_the_last_answer_tells_when_the_cache_gets_cold(lines: list[str], cold_from: float) -> None:
    assert find_cold_time("\n".join(lines).encode()) == cold_from
