import json
import random
import time
import tomllib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctxkit.core.tokens import estimate
from ctxkit.core.tokens.estimate import (
    Factor,
    TokenEstimate,
    estimate_chunks,
    estimate_tokens,
    likely_tokenizer,
    parse_factor,
    upper_bound_tokenizer,
)
from ctxkit.core.tokens.features import NAMES, SPANS, WEIGHTS, count_features, feature_weights
from ctxkit.core.tokens.token_count import count_tokens
from ctxkit.core.tokens.vocabulary import VOCABULARIES, find_vocabulary, substitute_estimate
from ctxkit.engines import tokens
from tests.example_counts import count_examples

ESTIMATED = [name for name, vocabulary in VOCABULARIES.items() if not vocabulary.exact]
CLAUDE, GEMINI = find_vocabulary("claude"), find_vocabulary("gemini")
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(["word", " the", "camelCase", "SHOUT", "\n", "    ", "\t", "12345", "_", "==", "---", "é", "naïve", "漢字",
                         "한국어", "привет", "مرحبا", "🙂", "\x00", "\ud800", "deadbeef01", ". ", "ที่"])
    ).map("".join),
)  # fmt: skip
PROSE = (
    "The committee met on Tuesday to discuss the proposal, and after a long debate it was decided that the work "
    "should begin in the spring. Nobody objected, although several members asked for more time to read the report.\n"
)
CODE = "def total(rows: list[Row]) -> int:\n    return sum(row.size for row in rows if not row.hidden)\n\n"
ROWS = "".join(json.dumps({"id": n, "name": f"user{n}", "active": n % 2 == 0}) + "\n" for n in range(40))
CHINESE = "委员会在星期二开会讨论了这项提案，经过长时间的辩论，决定在春天开始工作。没有人反对。\n"
RUSSIAN = "Комитет собрался во вторник, чтобы обсудить предложение, и после долгих споров решил начать весной.\n"


@pytest.mark.parametrize("name", ESTIMATED)
@settings(max_examples=count_examples(100), deadline=None)
@given(text=TEXTS)
@example("")
@example("a")
@example("\ud800")
@example("\U0001d160" * 9)
def test_the_ends_are_around_the_estimate_and_never_negative(name, text) -> None:
    found = estimate_tokens(text, find_vocabulary(name))
    assert 0 <= found.low <= found.tokens <= found.high
    assert (found.tokens == 0) == (text == "")
    assert likely_tokenizer(find_vocabulary(name))(text) == found.tokens
    assert upper_bound_tokenizer(find_vocabulary(name))(text) == found.high


@settings(max_examples=count_examples(100), deadline=None)
@given(TEXTS, TEXTS)
def test_a_text_takes_about_what_its_parts_take(one, other) -> None:
    whole, parts = estimate_tokens(one + other, CLAUDE), (estimate_tokens(one, CLAUDE), estimate_tokens(other, CLAUDE))
    assert abs(whole.tokens - parts[0].tokens - parts[1].tokens) <= 14


@settings(max_examples=count_examples(50), deadline=None)
@given(TEXTS)
def test_more_of_the_same_takes_more(text) -> None:
    assert estimate_tokens(text, CLAUDE).tokens <= estimate_tokens((text + "\n") * 3, CLAUDE).tokens


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("name", [name for name in VOCABULARIES if name in WEIGHTS and name != "estimate"])
def test_an_estimate_comes_near_a_known_vocabulary_and_its_high_end_covers_it(name) -> None:
    vocabulary = find_vocabulary(name)
    count, within = tokens.load_tokenizer(vocabulary), 0
    for text in (PROSE, CODE, ROWS, CHINESE, RUSSIAN):
        true, found = count(text * 10), estimate_tokens(text * 10, substitute_estimate(vocabulary))
        assert abs(found.tokens / true - 1) < 0.35
        within += found.low <= true <= found.high
    assert within >= 3


