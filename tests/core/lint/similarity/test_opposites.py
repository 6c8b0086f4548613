"""Opposites have each other."""

import pytest

from ctxkit.core.lint.similarity.opposites import CONTRARY, POLES


@pytest.mark.parametrize("table", [CONTRARY, POLES])
def test_opposites_are_mutual(table) -> None:
    assert all(word in table[other] for word, others in table.items() for other in others)
