"""A conversation adds up: by message, by component, and by the providers' published numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.formats import openai
from ctxkit.core.chat.model.message import (
    ArchivedMessages,
    ChatMessage,
    ConversationStart,
    EntryLink,
    KeptTail,
    MessagePart,
    Rewind,
    Tool,
    Toolset,
)
from ctxkit.core.count.amount import ZERO, TextCounter, exact_amount
from ctxkit.core.count.conversation_tokens import ConversationCounter, count_tools
from ctxkit.core.count.message_tokens import (
    ANTHROPIC,
    CHATML,
    KIMI,
    LLAMA31,
    OPENAI,
    OPENAI_0301,
    MessageCounter,
    Scheme,
    find_scheme,
)
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.engines.tokens import load_tokenizer

WORDS = TextCounter(find_vocabulary("o200k"), lambda text: len(text.split()))
"""A meter that counts words, so that sums can be done by hand."""
SAID = [
    {"role": "system", "content": "You are a helpful, pattern-following assistant that translates corporate jargon into plain English."},
    {"role": "system", "name": "example_user", "content": "New synergies will help drive top-line growth."},
    {"role": "system", "name": "example_assistant", "content": "Things working well together will increase revenue."},
    {"role": "system", "name": "example_user", "content": "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage."},
    {"role": "system", "name": "example_assistant", "content": "Let's talk later when we're less busy about how to do better."},
    {"role": "user", "content": "This late pivot means we don't have time to boil the ocean for the client deliverable."},
]  # fmt: skip
ASKED = {
    "messages": [
        {"role": "system", "content": "You are a helpful assistant that can answer to questions about the weather."},
        {"role": "user", "content": "What's the weather like in San Francisco?"},
    ],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "get_current_weather",
                "description": "Get the current weather in a given location",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "location": {"type": "string", "description": "The city and state, e.g. San Francisco, CA"},
                        "unit": {
                            "type": "string",
                            "description": "The unit of temperature to return",
                            "enum": ["celsius", "fahrenheit"],
                        },
                    },
                    "required": ["location"],
                },
            },
        }
    ],
}
"""The examples of OpenAI's cookbook, "How to count tokens with tiktoken"."""


def meter(name):
    vocabulary = find_vocabulary(name)
    return TextCounter(vocabulary, load_tokenizer(vocabulary))


def summed(entries, scheme=OPENAI, measure=WORDS, model="", *, linear=True, rows=True):
    sheet = ConversationCounter(MessageCounter(scheme, measure, model), linear=linear, rows=rows)
    for entry in entries:
        sheet.add(entry)
    return sheet.finish()


def said(role, words, **known):
    return ChatMessage(role, (MessagePart("text", words),), **known)


@pytest.mark.parametrize(
    ("model", "vocabulary", "published"),
    [
        *(("gpt-4o", "o200k", 124), ("gpt-4o-mini", "o200k", 124), ("gpt-4", "cl100k", 129)),
        *(("gpt-4-0613", "cl100k", 129), ("gpt-3.5-turbo", "cl100k", 129), ("gpt-3.5-turbo-0301", "cl100k", 127)),
    ],
)
def test_messages_count_as_openai_published(model, vocabulary, published) -> None:
    total = summed(openai.read_entries(SAID), find_scheme(model, find_vocabulary(vocabulary)), meter(vocabulary), model)
    assert total.amount == exact_amount(published)
    assert total.messages == 6


@pytest.mark.parametrize(
    ("model", "vocabulary", "published"),
    [("gpt-4o", "o200k", 101), ("gpt-4o-mini", "o200k", 101), ("gpt-4", "cl100k", 105), ("gpt-3.5-turbo", "cl100k", 105)],
)
def test_tools_count_as_openai_published(model: str, vocabulary: str, published: int) -> None:
    total = summed(openai.read_entries(ASKED), find_scheme(model, find_vocabulary(vocabulary)), meter(vocabulary), model)
    assert total.amount == exact_amount(published)


