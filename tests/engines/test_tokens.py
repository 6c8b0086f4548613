import operator
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from unicodedata import category, normalize

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from splintr import Tokenizer

from ctxkit.core.errors import MissingDependencyError
from ctxkit.core.tokens import table_counter
from ctxkit.core.tokens.table_counter import MAX_CHARACTERS, TableCounter
from ctxkit.core.tokens.vocabulary import VOCABULARIES, Vocabulary, find_vocabulary
from ctxkit.engines import vocabulary_tables
from ctxkit.engines.tokens import load_tokenizer, splintr, text_counter
from ctxkit.engines.tokens.text_counter import extend_counter
from tests.example_counts import count_examples

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


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", OF_SPLINTR)
def test_counts_are_those_of_the_engine_for_ordinary_text(name) -> None:
    vocabulary = find_vocabulary(name)
    for text in SAMPLES:
        expected = normalize("NFC", text) if vocabulary.nfc else text
        assert count_of(name)(text) == len(encode_of(vocabulary.ranks)(expected))


@settings(max_examples=count_examples(60), deadline=None)
@given(st.text(max_size=40))
@example("\U0001d160" * 5)
@example("e\u0301" * 9)
def test_qwen3_counts_what_nfc_makes_of_a_text(text: str) -> None:
    assume(not any(token in text for token in text_counter.list_added_tokens("qwen3")))
    assert count_of("qwen3")(text) == len(encode_of("qwen3")(normalize("NFC", text)))


@pytest.mark.parametrize("name", OF_SPLINTR)  # not the tokens too: each worker of a test run would load each vocabulary
def test_special_tokens_that_are_spelled_out_count_as_text(name) -> None:
    added, encode = text_counter.list_added_tokens(name), encode_of(find_vocabulary(name).ranks)
    for special in SPECIALS:
        text, count = f"before {special} after", count_of(name)(special * 50)
        if special in added:  # Gemma has <s> as a tag of HTML
            assert count == 50, special
        else:
            assert count_of(name)(text) == len(encode(text)), special
            assert count > 50, special


def test_the_end_of_text_counts_as_the_characters_it_is() -> None:
    assert count_of("o200k")("<|endoftext|>") > 1
    assert count_of("qwen3")("<|im_start|>") > 1


@settings(max_examples=count_examples(60))
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


