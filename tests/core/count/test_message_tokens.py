"""The tokens of one message: each part in its component, and the frame around it."""

import pytest

from ctxkit.core.chat.model.message import ChatMessage, MessagePart
from ctxkit.core.count.amount import Amount, exact_amount, guessed_amount
from ctxkit.core.count.message_tokens import COMPONENTS, MessageCounter
from ctxkit.core.count.scheme import CHATML, OPENAI, UNKNOWN
from ctxkit.core.count.text_counter import TextCounter
from ctxkit.core.count.unread import ENCRYPTION_BYTES
from ctxkit.core.tokens.vocabularies import find_vocabulary

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
