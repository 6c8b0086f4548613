import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxkit.core.tokens.vocabulary import VOCABULARIES
from ctxkit.engines.tokens import load_tokenizer
from ctxkit.engines.tokens.added_tokens import list_added_tokens, make_finder

WORDS = st.text("ab<>\n.*", min_size=1, max_size=4)


def leftmost_longest(added, text):
    at, found = 0, []
    while at < len(text):
        here = [token for token in added if text.startswith(token, at)]
        if here:
            found.append((at, at + max(map(len, here))))
            at = found[-1][1]
        else:
            at += 1
    return found


@given(st.sets(WORDS, min_size=1, max_size=12), st.text("ab<>\n.*", max_size=40))
@example({"a", "ab", "abb"}, "abbab")
def test_the_leftmost_and_of_those_the_longest_is_found(added, text: str) -> None:
    assert list(make_finder(added)(text)) == leftmost_longest(added, text)
    many = added | {f"<unused{number}>" for number in range(100)}
    assert list(make_finder(many)(text)) == leftmost_longest(many, text)


def test_a_vocabulary_of_thousands_is_searched_in_reasonable_time() -> None:
    text = "<unused" * 100_000
    assert list(make_finder(list_added_tokens("gemma3"))(text)) == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("qwen3", ["<think>", "</think>", "<tool_call>", "</tool_response>", "<|fim_middle|>"]),
        ("deepseek_v3", ["<｜User｜>", "<｜Assistant｜>", "<｜tool▁outputs▁end｜>"]),
        ("gemma3", ["<table>", "</h1>", "<unused6241>", "\n" * 31, "\t" * 31, "▁" * 31, "[multimodal]", "<mask>"]),
        ("gemma2", ["<table>", "<unused98>", "\n" * 31, "[@BOS@]"]),
    ],
)
def test_words_that_a_model_adds_are_one_token_each(name: str, words) -> None:
    count = load_tokenizer(VOCABULARIES[name])
    assert [count(word) for word in words] == [1] * len(words)
    assert count("".join(words)) == len(words)


@pytest.mark.parametrize("name", VOCABULARIES)
def test_special_tokens_are_never_among_them(name) -> None:
    special = re.compile(r"<\|im_|<\|end|<bos>|<eos>|<start_of|<end_of|<\|vision|<｜end|<pad>|<unk>")
    assert not any(special.match(token) for token in list_added_tokens(VOCABULARIES[name].ranks))
