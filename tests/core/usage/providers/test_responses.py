"""Responses: a status, and what cut an answer short beside it."""

import pytest

from ctxkit.core.usage.answer import Stop, Usage
from ctxkit.core.usage.providers import responses

USED = {
    "input_tokens": 100, "output_tokens": 30,
    "input_tokens_details": {"cached_tokens": 80},
    "output_tokens_details": {"reasoning_tokens": 20},
}


def read(**more):
    return responses.read({"object": "response", "id": "r", "model": "gpt-5", "usage": USED, **more})


@pytest.mark.parametrize(
    ("more", "stop"),
    [
        ({"status": "completed"}, Stop("end", "completed")),
        ({"status": "completed", "output": [{"type": "function_call"}]}, Stop("tool", "completed")),
        ({"status": "completed", "output": [{"type": "web_search_call"}]}, Stop("end", "completed")),
        ({"status": "completed", "output": [{"content": [{"type": "refusal"}]}]}, Stop("refusal", "completed")),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, Stop("length", "max_output_tokens")),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, Stop("content_filter", "content_filter")),
        ({"status": "failed", "error": {"code": "server_error", "message": "Sorry."}}, Stop("error", "server_error")),
        ({"status": "cancelled"}, Stop("aborted", "cancelled")),
        ({"status": "in_progress"}, Stop("unknown")),
        ({"object": "response.compaction"}, Stop("compaction")),
    ],
)
def test_why_a_response_ended(more, stop) -> None:
    assert read(**more).final_stop == stop


def test_what_comes_from_a_cache_is_part_of_the_input() -> None:
    assert read(status="completed").usage == Usage(20, 80, 0, 0, 30, 20)
    assert responses.read_usage({"input_tokens": None}) is None


def test_an_error_is_said() -> None:
    assert read(status="failed", error={"code": "x", "message": "Sorry."}).message == "Sorry."


def test_only_events_that_hold_the_response_say_something() -> None:
    held = {"id": "r", "status": "completed", "usage": USED}
    assert responses.read({"type": "response.completed", "response": held}).usage.context_total == 130
    assert responses.read({"type": "response.output_text.delta", "delta": "a"}).usage is None
    assert responses.read({"type": "message"}) is None


@pytest.mark.parametrize(("event", "reason"), [("completed", "end"), ("failed", "error"), ("created", "unknown")])
def test_an_event_may_say_the_status_alone(event: str, reason: str) -> None:
    assert responses.read({"type": f"response.{event}", "response": {"id": "r"}}).final_stop.reason == reason
