from ctxkit.core.lint.similarity.word_weights import compute_weights


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    weights = compute_weights([frozenset(("a", "b")), frozenset(("a", "c")), frozenset(("a", "b"))])
    assert weights["c"] > weights["b"] > weights["a"] > 0
