from unicodedata import normalize

import pytest

from ctxkit.core.vocabulary import NFC_GROWTH, VOCABULARIES, vocabulary_of


def test_a_vocabulary_is_found_by_its_name_and_by_the_names_others_use():
    assert vocabulary_of("qwen3").nfc
    assert vocabulary_of("o200k_base") is vocabulary_of("o200k_harmony") is vocabulary_of("o200k")
    assert vocabulary_of("cl100k_base") is vocabulary_of("cl100k")


def test_an_unknown_name_raises_key_error():
    with pytest.raises(KeyError):
        vocabulary_of("nothing")


@pytest.mark.parametrize("vocabulary", VOCABULARIES.values(), ids=list(VOCABULARIES))
def test_an_exact_vocabulary_has_no_factor_and_an_estimate_has_a_high_end(vocabulary):
    assert VOCABULARIES[vocabulary.name] is vocabulary
    assert vocabulary.high >= vocabulary.factor
    if vocabulary.exact:
        assert (vocabulary.factor, vocabulary.high) == (1.0, 1.0)
        assert vocabulary.ranks


@pytest.mark.parametrize("vocabulary", VOCABULARIES.values(), ids=list(VOCABULARIES))
def test_what_counts_with_sentencepiece_ranks_has_no_safe_cuts(vocabulary):
    if vocabulary.ranks in ("gemma2", "gemma3", "llama2", "mistral_v1"):
        assert not vocabulary.cuts
        assert vocabulary.prefix == 1


def test_no_character_grows_more_under_nfc_than_the_bound_allows():
    growth = 0.0
    for code in range(0x110000):
        if not 0xD800 <= code <= 0xDFFF:
            text = chr(code)
            growth = max(growth, len(normalize("NFC", text).encode()) / len(text.encode()))
    assert growth <= NFC_GROWTH
