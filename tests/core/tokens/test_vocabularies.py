import pytest

from ctxkit.core.tokens.vocabularies import ALIASES, VOCABULARIES, find_vocabulary


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
