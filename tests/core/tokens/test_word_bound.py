"""The bound by common words is never below the count, in any of its vocabularies, and far below the bytes of prose."""

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.tokens.single_token_words import COMMON_TOKENS
from ctxkit.core.tokens.vocabularies import find_vocabulary
from ctxkit.core.tokens.word_bound import SPLIT_WORDS, VOCABULARIES, bound_by_words
from ctxkit.engines import tokens

ROOT = Path(__file__).parents[3]
count_with = cache(lambda name: tokens.load_tokenizer(find_vocabulary(name)))
WORDS = sorted(word.decode() for word in COMMON_TOKENS)
PIECES = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(WORDS).map(str.capitalize),
    st.text(st.characters(codec="ascii"), max_size=6),
    st.sampled_from([" ", "  ", "\n", "\n\n", "\t", "\r\n", " \n ", ".", ", ", ": ", ";", ")", "'s", "'t ", "_", "-", "/", "=", "1", "1234", '"']),
)


@pytest.mark.parametrize("name", sorted(VOCABULARIES))
def test_each_common_word_is_one_token_after_a_space(name: str) -> None:
    count = count_with(name)
    alone = count("a")
    assert [word for word in WORDS if word.encode() not in SPLIT_WORDS and count(f"a {word}") != alone + 1] == []


@pytest.mark.quick_cases(7)
@pytest.mark.parametrize("name", sorted(VOCABULARIES))
@given(pieces=st.lists(PIECES, max_size=40))
def test_the_bound_is_never_below_the_count(name: str, pieces: list[str]) -> None:
    for text in ("".join(pieces), " ".join(pieces)):
        bound = bound_by_words(text.encode(), find_vocabulary(name))
        assert bound is not None
        assert count_with(name)(text) <= bound <= len(text) + find_vocabulary(name).prefix


@pytest.mark.parametrize("name", sorted(VOCABULARIES))
@pytest.mark.parametrize("path", ["SECURITY.md", "ctxkit/app/services/engines.py", "Makefile", "examples/log.jsonl", "examples/pytest-failing.log"])
def test_real_text_is_bounded(name: str, path: str) -> None:
    data = (ROOT / path).read_bytes().decode("ascii", "ignore").encode()
    bound = bound_by_words(data, find_vocabulary(name))
    assert count_with(name)(data.decode()) <= bound <= len(data)


def test_prose_is_bounded_by_two_thirds_of_its_bytes() -> None:
    data = (ROOT / "SECURITY.md").read_bytes().decode("ascii", "ignore").encode()
    assert bound_by_words(data, find_vocabulary("qwen3")) < 0.70 * len(data)


@pytest.mark.parametrize("name", ["llama2", "gemma3", "p50k", "claude", "bytes/3"])
def test_other_vocabularies_have_no_such_bound(name: str) -> None:
    assert bound_by_words(b" some words here", find_vocabulary(name)) is None


def test_other_text_has_no_such_bound() -> None:
    assert bound_by_words(" some wörds".encode(), find_vocabulary("qwen3")) is None
