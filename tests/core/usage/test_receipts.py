import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.errors import MalformedInputError, UsageError
from ctxkit.core.tokens.estimate import estimate_tokens
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.core.usage.receipts import TokenReceipt, find_family, learn_factors, read_receipts
from tests.example_counts import count_examples

TEXTS = [f"Receipt number {n} says what {n * 7} words of text cost.\n" * (n + 5) for n in range(20)]
PLAIN = find_vocabulary("claude")._replace(factor=1.0, low=1.0, high=1.0)


def billed(factor, texts=TEXTS, family="claude"):
    """Return receipts of texts that cost ``factor`` times what is estimated."""
    return [TokenReceipt(text, round(factor * estimate_tokens(text, PLAIN).tokens), family) for text in texts]


def read(*lines):
    return list(read_receipts([line.encode() for line in lines], json.loads))


def test_receipts_come_in_the_shapes_that_logs_have() -> None:
    found = read(
        '{"text": "one", "tokens": 1, "model": "claude-sonnet-4-5"}',
        "",
        '{"input": "two", "usage": {"input_tokens": 2, "output_tokens": 9}, "family": "gemini"}',
        '{"content": "three", "usage": {"prompt_tokens": 3}}\r',
        '{"text": "four", "input_tokens": 4, "model": "somebody/unheard-of-9b"}',
    )
    assert found == [
        TokenReceipt("one", 1, "claude"),
        TokenReceipt("two", 2, "gemini"),
        TokenReceipt("three", 3, "estimate"),
        TokenReceipt("four", 4, "estimate"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        *("{", "[]", "7", '"text"', "{}", '{"text": "a"}', '{"tokens": 1}', '{"text": "", "tokens": 1}'),
        *('{"text": "a", "tokens": 0}', '{"text": "a", "tokens": -3}', '{"text": "a", "tokens": 1.5}'),
        *('{"text": "a", "tokens": true}', '{"text": "a", "tokens": "1"}', '{"text": [], "tokens": 1}'),
        *('{"text": "a", "tokens": 1, "model": 7}', '{"text": "a", "tokens": 1, "model": "gpt-4o"}'),
        '{"text": "a", "tokens": 1, "family": "bytes/3"}',
    ],
)
def test_a_line_that_is_no_receipt_is_named(line) -> None:
    with pytest.raises(MalformedInputError, match=r"^line 3: "):
        read('{"text": "a", "tokens": 1}', "", line)


def test_a_family_is_found_by_model_or_tokenizer() -> None:
    assert [find_family(name) for name in ("claude", "claude-99-opus", "gemini-99", "new-model")] == [
        "claude",
        "claude",
        "gemini",
        "estimate",
    ]
    with pytest.raises(ValueError, match="counted by qwen3"):
        find_family("qwen3-30b")


@pytest.mark.slow
@settings(max_examples=count_examples(20), deadline=None)
@given(st.floats(0.5, 3))
def test_the_factor_is_what_texts_cost_more_than_estimated(factor: float) -> None:
    (found,) = learn_factors(billed(factor)).values()
    assert abs(found.factor - factor) < 0.03
    assert found.receipts == 20
    assert found.low <= 1 <= found.high
    taught = found.apply_to(PLAIN)
    for one in billed(factor):
        ends = estimate_tokens(one.text, taught)
        assert ends.low <= one.tokens <= ends.high


def test_a_few_odd_receipts_do_not_move_the_factor() -> None:
    odd = [TokenReceipt(TEXTS[0], 10_000, "claude")] * 3
    (found,) = learn_factors(billed(1.2) + odd).values()
    assert abs(found.factor - 1.2) < 0.03
    assert found.high > 5


def test_families_are_learnt_apart() -> None:
    found = learn_factors(billed(1.2) + billed(0.8, family="estimate"))
    assert list(found) == ["claude", "estimate"]
    assert found["claude"].factor > found["estimate"].factor


@pytest.mark.parametrize(
    ("those", "why"),
    [
        ([], "no receipts"),
        (billed(1.2, TEXTS[:4]), "claude: 4 receipts are too few"),
        (billed(1.2, TEXTS[:1]), "claude: 1 receipt is too few"),
        (billed(50), "is implausible"),
        (billed(0.01), "is implausible"),
    ],
)
def test_too_little_and_nonsense_teach_nothing(those, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        learn_factors(those)
