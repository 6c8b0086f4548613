"""Words of one meaning have one form; opposites have each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.lint.similarity.vocabulary import CONTRARY, POLES, canonical_form, polar_form, stem, strip_filler


@pytest.mark.parametrize(
    "words", [("commit", "commits", "committed", "committing"), ("test", "tests", "tested"), ("modify", "modified", "modifies")]
)
def test_the_forms_of_a_word_have_one_stem(words) -> None:
    assert len({stem(word) for word in words}) == 1


@pytest.mark.parametrize("words", [("use", "utilize", "employ"), ("delete", "removes", "erase"), ("check", "verify", "validate")])
def test_synonyms_have_one_form(words) -> None:
    assert len({canonical_form(word) for word in words}) == 1


def test_a_stop_word_has_no_form_but_a_pole() -> None:
    assert canonical_form("the") == ""
    assert polar_form("the") == "the"


@given(st.text(max_size=12))
def test_any_text_has_a_stem_that_is_not_longer(word: str) -> None:
    assert len(stem(word)) <= len(word) + 1
    assert isinstance(canonical_form(word), str)


def test_a_text_of_filler_alone_stays() -> None:
    assert strip_filler("") == ""
    assert strip_filler("run the tests") == "run the tests"


@pytest.mark.parametrize("table", [CONTRARY, POLES])
def test_opposites_are_mutual(table) -> None:
    assert all(word in table[other] for word, others in table.items() for other in others)