def test_the_ends_are_nearer_for_prose_than_for_what_looks_random() -> None:
    chance = random.Random(1)
    noise = "".join(chance.choice("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/") for _ in range(4000))
    near, far = estimate_tokens(PROSE * 20, CLAUDE), estimate_tokens(noise, CLAUDE)
    assert (near.high - near.low) / near.tokens < 0.9
    assert far.tokens > 4000 / 3  # four characters to a token would be far too few


def test_no_estimate_is_more_than_bytes_allow() -> None:
    for text in ("", "a", "¤" * 9, "\x00" * 50):
        found = estimate_tokens(text, CLAUDE)
        assert found.high <= 3 * len(text.encode()) + 1


def test_bytes_over_three_is_the_rule_of_the_seed_rounded_up() -> None:
    assert estimate_tokens("1234567", find_vocabulary("bytes/3")) == TokenEstimate(3, 3, 3)
    assert estimate_tokens("漢字", find_vocabulary("bytes/3")).tokens == 2


@settings(max_examples=count_examples(60), deadline=None)
@given(TEXTS, st.integers(1, 9), st.integers(2, 20))
def test_how_a_text_comes_makes_no_difference(text, size: int, block: int) -> None:
    parts = [text[start : start + size] for start in range(0, len(text), size)]
    kept, estimate.BLOCK = estimate.BLOCK, block
    try:
        assert estimate_chunks(parts, CLAUDE) == estimate_chunks([text], CLAUDE) == (estimate_tokens(text, CLAUDE), True)
    finally:
        estimate.BLOCK = kept


def test_reading_stops_once_the_high_end_is_past_the_limit() -> None:
    pulled = []

    def endless():
        while True:
            pulled.append(1)
            assert len(pulled) < 100
            yield PROSE * 100

    found, whole = estimate_chunks(endless(), CLAUDE, 1000)
    assert not whole
    assert found.high > 1000


def test_a_tally_says_both_ends_and_how_it_is_known() -> None:
    found = count_tokens([PROSE.encode() * 9], CLAUDE, lambda text: pytest.fail("an engine was asked"))
    assert (found.method, found.complete) == ("estimate", True)
    assert 0 < found.low == found.least < found.tokens < found.high


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("text", ["a", " ", "\n", "字", "=", "1", "é", "aB", "🙂", "<|endoftext|>"])
def test_time_grows_with_length_and_not_faster(text: str) -> None:
    def seconds(size):
        began = time.process_time()
        estimate_tokens(text * size, CLAUDE)
        return time.process_time() - began

    seconds(1000)
    small, large = min(seconds(25_000) for _ in range(3)), min(seconds(200_000) for _ in range(2))
    assert large < 40 * max(small, 0.001)


def test_random_bytes_are_estimated_too() -> None:
    text = random.Random(2).randbytes(200_000).decode("utf-8", "replace")
    true = tokens.load_tokenizer(find_vocabulary("o200k"))(text)
    assert estimate_tokens(text, CLAUDE).high >= true


def test_newer_claudes_take_more_for_latin_words_and_no_more_for_other_scripts() -> None:
    older, newer = find_vocabulary("claude"), find_vocabulary("claude-4-7")

    def ratio(text):
        return estimate_tokens(text, newer).tokens / estimate_tokens(text, older).tokens

    prose = "The harbour was quiet in the morning, and nobody spoke of the storm that had passed.\n" * 40
    code = "    for index, value in enumerate(values):\n        if value[0] == 3: total += index * 2\n" * 40
    assert 1.35 < ratio(prose) < 1.48
    assert 1.1 < ratio(code) < 1.36
    assert ratio("读取配置文件失败，请检查路径。" * 40) == 1
    assert 1 <= ratio("2026-11-21 14:03:59 17.25 1024 4096\n" * 40) < 1.02


