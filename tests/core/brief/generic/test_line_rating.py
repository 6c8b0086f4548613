from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.headings import DEEPEST, find_headings
from ctxkit.core.brief.generic.line_rating import (
    CONTEXT_WEIGHTS,
    LEAST,
    NEAR,
    WEIGHTS,
    measure_context,
    rate_lines,
    score_line,
)
from ctxkit.core.brief.generic.line_traits import LineTraits
from ctxkit.core.text.lines import lines_from_bytes


def rate(rows: list[str]) -> dict[int, float]:
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    numbers = [number for number in range(1, forms.total + 1) if forms.form_of(number)]
    return rate_lines(forms, numbers, find_headings(forms, DEEPEST))


def test_an_error_between_equal_lines_is_likelier_than_any_of_them() -> None:
    rows = [f"copy file {number}" for number in range(200)]
    rows[120] = "error: cannot open data/a.db: no such file"
    rates = rate(rows)
    assert max(rates, key=rates.__getitem__) == 121


def test_no_lines_have_no_rates() -> None:
    assert rate(["", ""]) == {}


@given(st.lists(st.text(alphabet="ab1 :=-\t\x1b[m", max_size=12), min_size=1, max_size=40))
def test_every_line_has_a_positive_rate_that_does_not_change(rows: list[str]) -> None:
    rates = rate(rows)
    assert all(value > 0 for value in rates.values())
    assert rate(rows) == rates


def test_the_score_is_the_weighted_sum() -> None:
    assert score_line({}, WEIGHTS) == 0.0
    names = list(WEIGHTS)[:2]
    expected = 2 * WEIGHTS[names[0]] + WEIGHTS[names[1]] / 2
    assert score_line({names[0]: 2.0, names[1]: 0.5}, WEIGHTS) == pytest.approx(expected)


def test_every_weight_is_of_a_trait_that_lines_have() -> None:
    text = (
        "Title\n=====\n\n  a -> b  c  d = 'x' src/a.py:12 http://x 3f9a2c81 2024-01-02 40 ms 3 % 12 files\n[tag] passed\n"
        "error: not deprecated {\nwarning: took long\nthe thing was not found\n3 errors:\nFiles:\n  return X.YYY\n"
        "a -> b\nname = 1\n  - 1  2  3\nused 3 % of 12 files\n"
        "row ok 1.5\nrow ok 2.5\nrow ok 4.5\nrow bad 3.5\n"
    )
    forms = LineForms(lines_from_bytes(text.encode()))
    numbers = [number for number in range(1, forms.total + 1) if forms.form_of(number)]
    traits = LineTraits(forms, numbers, find_headings(forms, DEEPEST))
    seen = {name for number in numbers for name in traits.measure(number)}
    assert seen == set(WEIGHTS)
    assert seen.union(measure_context([1.0, 0.0], [1, 1])[0]) == set(CONTEXT_WEIGHTS)


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
