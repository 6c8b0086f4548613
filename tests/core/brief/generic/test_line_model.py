import pytest

from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.headings import DEEPEST, find_headings
from ctxkit.core.brief.generic.line_context import measure_context
from ctxkit.core.brief.generic.line_model import CONTEXT_WEIGHTS, WEIGHTS, score_line
from ctxkit.core.brief.generic.line_traits import LineTraits
from ctxkit.core.text.lines import lines_from_bytes


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
