"""The work is bounded, and more statements allow more of it."""

from ctxkit.core.lint.similarity.comparison_budget import (
    COMPARISONS_PER_STATEMENT,
    MAX_COMPARISONS,
    MAX_LOOKUPS,
    Effort,
)


def count_comparisons(statements, text=""):
    effort = Effort(statements)
    allowed = 0
    while effort.allow_comparison(text, text):
        allowed += 1
    assert effort.exhausted
    return allowed


def test_lookups_end_at_their_limit() -> None:
    effort = Effort(0)
    assert effort.allow_lookups(MAX_LOOKUPS)
    assert not effort.exhausted
    assert not effort.allow_lookups(1)
    assert not effort.allow_lookups(0)


def test_comparisons_end_at_their_limit() -> None:
    assert count_comparisons(0) == MAX_COMPARISONS
    assert count_comparisons(8_000) == MAX_COMPARISONS + 8_000 * COMPARISONS_PER_STATEMENT


def test_long_statements_use_more_of_the_limit() -> None:
    assert count_comparisons(0, "word " * 1_000) < MAX_COMPARISONS / 5
