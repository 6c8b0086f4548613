"""The tokens of one message: each part in its component, and the frame around it."""

import pytest

from ctxkit.core.chat.model.message import ChatMessage, MessagePart
from ctxkit.core.count import message_tokens
from ctxkit.core.count.amount import Amount, TextCounter, exact_amount, guessed_amount
from ctxkit.core.count.message_tokens import (
    CHATML,
    COMPONENTS,
    ENCRYPTION_BYTES,
    MEDIA_TOKENS,
    OPENAI,
    UNKNOWN,
    MessageCounter,
    count_image,
    estimate_image,
    estimate_unread,
    find_scheme,
    name_template,
)
from ctxkit.core.tokens.vocabulary import find_vocabulary, vocabulary_from_file

WORDS = TextCounter(find_vocabulary("o200k"), lambda text: len(text.split()))
"""A counter of words, so that sums can be done by hand."""


def costs(role, *parts, scheme=OPENAI, **given):
    return dict(MessageCounter(scheme, WORDS).count_message(ChatMessage(role, parts, **given)).costs)


@pytest.mark.parametrize(
    ("role", "kind", "component"),
    [
        ("system", "text", "system"),
        ("developer", "text", "system"),
        ("user", "text", "user"),
        ("model", "text", "assistant"),
        ("assistant", "thinking", "thinking"),
        ("assistant", "call", "calls"),
        ("tool", "result", "results"),
        ("user", "image", "images"),
        ("user", "other", "other"),
    ],
)
def test_each_part_belongs_to_a_component(role: str, kind: str, component: str) -> None:
    assert component in COMPONENTS
    assert costs(role, MessagePart(kind, "a b")).keys() == {"overhead", component}


def test_the_frame_of_a_message_is_its_specials_and_its_role() -> None:
    assert costs("user", MessagePart("text", "a b c")) == {"overhead": exact_amount(4), "user": exact_amount(3)}
    named = costs("user", MessagePart("text", "a"), name="bob")
    assert named["overhead"] == exact_amount(4 + 2)
    assert costs("user", MessagePart("text", "a"), scheme=UNKNOWN)["overhead"] == guessed_amount(exact_amount(5))


def test_a_later_text_may_join_the_token_before_it() -> None:
    parts = (MessagePart("text", "a"), MessagePart("text", "b c"))
    counter = MessageCounter(CHATML, WORDS)
    assert [amount for name, amount in counter.count_message(ChatMessage("user", parts)).costs if name == "user"] == [
        exact_amount(1),
        Amount(1, 2, 3),
    ]


def test_a_call_has_a_frame_that_is_a_guess() -> None:
    assert costs("assistant", MessagePart("call", "x y", "run"))["calls"] == guessed_amount(exact_amount(1 + 2 + 3))


def test_encrypted_reasoning_is_estimated_from_its_size() -> None:
    size = (ENCRYPTION_BYTES + 400) * 4 // 3
    tokens = costs("assistant", MessagePart("thinking", encrypted_size=size))["thinking"].tokens
    assert 99 <= tokens <= 100


def test_the_amount_of_a_message_is_the_sum_of_its_parts() -> None:
    message = MessageCounter(OPENAI, WORDS).count_message(ChatMessage("user", (MessagePart("text", "a b"),), answers=("c",)))
    assert message.amount == exact_amount(6)
    assert message.has_results


@pytest.mark.parametrize("media", MEDIA_TOKENS)
def test_a_larger_file_has_more_tokens_within_its_range(media) -> None:
    small, large = (estimate_unread(MessagePart("other", encrypted_size=size, media=media)) for size in (60_000, 600_000))
    assert 0 <= small.low < small.tokens < small.high
    assert small.low < large.low < large.tokens < large.high


def test_a_page_of_a_document_and_a_second_of_sound_are_near_the_figures_of_the_providers() -> None:
    page = estimate_unread(MessagePart("other", encrypted_size=66_700, media="document"))  # 50 KB
    assert page.low < 258 < 1_500 < page.tokens < 3_000
    second = estimate_unread(MessagePart("other", encrypted_size=21_400, media="audio"))  # 16 KB
    assert second.low <= 10 < second.tokens <= 32 < second.high


@pytest.mark.parametrize("media", MEDIA_TOKENS)
def test_a_file_by_reference_may_be_of_any_size(media) -> None:
    assert estimate_unread(MessagePart("other", media=media)) == MEDIA_TOKENS[media].by_reference


def test_encrypted_content_is_at_most_a_little_more_than_its_text() -> None:
    assert estimate_unread(MessagePart("result", encrypted_size=16_000)) == Amount(750, 3_000, 3_750)
    assert estimate_unread(MessagePart("thinking", encrypted_size=800)) == Amount()


