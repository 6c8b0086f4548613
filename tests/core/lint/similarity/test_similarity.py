"""How alike two statements are, and what speaks against it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.similarity.similarity import compare_statements, dice, is_prefix_pair, jaccard
from ctxkit.core.lint.similarity.statement_traits import extract_traits

words = st.frozensets(st.sampled_from("abcdef"), min_size=1)
texts = st.text(st.sampled_from("abc "), min_size=1, max_size=20)


def compare(first, second):
    (one, two) = parse_document("A.md", f"- {first}\n\n# x\n\n- {second}\n".encode()).units[::2]
    return compare_statements(extract_traits(one), extract_traits(two), (one.normal, two.normal), lambda _: 1.0)


@given(words, words)
def test_shared_words_count_alike_from_both_sides(first, second) -> None:
    share = jaccard(first, second, lambda _: 1.0)
    assert 0 <= share == jaccard(second, first, lambda _: 1.0) <= 1
    assert jaccard(first, first, lambda _: 1.0) == 1


@given(texts, texts)
def test_shared_groups_of_letters_count_alike_from_both_sides(first, second) -> None:
    assert dice(first, second) == pytest.approx(dice(second, first))
    assert 0 <= dice(first, second) <= 1 + 1e-9
    assert dice(first, first) == pytest.approx(1)


def test_equal_statements_are_wholly_alike() -> None:
    assert compare("Run the linter before each commit", "Run the linter before each commit").score == pytest.approx(1)


def test_another_wording_is_no_conflict() -> None:
    similarity = compare("Verify that a failure is reproducible before reporting it", "Always verify a failure is reproducible before you report it")
    assert similarity.conflict == ""
    assert similarity.score > 0.7


def test_a_beginning_is_a_prefix_of_whole_words() -> None:
    assert is_prefix_pair("run make test now", "run make")
    assert not is_prefix_pair("run maker", "run make")
