from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.generic.line_context import LEAST, NEAR, measure_context


def test_lines_are_compared_with_the_best_of_all_of_their_shape_and_near_them() -> None:
    first, second, third = measure_context([1.0, 3.0, 2.0], [7, 8, 7])
    assert second == {
        "score": 0.0,
        "score rank": 0.0,
        "rank in shape": 0.0,
        "below best of shape": 0.0,
        "best score near": -1.0,
        "rank near": 0.0,
    }
    assert first["score"] == -2.0
    assert first["score rank"] == pytest.approx(log2(3))
    assert (first["rank in shape"], first["below best of shape"]) == (1.0, -1.0)
    assert (third["rank in shape"], third["below best of shape"]) == (0.0, 0.0)
    assert first["best score near"] == 0.0
    assert first["rank near"] == pytest.approx(log2(3))


def test_lines_far_away_are_not_near() -> None:
    scores = [5.0, *[0.0] * (NEAR + 1)]
    contexts = measure_context(scores, [1] * len(scores))
    assert contexts[NEAR]["best score near"] == 0.0
    assert contexts[NEAR + 1]["best score near"] == -5.0


def test_a_single_line_has_no_other_near_and_no_lines_have_no_traits() -> None:
    assert measure_context([4.0], [1])[0]["best score near"] == LEAST
    assert measure_context([], []) == []


@given(st.lists(st.tuples(st.integers(-9, 9).map(float), st.integers(1, 3)), max_size=60))
def test_ranks_are_a_permutation_in_the_order_of_the_scores(lines: list[tuple[float, int]]) -> None:
    contexts = measure_context([score for score, _ in lines], [shape for _, shape in lines])
    ranks = [round(2 ** context["score rank"]) - 1 for context in contexts]
    assert sorted(ranks) == list(range(len(lines)))
    by_rank = sorted(range(len(lines)), key=ranks.__getitem__)
    assert [lines[place][0] for place in by_rank] == sorted((score for score, _ in lines), reverse=True)
