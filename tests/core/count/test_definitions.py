"""Tool definitions take what the providers' documents say."""

import pytest

from ctxkit.core.chat.model.message import Tool, Toolset
from ctxkit.core.count.definitions import count_tools
from ctxkit.core.count.scheme import ANTHROPIC, CHATML, OPENAI
from ctxkit.core.count.text_counter import TextCounter
from ctxkit.core.tokens.vocabularies import find_vocabulary

WORDS = TextCounter(find_vocabulary("o200k"), lambda text: len(text.split()))
LS = Tool("ls", "List files.", {}, {"name": "ls"})


def test_a_function_by_hand() -> None:
    # 7 for the function, "ls:List files" as two words, 12 at the end
    assert count_tools(Toolset((LS,)), OPENAI, WORDS).tokens == 7 + 2 + 12
    # 3 for the properties, 3 and one word for the property, 3 less for the enum, 3 and a word for each of its items
    given = Tool("ls", "List files", {"properties": {"all": {"type": "string", "description": "x.", "enum": ["a", "b"]}}}, {})
    found = count_tools(Toolset((given,)), OPENAI, WORDS)
    assert found.tokens == 7 + 2 + 3 + 3 + 1 - 3 + 2 * (3 + 1) + 12
    assert found.low == found.high


@pytest.mark.parametrize("schema", [{"properties": {"a": {}}}, {"properties": {"a": {"type": ["string", "null"]}}}])
def test_what_the_cookbook_does_not_cover_is_a_guess(schema) -> None:
    found = count_tools(Toolset((Tool("f", "Do.", schema, {}),)), OPENAI, WORDS)
    assert found.low < found.tokens < found.high


@pytest.mark.parametrize(
    ("model", "choice", "tokens"),
    [
        *(("claude-opus-4-5", "auto", 496), ("claude-opus-4-5", "none", 496), ("claude-opus-4-5", "any", 588)),
        *(("anthropic/claude-sonnet-4.5", "tool", 588), ("claude-opus-4-1-20250805", "auto", 313), ("", "auto", 496)),
    ],
)
def test_anthropic_adds_a_system_prompt_of_known_length(model, choice, tokens) -> None:
    inner = 1 + 1  # one word of JSON, one line break
    assert count_tools(Toolset((LS,), choice), ANTHROPIC, WORDS, model).tokens == tokens + inner


def test_definitions_as_json_are_a_guess() -> None:
    found = count_tools(Toolset((LS,)), CHATML, WORDS)
    assert found.low < found.tokens < found.high


def test_the_schema_of_the_answer_counts_beside_the_tools_and_alone() -> None:
    alone = count_tools(Toolset((), answer_schema='{"type": "object"}'), OPENAI, WORDS)
    assert 0 < alone.low < alone.tokens < alone.high
    tools = count_tools(Toolset((LS,)), OPENAI, WORDS)
    assert count_tools(Toolset((LS,), answer_schema='{"type": "object"}'), OPENAI, WORDS) == tools.plus(alone)