@pytest.fixture(scope="module")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A directory for compiled tables."""
    return str(tmp_path_factory.mktemp("cache"))


@cache
def open_table(name: str, cache_dir: str):
    """The table of a vocabulary, from a file that the first call makes."""
    return vocabulary_tables.open_table(cache_dir, name) or vocabulary_tables.make_table(
        cache_dir, name, lambda: splintr.read_tokens(name)
    )


def batched(codes: Iterable[int], size: int) -> Iterator[tuple[int, ...]]:
    """The codes in tuples of at most a size (itertools.batched of Python 3.12)."""
    left = iter(codes)
    while batch := tuple(islice(left, size)):
        yield batch


def make_table_counter(name: str, cache_dir: str):
    """A counter that has only a table."""
    vocabulary = find_vocabulary(name)
    table = open_table(name, cache_dir)
    count = TableCounter(table_counter.make_splitter(name), lambda: table, lambda: pytest.fail("the library is loaded"))
    return extend_counter(count, text_counter.list_added_tokens(name), nfc=vocabulary.nfc)


def replace_unknown(text: str) -> str:
    """A text without the characters for which the library is loaded."""
    return "".join("\ufffd" if category(letter) == "Cn" or letter == "\u017f" else letter for letter in text)


KNOWN = st.characters(exclude_categories=["Cn"], exclude_characters="\u017f")
PIECES = st.one_of(
    st.text(KNOWN, max_size=20),
    st.text("aAbZ'sSlLtT éÉ字のｱ한½²٣1 \n\r\t\u3000\u0301/.=_-", max_size=30),
    st.builds(operator.mul, st.sampled_from("a =字\n\t1é/-_"), st.integers(1, 60)),
    st.sampled_from((*SPECIALS, "<think>", "<｜User｜>", "'LL", "camelCase", "https://a.b/c", "\r\n", "\x1c\x85\x1f")),
    st.binary(max_size=30).map(lambda data: replace_unknown(data.decode("utf-8", "replace"))),
)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", table_counter.PATTERNS)
@given(pieces=st.lists(PIECES, max_size=8))
def test_a_table_counts_what_the_library_counts(name: str, cache_dir: str, pieces: list[str]) -> None:
    text = "".join(pieces)
    assert make_table_counter(name, cache_dir)(text) == count_of(name)(text)


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("name", table_counter.PATTERNS)
def test_a_table_counts_files_as_the_library_does(name: str, cache_dir: str) -> None:
    for path in sorted((Path(__file__).parents[1] / "cases").rglob("input*")):
        text = path.read_bytes()[:20_000].decode("utf-8", "replace") if path.is_file() else ""
        assert make_table_counter(name, cache_dir)(text) == count_of(name)(text), path


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cl100k", "deepseek_v3", "mistral_v3", "o200k", "qwen3"])
def test_a_table_counts_every_assigned_character_as_the_library_does(name: str, cache_dir: str) -> None:
    codes = (code for code in range(0x80, 0x110000) if category(chr(code)) not in ("Cn", "Cs", "Co") and code != 0x17F)
    for block in batched(codes, 64):
        text = "".join(f"a{c}b {c}1{c}{c}.{c}\n{c}A{c}'s {c} '{c}" for c in map(chr, block))
        assert make_table_counter(name, cache_dir)(text) == count_of(name)(text), block


def test_a_table_counts_surrogates_as_the_library_does(cache_dir: str) -> None:
    for text in ("a \ud800 b", "\ud83d\ude42", "\udfff\ud800"):
        assert make_table_counter("o200k", cache_dir)(text) == count_of("o200k")(text)


@pytest.mark.parametrize("name", ["qwen3", "cl100k"])
def test_the_second_process_loads_no_encoder(name: str, cache_dir: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = SAMPLES[1] * 9
    expected = count_of(name)(text)
    monkeypatch.setattr(splintr, "_loaded", {})
    assert load_tokenizer(find_vocabulary(name), cache_dir)(text) == expected
    monkeypatch.setattr(splintr, "_loaded", {})
    monkeypatch.setattr(splintr, "load_encoder", None)
    assert load_tokenizer(find_vocabulary(name), cache_dir)(text) == expected
    assert not splintr.has_encoder(name)


def test_without_a_place_for_tables_the_library_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splintr, "_loaded", {})
    (tmp_path / "file").write_text("")
    assert load_tokenizer(find_vocabulary("phi4"), str(tmp_path / "file"))("hello world") == 2
    assert splintr.has_encoder("phi4")


def test_long_texts_make_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splintr, "_loaded", {})
    text = "a word\n" * MAX_CHARACTERS
    assert load_tokenizer(find_vocabulary("phi4"), str(tmp_path))(text) == count_of("phi4")(text)
    assert list(tmp_path.iterdir()) == []


def test_a_vocabulary_without_a_table_is_counted_by_the_library(tmp_path: Path) -> None:
    assert load_tokenizer(find_vocabulary("gemma3"), str(tmp_path))("hello world") == count_of("gemma3")("hello world")
    assert list(tmp_path.iterdir()) == []


WITHOUT_SPLINTR = """
import sys
sys.modules["splintr"] = None
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.engines.tokens import load_tokenizer
from ctxkit.core.errors import MissingDependencyError
print(load_tokenizer(find_vocabulary("claude"))("hello world, 1234"))
print(load_tokenizer(find_vocabulary("gpt2"))("hello world, 1234"))
for name in ("o200k", "qwen3"):
    try:
        load_tokenizer(find_vocabulary(name))
    except MissingDependencyError as error:
        print(name, int(error.status), error)
"""


@pytest.mark.slow
def test_without_splintr_estimates_and_tiktoken_go_on() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_SPLINTR], capture_output=True, text=True)
    assert done.stderr == ""
    estimate, exact, *errors = done.stdout.splitlines()
    assert (estimate, exact) == ("6", "5")
    assert [line.split(" cannot be loaded")[0] for line in errors] == [f"{name} 69 splintr-rs" for name in ("o200k", "qwen3")]


@pytest.mark.parametrize("name", ["qwen3", "o200k", "gemma3"])
def test_long_runs_are_counted_in_reasonable_time(name: str) -> None:
    for text in ("a" * 100_000, "\n" * 100_000, " " * 100_000, "字" * 30_000):
        assert 0 < count_of(name)(text) <= len(text.encode())
