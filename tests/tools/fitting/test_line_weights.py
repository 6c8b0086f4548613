from itertools import pairwise
from math import log

import pytest

from bench.brief.facts import Fact, FreshCase
from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.line_choice import list_candidates
from ctxkit.core.brief.generic.line_rating import WEIGHTS
from ctxkit.core.text.lines import lines_from_bytes
from tools.fitting.line_weights import (
    CONTEXT_NAMES,
    MAX_LINES,
    Example,
    add_context,
    check,
    fit,
    make_example,
    measure_scales,
    predict,
)

NAMES = list(WEIGHTS)


def example(name: str) -> Example:
    """Return an output of four lines: the second states the fact, has the first trait, and lacks the second one."""
    return Example(name, [[(1, 1.0)], [(0, 1.0)], [(1, 1.0)], []], [[1]], [1, 2, 1, 3])


def test_the_probabilities_of_lines_are_their_share_of_the_exponentials() -> None:
    shares = predict(example("a"), [log(2.0), 0.0])
    assert shares == pytest.approx([0.2, 0.4, 0.2, 0.2])


def test_the_context_of_lines_follows_their_traits() -> None:
    rows = add_context(example("a"), [2.0, 1.0]).rows
    columns = {name: 2 + place for place, name in enumerate(CONTEXT_NAMES)}
    assert rows[1] == [(0, 1.0), (columns["best score near"], -1.0)]
    assert dict(rows[3])[columns["score"]] == -2.0


def test_scales_are_standard_deviations_over_all_lines() -> None:
    assert measure_scales([example("a")], 2) == pytest.approx([(1 / 4 - 1 / 16) ** 0.5, 0.5])


def test_the_fit_prefers_the_trait_of_lines_that_state_facts() -> None:
    weights = fit([example(str(number)) for number in range(20)], 2)
    assert weights[0] > 0.5
    assert weights[1] < -0.1


def test_the_fit_is_where_the_loss_is_least() -> None:
    examples = [example(str(number)) for number in range(20)]
    scales = measure_scales(examples, 2)
    best = fit(examples, 2)

    def measure_loss(weights: list[float]) -> float:
        penalty = sum((weight * scale) ** 2 for weight, scale in zip(weights, scales, strict=True)) * 10
        return penalty - sum(log(predict(each, weights)[1]) for each in examples)

    for column in range(2):
        steps = [[weight + (step if place == column else 0) for place, weight in enumerate(best)] for step in (-0.1, 0, 0.1)]
        left, least, right = map(measure_loss, steps)
        assert least < min(left, right)


def test_facts_are_found_on_their_lines_and_near_places_to_read_on() -> None:
    facts = (
        Fact("what failed", r"cannot \w+", 2, None),
        Fact("where the list is", None, 5, "^List"),
        Fact("nowhere", "absent", None, None),
    )
    case = FreshCase("x", b"begin\nerror: cannot open\n\nList of all\n- a\n- b\n", facts)
    item = make_example(case, NAMES)
    assert len(item.rows) == 5  # the blank line is none
    assert item.facts == [[1], [2]]
    assert len(item.shapes) == 5
    assert (NAMES.index("error"), 1.0) in item.rows[1]


def test_candidates_compete_with_the_lines_that_state_facts() -> None:
    rows = [f"row {number}" for number in range(2 * MAX_LINES)]
    place = next(number for number in range(1_000, 1_100) if number not in _list_competitors(rows))
    case = FreshCase("x", "\n".join(rows).encode(), (Fact("where", rf"row {place - 1}\Z", place, None),))
    item = make_example(case, NAMES)
    assert len(item.rows) == len(_list_competitors(rows)) + 1
    assert item.facts == [[sum(number < place for number in _list_competitors(rows))]]


def _list_competitors(rows: list[str]) -> list[int]:
    return list_candidates(LineForms(lines_from_bytes("\n".join(rows).encode())), MAX_LINES)


def test_the_check_measures_models_of_the_other_outputs() -> None:
    lines = list(check([example(str(number)) for number in range(12)], 2))
    assert lines[0].endswith("of 12 facts")
    shares = [float(line.rpartition(" ")[2]) for line in lines[1:]]
    assert shares == [1.0, 1.0, 1.0]
    assert all(before <= after for before, after in pairwise(shares))