@given(TEXTS)
def test_groups_that_a_text_lacks_add_nothing(text) -> None:
    counts = count_features(text)
    weights, lower, higher = feature_weights(CLAUDE.weights)
    guess, less, more = 0.0, lower[-1], higher[-1]
    for (start, end, is_latin), below, above in zip(SPANS, lower, higher, strict=False):
        products = [times * weight for times, weight in zip(counts[start:end], weights[start:end], strict=True)]
        tokens = sum(products) * (CLAUDE.words if is_latin else 1)
        guess, less, more = guess + tokens, less + tokens * below, more + tokens * above
    assert estimate._weigh_features(counts, CLAUDE) == (guess, less, more)


def test_the_groups_span_all_features() -> None:
    assert [place for start, end, _ in SPANS for place in range(start, end)] == list(range(len(NAMES)))


@pytest.mark.parametrize(("repeats", "share"), [(2, 0.52), (20, 0.15), (2_000, 0.15)])
def test_the_high_end_of_a_long_text_is_near_if_the_factor_is_known(repeats: int, share: float) -> None:
    text = PROSE * repeats
    near, unknown = estimate_tokens(text, CLAUDE), estimate_tokens(text, find_vocabulary("estimate"))
    assert near.high <= near.tokens * (1 + share) + 1
    assert near.high / near.tokens <= unknown.high / unknown.tokens + 0.02


@pytest.mark.parametrize(("repeats", "share"), [(20, 0.15), (1_000, 0.08)])
def test_the_high_end_is_nearer_still_with_the_weights_of_the_vocabulary(repeats: int, share: float) -> None:
    noise = "".join(random.Random(4).choices("0123456789abcdef-\n", k=200 * repeats))
    for text in (PROSE * repeats, noise):
        near = estimate_tokens(text, GEMINI)
        assert near.high <= near.tokens * (1 + share) + 1
        assert near.high >= tokens.load_tokenizer(find_vocabulary("gemma3"))(text)


def test_text_of_unusual_make_up_keeps_a_wider_band() -> None:
    text = "".join(random.Random(3).choices("0123456789abcdefQRSTUV+/", k=9_000))
    near = estimate_tokens(text, CLAUDE)
    assert near.high <= near.tokens * 1.2 + 1


@pytest.mark.slow
@pytest.mark.parametrize("vocabulary", [CLAUDE, GEMINI])
def test_the_high_end_grows_with_the_text(vocabulary) -> None:
    for sizes in (range(1, 400), range(7_000, 7_400, 7)):
        highs = [estimate_tokens("word and more " * size, vocabulary).high for size in sizes]
        assert highs == sorted(highs)


TEXT = "Some words that are billed by the token.\n" * 20


def test_a_factor_moves_the_estimate_and_its_ends() -> None:
    plain = find_vocabulary("claude")
    taught = Factor(2.0, 0.5, 1.5, 9).apply_to(plain)
    before, after = estimate_tokens(TEXT, plain._replace(factor=1.0, low=1.0, high=1.0)), estimate_tokens(TEXT, taught)
    assert abs(after.tokens - 2 * before.tokens) <= 2
    assert after.low <= before.low <= before.high < after.high


@pytest.mark.parametrize("value", [1.27, 1, {"factor": 1.27}, {"factor": 1.3, "low": 0.9, "high": 1.1, "receipts": 7}])
def test_a_factor_is_a_number_or_a_table(value) -> None:
    found = parse_factor(value)
    assert found.factor == (value if isinstance(value, int | float) else value["factor"])
    assert found.low <= 1 <= found.high


def test_a_factor_is_written_as_it_is_read() -> None:
    factor = Factor(1.27, 0.93, 1.08, 42)
    assert parse_factor(tomllib.loads(f"claude = {factor.to_toml()}")["claude"]) == factor


@pytest.mark.parametrize(
    "value",
    [
        *("1.2", True, None, [], {}, {"low": 0.9}, {"factor": "1"}, {"factor": 1.2, "more": 1}),
        *(0, -1, 100, float("nan"), float("inf")),
        *({"factor": 1, "low": 1.2}, {"factor": 1, "low": 0}, {"factor": 1, "high": 0.9}, {"factor": True}),
    ],
)
def test_anything_else_is_none(value) -> None:
    with pytest.raises(ValueError, match=r"is |holds "):
        parse_factor(value)
