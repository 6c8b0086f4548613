import re
from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxkit.core.tokens.vocabulary import VOCABULARIES
from ctxkit.engines.tokens import load_tokenizer
from ctxkit.engines.tokens.text_counter import list_added_tokens, make_counter, make_finder


class Panic(BaseException):
    """Stands for pyo3's, which no test could import."""


def strict(text):
    return text.encode("utf-8")


def test_lone_surrogates_are_what_cannot_be_decoded_and_pairs_are_joined() -> None:
    count = make_counter(strict)
    assert count("\ud800") == len("\ufffd".encode())
    assert count("\ud83d\ude42") == len("🙂".encode())
    assert count("a\udfff\ud800b") == 2 + 6


def test_a_panic_becomes_an_error_that_can_be_handled() -> None:
    def panics(text):
        raise Panic("the stack is full")

    with pytest.raises(RuntimeError, match="the stack is full"):
        make_counter(panics)("a")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_who_interrupts_is_obeyed(stop) -> None:
    def stopped(text):
        raise stop

    with pytest.raises(stop):
        make_counter(stopped)("a")


def test_what_stands_between_added_tokens_is_normalized_by_itself() -> None:
    count = make_counter(strict, {"<x>"}, nfc=True)
    assert count("e<x>\u0301") == 1 + 1 + 2
    assert count("e\u0301<x>") == len(normalize("NFC", "e\u0301").encode()) + 1
    assert count("<x><x>") == 2
    assert count("") == 0


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
