"""Prompts as members of requests."""

from ctxkit.core.prompt.builder import build_prompt
from ctxkit.core.prompt.requests import make_anthropic_members, make_openai_members
from ctxkit.core.prompt.sections import PromptSection

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
