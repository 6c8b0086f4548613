"""Prompts as members of requests."""

import pytest

from ctxkit.core.prompt.builder import PromptSection, build_prompt
from ctxkit.core.prompt.requests import find_cache_minimum, make_anthropic_members, make_openai_members

PROMPT = build_prompt(
    [
        PromptSection("base", "One."), PromptSection("rules", "Two."), PromptSection("skills", "Three."),
        PromptSection("status", "Four."),
    ]
)  # fmt: skip
MARK = {"type": "ephemeral"}


def test_blocks_end_at_the_breakpoints_and_the_rest_rides_at_the_tail() -> None:
    assert make_anthropic_members(PROMPT, PROMPT.breakpoints) == {
        "system": [
            {"type": "text", "text": "One.\n", "cache_control": MARK},
            {"type": "text", "text": "\nTwo.\n", "cache_control": MARK},
            {"type": "text", "text": "\nThree.\n"},
        ],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Four.\n"}]}],
    }


def test_pieces_without_a_usable_breakpoint_join() -> None:
    members = make_anthropic_members(PROMPT, PROMPT.breakpoints[1:], tail=False)
    assert [block["text"] for block in members["system"]] == ["One.\n\nTwo.\n", "\nThree.\n", "\nFour.\n"]
    assert "".join(block["text"] for block in members["system"]) == PROMPT.text
    assert members["messages"] == []


def test_openai_gets_messages() -> None:
    assert make_openai_members(PROMPT) == {
        "messages": [
            {"role": "system", "content": "One.\n\nTwo.\n\nThree.\n"},
            {"role": "user", "content": "Four.\n"},
        ]
    }
    assert make_openai_members(PROMPT, tail=False) == {"messages": [{"role": "system", "content": PROMPT.text}]}
    assert make_openai_members(build_prompt([])) == {"messages": []}


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("claude-opus-5", 512),
        ("claude-opus-4-8", 1024),
        ("claude-opus-4.7", 2048),
        ("anthropic/claude-opus-4-6", 4096),
        ("claude-opus-4-5-20251101", 4096),
        ("claude-opus-4-1", 1024),
        ("claude-sonnet-4-6", 1024),
        ("claude-sonnet-5", 1024),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", 4096),
        ("claude-3-5-haiku-latest", 2048),
        ("claude-3-5-sonnet", 1024),
        ("a-model-of-tomorrow", 4096),
    ],
)
def test_anthropic_has_a_minimum_for_each_model(model: str, tokens: int) -> None:
    assert find_cache_minimum(model, "anthropic") == tokens


def test_other_providers_have_one_or_none() -> None:
    assert find_cache_minimum("gpt-5", "openai") == 1024
    assert find_cache_minimum("qwen3-30b", "") == 0