def rendered(template, begin, opened):
    """Return what a chat template makes of the cookbook's messages."""
    body = "".join(template.format(role=turn["role"], content=turn["content"]) for turn in SAID)
    return f"{begin}{body}{opened}"


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("model", "vocabulary", "text"),
    [
        ("qwen3-8b", "qwen3", rendered("<|im_start|>{role}\n{content}<|im_end|>\n", "", "<|im_start|>assistant\n")),
        ("phi-4", "phi4", rendered("<|im_start|>{role}<|im_sep|>{content}<|im_end|>", "", "<|im_start|>assistant<|im_sep|>")),
        (
            "llama-3-8b",
            "llama3",
            rendered(
                "<|start_header_id|>{role}<|end_header_id|>\n\n{content}<|eot_id|>",
                "<|begin_of_text|>",
                "<|start_header_id|>assistant<|end_header_id|>\n\n",
            ),
        ),
    ],
)
def test_a_chat_template_is_counted_as_the_engine_counts_what_it_renders(model: str, vocabulary: str, text) -> None:
    from splintr import Tokenizer

    # what a template renders is tokenized with its special tokens, as encode does
    turns = [{key: turn[key] for key in ("role", "content")} for turn in SAID]
    total = summed(openai.read_entries(turns), find_scheme(model, find_vocabulary(vocabulary)), meter(vocabulary), model)
    assert total.amount == exact_amount(len(Tokenizer.from_pretrained(vocabulary).encode(text)))


def test_a_message_by_hand() -> None:
    total = summed([said("user", "a b c"), said("assistant", "d", name="Ann")])
    # 3 tokens and the role each, one more and itself for the name, 3 for the reply
    assert total.amount == exact_amount(3 + (3 + 1) + 1 + (3 + 1 + 1 + 1) + 3)
    assert {name: amount.tokens for name, amount in total.components.items() if amount.tokens} == {
        "user": 3,
        "assistant": 1,
        "overhead": 13,
    }
    assert [(row.role, row.amount.tokens) for row in total.rows] == [("user", 7), ("assistant", 7), ("overhead", 3)]


def test_what_nobody_documents_is_a_guess() -> None:
    call = ChatMessage("assistant", (MessagePart("call", '{"a": 1}', "ls"),))
    amount = summed([call]).amount
    assert amount.low < amount.tokens < amount.high
    nested = Tool("f", "Do it.", {"properties": {"a": {"type": "object", "properties": {}, "description": "x"}}}, {})
    assert summed([Toolset((nested,))]).amount.low < summed([Toolset((nested,))]).amount.high


def test_each_conversation_of_a_file_opens_a_reply() -> None:
    one = [ConversationStart(), said("user", "a")]
    assert summed(one * 3).amount.tokens == 3 * summed(one).amount.tokens
    assert summed([]).amount == ZERO
    assert summed([ConversationStart()]).amount == ZERO


def test_a_system_message_that_a_template_adds_is_counted_once() -> None:
    asked, told = [said("user", "a")], [said("system", "b"), said("user", "a")]
    assert summed(asked, KIMI).amount.tokens - summed(asked, KIMI._replace(system="")).amount.tokens == 3 + 1 + 10
    assert summed(told, KIMI).amount.tokens == summed(told, KIMI._replace(system="")).amount.tokens
    plain = LLAMA31._replace(preface="")
    assert summed(told, LLAMA31).amount.tokens - summed(told, plain).amount.tokens == 10
    assert summed(asked, LLAMA31).amount.tokens - summed(asked, plain).amount.tokens == 3 + 1 + 10


def test_turns_are_taken_back() -> None:
    first, answer, second = said("user", "a b"), said("assistant", "c"), said("user", "d e f")
    kept = summed([first, answer], linear=False).amount
    assert summed([first, answer, second, Rewind(1)], linear=False).amount == kept
    assert summed([first, answer, second, Rewind(2), said("user", "a b"), answer], linear=False).amount == kept
    told = said("system", "z")
    assert summed([told, first, Rewind(), second], linear=False).amount == summed([told, second], linear=False).amount


@pytest.mark.parametrize("linear", [True, False])
def test_archived_messages_do_not_count(linear: bool) -> None:
    first, answer, second = said("user", "a b"), said("assistant", "c"), said("user", "d e f")
    kept = summed([second], linear=linear)
    assert summed([ArchivedMessages(2), first, answer, second], linear=linear) == kept
    assert kept.messages == 1
    assert summed([ArchivedMessages(5), first], linear=linear).messages == 0


def test_what_is_written_again_takes_the_place_of_what_was() -> None:
    first, longer = (said("user", words, link=EntryLink("1", is_update=True)) for words in ("a", "a b c"))
    assert summed([first, longer], linear=False).amount == summed([longer], linear=False).amount
    after = said("user", "d", link=EntryLink("2", is_update=True))
    back = Rewind(0, "1")
    assert summed([first, after, back, after], linear=False).amount == summed([after], linear=False).amount


