"""What the fitted model says of two statements."""

from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.similarity.pair_model import (
    INTERCEPT,
    WEIGHTS,
    PairProperties,
    estimate_probability,
    measure_pair,
)
from ctxkit.core.lint.similarity.statement_traits import extract_traits

NOTHING = PairProperties(*[0.0] * len(WEIGHTS))


def measure(first: Unit, second: Unit) -> PairProperties:
    traits = extract_traits(first), extract_traits(second)
    return measure_pair((first, second), traits, (first.normal, second.normal), lambda word: 2.0)


def bullets(*statements: str, path: str = "A.md") -> list[Unit]:
    lines = "".join(f"- {statement}\n" for statement in statements)
    return [unit for unit in parse_document(path, lines.encode()).units if unit.kind == "bullet"]


def test_nothing_in_common_leaves_the_intercept() -> None:
    assert estimate_probability(NOTHING) == pytest.approx(1 / (1 + exp(-INTERCEPT)))


def test_what_is_in_common_and_what_is_missing_is_counted() -> None:
    first, second = bullets("Archive finished reports", "Archive finished reports after every monthly audit")
    properties = measure(first, second)
    assert properties.coverage == 1.0  # the second has all words of the first
    assert properties.heaviest_missing == 0.0
    assert properties.shared_weight == 3 * 2.0 / 40
    assert properties.plain_words == 3 / 8
    assert properties.is_same_section
    assert not properties.has_different_numbers


def test_the_rarest_missing_word_is_of_the_statement_that_lacks_less() -> None:
    properties = measure(*bullets("Archive finished reports daily", "Archive finished reports after the monthly audit"))
    assert properties.coverage == 6.0 / 8.0
    assert properties.heaviest_missing == 2.0 / 8


def test_names_and_numbers_that_differ_are_seen() -> None:
    properties = measure(*bullets("Open `src/alpha.py` on port 8080", "Open `src/beta.py` on port 9090"))
    assert properties.has_different_names
    assert properties.has_different_numbers
    assert properties.missing_names == 1.0
    assert not properties.has_shared_name
    assert measure(*bullets("Open `src/alpha.py` first", "Never delete `src/alpha.py`")).has_shared_name


def test_another_file_is_as_far_as_a_thousand_lines() -> None:
    first, second = bullets("Archive finished reports")[0], bullets("Archive finished reports", path="B.md")[0]
    assert measure(first, second).distance == 1.0
    assert measure(first, first._replace(line=first.line + 999)).distance == pytest.approx(1.0)
    assert measure(first, first).distance == 0.0


def test_differences_make_duplicates_less_probable() -> None:
    same = measure(*bullets("Archive finished reports daily", "Daily, archive all finished reports"))
    for name in ("has_different_numbers", "has_different_names", "is_same_label", "has_numbered_titles"):
        assert estimate_probability(same._replace(**{name: 1.0})) < estimate_probability(same)


words = st.lists(st.sampled_from(["deploy", "never", "80", "`src/a.py`", "tests", "Review:", "the", "Kim"]), min_size=1)


@given(words, words)
def test_properties_stay_in_range_and_do_not_depend_on_the_order(first: list[str], second: list[str]) -> None:
    units = [*bullets(" ".join(first)), *bullets(" ".join(second), path="B.md")]
    if len(units) == 2:
        properties = measure(units[0], units[1])
        assert all(0 <= value <= 1 for value in properties)
        assert 0 < estimate_probability(properties) < 1
        turned = measure(units[1], units[0])
        assert turned.coverage == pytest.approx(properties.coverage)
        assert turned.shared_weight == pytest.approx(properties.shared_weight)