@pytest.mark.parametrize(
    ("model", "size", "detail", "tokens"),
    [
        *(("gpt-4o", (1024, 1024), "high", 765), ("gpt-4o", (2048, 4096), "", 1105), ("gpt-4o", (4096, 8192), "low", 85)),
        *(("gpt-4o-mini", (512, 512), "low", 2833), ("gpt-4o", (1, 1), "high", 255), ("o1", (512, 512), "", 225)),
        *(("openai/gpt-5", (512, 512), "", 210), ("gpt-4.1-mini", (1024, 1024), "", 1659)),
        *(("gpt-4.1-mini", (1800, 2400), "", 2353), ("o4-mini", (32, 32), "", 2), ("", (1024, 1024), "", 765)),
    ],
)
def test_openai(model, size, detail, tokens) -> None:
    assert count_image(size, detail, "openai", model) == tokens


@pytest.mark.parametrize(
    ("model", "size", "tokens"),
    [
        *(("claude-sonnet-4-5", (200, 200), 64), ("claude-sonnet-4-5", (1000, 1000), 1296)),
        *(("claude-sonnet-4-5", (1092, 1092), 1521), ("claude-sonnet-4-5", (1920, 1080), 1560)),
        *(("claude-sonnet-4-5", (3840, 2160), 1560), ("claude-opus-4-8", (1920, 1080), 2691)),
        *(("claude-opus-4-8", (1000, 1000), 1296), ("claude-opus-4-7", (3840, 2160), 4784)),
        *(("claude-sonnet-4-5", (100, 8000), 56), ("claude-sonnet-4-5", (1, 1), 1)),
    ],
)
def test_anthropic(model, size, tokens) -> None:
    assert count_image(size, "", "anthropic", model) == tokens


def test_gemini() -> None:
    assert [count_image(size, "", "gemini") for size in ((384, 384), (385, 10), (960, 540), (1600, 800))] == [258, 258, 516, 1548]


def test_a_picture_of_unknown_size_is_a_range_around_what_is_usual() -> None:
    assert estimate_image("", "anthropic") == Amount(100, 1369, 1560)
    assert estimate_image("", "gemini") == Amount(258, 1032, 1548)
    assert estimate_image("high", "openai", "gpt-4o") == Amount(255, 765, 1445)
    assert estimate_image("low", "openai", "gpt-4o") == Amount(85, 85, 85)


@pytest.mark.parametrize(
    ("model", "vocabulary", "expected"),
    [
        ("gpt-4o-mini", "o200k", message_tokens.OPENAI),
        ("gpt-4-0613", "cl100k", message_tokens.OPENAI_CL100K),
        ("gpt-4.1", "o200k", message_tokens.OPENAI_LATER),
        ("gpt-5", "o200k", message_tokens.OPENAI_LATER),
        ("gpt-oss-20b", "o200k", message_tokens.HARMONY),
        ("anthropic/claude-opus-4", "claude", message_tokens.ANTHROPIC),
        ("Meta-Llama-3.1-8B", "llama3", message_tokens.LLAMA31),
        ("llama3", "llama3", message_tokens.LLAMA3),
        ("qwen2.5-coder", "qwen3", message_tokens.QWEN2),
        ("my-own-model", "qwen3", message_tokens.CHATML),
        ("my-own-model", "bytes/3", message_tokens.UNKNOWN),
    ],
)
def test_the_name_of_a_model_decides_and_then_its_vocabulary(model: str, vocabulary: str, expected) -> None:
    assert find_scheme(model, find_vocabulary(vocabulary)) is expected


@pytest.mark.parametrize(
    ("template", "name", "expected"),
    [
        ("{% for m in messages %}<|im_start|>{{ m.role }}", "chatml", message_tokens.CHATML),
        (f"<|im_start|>system\n{message_tokens.QWEN_SYSTEM}", "qwen2", message_tokens.QWEN2),
        ("<|im_start|>{{ m.role }}<|im_sep|>", "phi", message_tokens.PHI),
        ("<|start_header_id|>", "llama3", message_tokens.LLAMA3),
        ("{{ messages }}", "", message_tokens.UNKNOWN),
    ],
)
def test_the_marks_of_a_chat_template_tell_its_scheme(template: str, name: str, expected) -> None:
    assert name_template(template) == name
    vocabulary = vocabulary_from_file("/models/own.gguf", name)
    assert find_scheme("my-own-model", vocabulary) == expected._replace(exact=False)


def test_the_provider_of_a_format_beats_what_was_not_named() -> None:
    assert find_scheme("", find_vocabulary("o200k"), "anthropic") is message_tokens.ANTHROPIC
    assert find_scheme("", find_vocabulary("o200k"), "google") is message_tokens.GEMINI
    assert find_scheme("", find_vocabulary("o200k"), "openai") is message_tokens.OPENAI
