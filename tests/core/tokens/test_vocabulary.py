from unicodedata import normalize

import pytest

from ctxkit.core.tokens.features import WEIGHTS
from ctxkit.core.tokens.vocabulary import (
    ALIASES,
    BYTES_OVER_3,
    NFC_GROWTH,
    VOCABULARIES,
    find_vocabulary,
    is_rate,
    rate_tokenizer,
    substitute_estimate,
    vocabulary_from_file,
)


@pytest.mark.parametrize("vocabulary", [*VOCABULARIES.values(), vocabulary_from_file("my.gguf")], ids=[*VOCABULARIES, "file"])
def test_an_estimate_stands_in_for_any_vocabulary(vocabulary) -> None:
    other = substitute_estimate(vocabulary)
    assert (other.name, other.exact, other.ranks, other.file) == (vocabulary.name, False, "", "")
    assert other.weights in WEIGHTS or other is vocabulary is BYTES_OVER_3
    assert other.growth >= 1
    assert substitute_estimate(other) is other


@pytest.mark.slow
def test_no_character_grows_more_under_nfc_than_the_bound_allows() -> None:
    growth = 0.0
    for code in range(0x110000):
        if not 0xD800 <= code <= 0xDFFF:
            text = chr(code)
            growth = max(growth, len(normalize("NFC", text).encode()) / len(text.encode()))
    assert growth <= NFC_GROWTH


def test_a_file_is_an_exact_vocabulary_of_which_nothing_else_is_known() -> None:
    found = vocabulary_from_file("tokenizer.json")
    assert (found.name, found.file, found.exact, found.growth, found.cuts) == ("tokenizer.json",) * 2 + (True, 0, False)


@pytest.mark.parametrize("name", ["bytes/0", "bytes/0.5", "bytes/100", "chars/", "chars/-4", "chars/4/4", "chars/1e1", "tokens/3", "chars/²", "bytes"])
def test_other_names_are_no_rates(name) -> None:
    assert not is_rate(name)
    with pytest.raises(KeyError):
        find_vocabulary(name)


@pytest.mark.parametrize(("name", "tokens"), [("bytes/3", 5), ("bytes/4", 4), ("chars/4", 3), ("chars/3.5", 4), ("chars/1", 12)])
def test_a_rate_divides_and_rounds_up(name, tokens) -> None:
    assert find_vocabulary(name).count_by_rate(15, 12) == tokens
    assert rate_tokenizer(find_vocabulary(name))("é" * 3 + "x" * 9) == tokens
    assert not find_vocabulary(name).exact


@pytest.mark.parametrize("vocabulary", VOCABULARIES.values(), ids=list(VOCABULARIES))
def test_an_exact_vocabulary_has_no_factor_and_an_estimate_has_a_high_end(vocabulary) -> None:
    assert VOCABULARIES[vocabulary.name] is vocabulary
    assert vocabulary.low <= 1 <= vocabulary.high
    assert bool(vocabulary.ranks) == vocabulary.exact
    assert bool(vocabulary.rate) == (not vocabulary.exact and not vocabulary.weights)
    if vocabulary.exact:
        assert (vocabulary.factor, vocabulary.low, vocabulary.high) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("vocabulary", VOCABULARIES.values(), ids=list(VOCABULARIES))
def test_what_counts_with_sentencepiece_ranks_has_no_safe_cuts(vocabulary) -> None:
    if vocabulary.ranks in ("gemma2", "gemma3", "llama2", "mistral_v1"):
        assert not vocabulary.cuts
        assert vocabulary.prefix == 1


@pytest.mark.parametrize("name", ["p50k", "r50k"])
def test_what_splits_as_gpt2_did_has_no_safe_cuts(name: str) -> None:
    assert not VOCABULARIES[name].cuts


@pytest.mark.parametrize("alias", ALIASES)
def test_an_alias_names_a_vocabulary_and_is_none(alias) -> None:
    assert ALIASES[alias] in VOCABULARIES
    assert alias not in VOCABULARIES


def test_a_vocabulary_is_found_by_its_name_and_by_the_names_others_use() -> None:
    assert find_vocabulary("qwen3").nfc
    assert find_vocabulary("o200k_base") is find_vocabulary("o200k_harmony") is find_vocabulary("o200k")
    assert find_vocabulary("cl100k_base") is find_vocabulary("cl100k")
    assert find_vocabulary("gpt2") is find_vocabulary("r50k_base") is find_vocabulary("r50k")
    assert find_vocabulary("p50k_edit") is find_vocabulary("p50k_base") is find_vocabulary("p50k")


def test_an_unknown_name_raises_key_error() -> None:
    with pytest.raises(KeyError):
        find_vocabulary("nothing")