def linked(name_, parent, words, role="user", **known):
    return said(role, words, link=EntryLink(name_, parent), **known)


def roles(entries):
    return [row.name for row in summed([*entries], linear=False).rows if row.name]


def test_the_newest_branch_counts() -> None:
    tree = [
        linked("1", "", "a", name="first"),
        linked("2", "1", "b", name="dropped"),
        EntryLink("x", "1"),
        linked("3", "x", "c", name="taken"),
    ]
    assert roles(tree) == ["first", "taken"]


def test_results_of_calls_at_once_belong_to_the_branch() -> None:
    tree = [
        ChatMessage("assistant", (), "call 1", ("c1",), (), EntryLink("1", "", "m")),
        ChatMessage("assistant", (), "call 2", ("c2",), (), EntryLink("2", "1", "m")),
        ChatMessage("user", (), "result 1", (), ("c1",), EntryLink("3", "1")),
        ChatMessage("user", (), "result 2", (), ("c2",), EntryLink("4", "2")),
        linked("5", "4", "x", name="last"),
    ]
    assert roles(tree) == ["call 1", "call 2", "result 1", "result 2", "last"]


def test_another_agents_conversation_is_left_out_unless_it_is_all_there_is() -> None:
    main = linked("1", "", "a", name="main")
    side = ChatMessage("user", (), "side", link=EntryLink("2", None, is_sidechain=True))
    assert roles([main, side]) == ["main"]
    assert roles([side]) == ["side"]


@pytest.mark.parametrize("parent", [None, "nobody"])
def test_an_entry_that_does_not_say_what_it_follows_follows_the_one_before(parent: str | None) -> None:
    tree = [linked("1", "", "a", name="1"), linked("2", parent, "b", name="2"), linked("3", "2", "c", name="3")]
    assert roles(tree) == ["1", "2", "3"]


def test_a_file_without_parents_is_no_tree_and_a_circle_ends() -> None:
    assert roles([linked("1", "", "a", name="1"), linked("2", "", "b", name="2")]) == ["1", "2"]
    assert sorted(roles([linked("1", "2", "a", name="1"), linked("2", "1", "b", name="2")])) == ["1", "2"]


def test_a_compaction_replaces_what_it_did_not_keep() -> None:
    tree = [
        linked("1", "", "a", name="old"),
        linked("2", "1", "b", name="kept"),
        linked("3", "2", "c", name="summary", kept=KeptTail("2")),
        linked("4", "3", "d", name="new"),
    ]
    assert roles(tree) == ["summary", "kept", "new"]
    line = [tree[0], tree[1], linked("3", "2", "c", name="summary", kept=KeptTail(place=1)), tree[3]]
    assert roles(line) == ["summary", "kept", "new"]
    assert roles([*tree[:2], linked("3", "2", "c", name="summary", kept=KeptTail("gone")), tree[3]]) == ["summary", "new"]


KINDS = st.sampled_from(["text", "call", "result", "thinking", "image", "other"])
PARTS = st.tuples(KINDS, st.text("ab \n", max_size=9)).map(lambda given: MessagePart(*given, name="x"))
ROLES = st.sampled_from(["system", "user", "assistant", "tool", "odd"])
MESSAGES = st.tuples(ROLES, st.lists(PARTS, max_size=3).map(tuple)).map(lambda given: ChatMessage(*given))
TABLED = [find_scheme(name, find_vocabulary("o200k")) for name in ("claude", "gemini", "gpt-oss")]
SCHEMES = st.sampled_from([OPENAI, OPENAI_0301, CHATML, KIMI, LLAMA31, *TABLED])


@given(st.lists(MESSAGES, max_size=6), SCHEMES, st.booleans())
def test_rows_and_components_add_up_to_the_whole(entries, scheme: Scheme, linear: bool) -> None:
    total = summed(entries, scheme, linear=linear)
    for amounts in ([row.amount for row in total.rows], total.components.values()):
        added = ZERO
        for amount in amounts:
            added = added.plus(amount)
        assert added == total.amount
    assert total.amount.low <= total.amount.tokens <= total.amount.high
    folded = summed(entries, scheme, linear=True, rows=False)
    assert (folded.amount, folded.messages, folded.components) == (total.amount, len(entries), total.components)


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
