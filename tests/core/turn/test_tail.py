"""What changes every turn stands at the end, where the API accepts it."""

import pytest

from ctxkit.core.turn.tail import attach_tail, make_tail_message, mark_breakpoint

BLOCK = {"type": "text", "text": "note"}


def test_the_tail_joins_the_last_message_of_the_user() -> None:
    assert attach_tail("openai", {"role": "user", "content": "hi"}, "note") == [(("content",), "hi\n\nnote", "replace")]
    assert attach_tail("openai", {"role": "user", "content": [BLOCK]}, "note") == [(("content", 1), BLOCK, "insert")]
    patch = attach_tail("anthropic", {"role": "user", "content": "hi"}, "note")
    assert patch == [(("content",), [{"type": "text", "text": "hi"}, BLOCK], "replace")]
    patch = attach_tail("gemini", {"role": "user", "parts": [{"text": "hi"}]}, "note")
    assert patch == [(("parts", 1), {"text": "note"}, "insert")]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("openai", {"role": "tool", "tool_call_id": "a", "content": "x"}),
        ("openai", {"role": "assistant", "content": "x"}),
        ("responses", {"role": "user", "content": "x"}),
        ("gemini", {"role": "user", "parts": [{"functionResponse": {"name": "a", "response": {}}}]}),
    ],
)
def test_elsewhere_it_is_a_message_of_its_own(name: str, message) -> None:
    assert attach_tail(name, message, "note") is None


def test_the_message_has_the_form_of_the_api() -> None:
    assert make_tail_message("openai", "note") == {"role": "user", "content": "note"}
    assert make_tail_message("anthropic", "note") == {"role": "user", "content": [BLOCK]}
    assert make_tail_message("gemini", "note") == {"role": "user", "parts": [{"text": "note"}]}


def test_a_breakpoint_is_on_the_last_block_that_may_have_one() -> None:
    cached = {"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}
    assert mark_breakpoint({"role": "user", "content": "hi"}) == [(("content",), [cached], "replace")]
    place = ("content", 1, "cache_control")
    assert mark_breakpoint({"content": [BLOCK, BLOCK]}) == [(place, {"type": "ephemeral"}, "replace")]
    for content in ("", [], [{"type": "thinking", "thinking": "x"}], [{"type": "text", "text": ""}]):
        assert mark_breakpoint({"content": content}) == []


def test_mark_and_tail_stand_together() -> None:
    message = {"role": "user", "content": "hi"}
    patches = attach_tail("anthropic", message, "note", mark_breakpoint(message))
    assert patches is not None
    assert [block.get("cache_control") for block in patches[0].value] == [{"type": "ephemeral"}, None]
