import subprocess
import sys
from functools import cache
from unicodedata import normalize

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from splintr import Tokenizer

from ctxkit.core.errors import MissingDependencyError
from ctxkit.core.tokens.vocabulary import VOCABULARIES, Vocabulary, find_vocabulary
from ctxkit.engines.tokens import added_tokens, load_tokenizer

NAMES = {"o200k": "o200k_base", "cl100k": "cl100k_base"}
EXACT = [vocabulary.name for vocabulary in VOCABULARIES.values() if vocabulary.exact]
OF_SPLINTR = [name for name in EXACT if name not in ("p50k", "r50k")]
SAMPLES = [
    "",
    "hello world",
    "fn main() {}\n",
    "漢字かな交じり文",
    "\U0001d160 \u0958 e\u0301",
    "a" * 500,
    " " * 300,
    "\x00\x1b[0m\ufeff",
]
SPECIALS = ["<|endoftext|>", "<|im_start|>", "<s>", "</s>", "<bos>", "[INST]", "<|eot_id|>"]

count_of = cache(lambda name: load_tokenizer(find_vocabulary(name)))
encode_of = cache(lambda ranks: Tokenizer.from_pretrained(NAMES.get(ranks, ranks)).encode_ordinary)


@pytest.mark.parametrize("name", OF_SPLINTR)
def test_counts_are_those_of_the_engine_for_ordinary_text(name) -> None:
    vocabulary = find_vocabulary(name)
    for text in SAMPLES:
        expected = normalize("NFC", text) if vocabulary.nfc else text
        assert count_of(name)(text) == len(encode_of(vocabulary.ranks)(expected))


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40))
@example("\U0001d160" * 5)
@example("e\u0301" * 9)
def test_qwen3_counts_what_nfc_makes_of_a_text(text: str) -> None:
    assume(not any(token in text for token in added_tokens.list_added_tokens("qwen3")))
    assert count_of("qwen3")(text) == len(encode_of("qwen3")(normalize("NFC", text)))


@pytest.mark.parametrize("name", OF_SPLINTR)
@pytest.mark.parametrize("special", SPECIALS)
def test_a_special_token_that_is_spelled_out_counts_as_text(name, special: str) -> None:
    if special in added_tokens.list_added_tokens(name):  # Gemma has <s> as a tag of HTML
        assert count_of(name)(special * 50) == 50
        return
    encode, text = encode_of(find_vocabulary(name).ranks), f"before {special} after"
    assert count_of(name)(text) == len(encode(text))
    assert count_of(name)(special * 50) > 50


def test_the_end_of_text_counts_as_the_characters_it_is() -> None:
    assert count_of("o200k")("<|endoftext|>") > 1
    assert count_of("qwen3")("<|im_start|>") > 1


@settings(max_examples=60)
@given(st.text(max_size=40))
def test_bytes_over_three_counts_bytes(text: str) -> None:
    assert count_of("bytes/3")(text) == -(-len(text.encode()) // 3)
    assert count_of("chars/4")(text) == -(-len(text) // 4)


@pytest.mark.parametrize("name", VOCABULARIES)
def test_every_vocabulary_loads_and_counts_nothing_as_next_to_nothing(name) -> None:
    assert count_of(name)("") <= find_vocabulary(name).prefix
    assert count_of(name)("one two three four") > 1


def test_an_unknown_vocabulary_is_an_engine_that_is_absent() -> None:
    with pytest.raises(MissingDependencyError, match="no vocabulary nothing"):
        load_tokenizer(Vocabulary("nothing", "nothing"))


@pytest.mark.parametrize("name", EXACT)
def test_a_lone_surrogate_is_counted_as_what_cannot_be_decoded(name) -> None:
    assert count_of(name)("a \ud800 b") == count_of(name)("a \ufffd b")


WITHOUT_SPLINTR = """
import sys
sys.modules["splintr"] = None
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.engines.tokens import load_tokenizer
from ctxkit.core.errors import MissingDependencyError
print(*(load_tokenizer(find_vocabulary(name))("hello world, 1234") for name in ("o200k", "cl100k", "gpt2", "claude")))
try:
    load_tokenizer(find_vocabulary("qwen3"))
except MissingDependencyError as trouble:
    print(trouble.hint, int(trouble.status))
"""


def test_without_splintr_tiktoken_goes_on_where_it_can() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_SPLINTR], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout == "6 6 5 6\npip install splintr-rs 69\n"


@pytest.mark.parametrize("name", ["qwen3", "o200k", "gemma3"])
def test_long_runs_are_counted_in_reasonable_time(name: str) -> None:
    for text in ("a" * 100_000, "\n" * 100_000, " " * 100_000, "字" * 30_000):
        assert 0 < count_of(name)(text) <= len(text.encode())
