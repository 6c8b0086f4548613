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


def measure(first: Unit, second: Unit, conflict: str = "") -> PairProperties:
    traits = extract_traits(first), extract_traits(second)
    return measure_pair((first, second), traits, (first.normal, second.normal), conflict, lambda word: 2.0)


def read_bullets(text: str) -> list[Unit]:
    return [unit for unit in parse_document("A.md", text.encode()).units if unit.kind == "bullet"]


def bullets(*statements: str, path: str = "A.md") -> list[Unit]:
    lines = "".join(f"- {statement}\n" for statement in statements)
    return [unit for unit in parse_document(path, lines.encode()).units if unit.kind == "bullet"]


def test_nothing_in_common_leaves_the_intercept() -> None:
    assert estimate_probability(NOTHING) == pytest.approx(1 / (1 + exp(-INTERCEPT)))


def test_what_is_in_common_and_what_is_missing_is_counted() -> None:
    first, second = bullets("Archive finished reports", "Archive finished reports after every monthly audit")
    properties = measure(first, second)
    assert properties.coverage == 1.0  # the second has all words of the first
    assert properties.missing_weight == 0.0
    assert properties.trigram_coverage == 1.0
    assert properties.trigram_similarity == 2 * 24 / (24 + 50)  # a text has as many triples as characters
    assert properties.plain_words == 3 / 8
    assert properties.title_overlap == 1.0
    assert properties.is_same_list
    assert not properties.has_new_number


def test_the_missing_words_are_those_of_the_statement_that_has_less_of_its_own() -> None:
    properties = measure(*bullets("Archive finished reports daily", "Archive finished reports after the monthly audit"))
    assert properties.coverage == 6.0 / 8.0
    assert properties.missing_weight == 2.0 / 20


def test_names_and_numbers_that_differ_are_seen() -> None:
    properties = measure(*bullets("Open `src/alpha.py` on port 8080", "Open `src/beta.py` on port 9090"))
    assert properties.has_different_names
    assert properties.has_new_number
    assert properties.missing_names == 1.0
    assert not measure(*bullets("Open `src/alpha.py` first", "Never delete `src/alpha.py`")).has_different_names


def test_a_number_counts_only_in_the_statement_that_says_less() -> None:
    assert not measure(*bullets("Keep all logs", "Keep all logs of the gateway for 30 days")).has_new_number
    assert measure(*bullets("Keep all logs for 30 days", "Keep all old logs of the gateway")).has_new_number


def test_a_conflict_counts_unless_it_is_a_negation() -> None:
    first, second = bullets("Archive finished reports", "Archive finished audits")
    assert [measure(first, second, conflict).has_conflict for conflict in ("", "negation", "name", "number")] == [
        0,
        0,
        1,
        1,
    ]


@pytest.mark.parametrize(
    ("titles", "overlap", "is_numbered", "is_dated"),
    [
        (("Reports", "Reports"), 1.0, False, False),
        (("Old reports", "New reports"), 1 / 3, False, False),
        (("Sweep 3", "Sweep 5"), 1 / 3, True, False),
        (("2026-01-28 (7:30 PM)", "2026-01-29 (7:30 PM)"), 2 / 4, False, True),
        (("5:45 PM check", "Summary of the day"), 0.0, False, False),
    ],
)
def test_the_titles_above_two_statements(
    titles: tuple[str, str], overlap: float, is_numbered: bool, is_dated: bool
) -> None:
    lines = "".join(f"## {title}\n\n- Archive finished reports\n\n" for title in titles)
    properties = measure(*read_bullets(f"# Guide\n\n{lines}"))
    assert properties.title_overlap == pytest.approx(overlap)
    assert properties.has_numbered_titles == is_numbered
    assert properties.has_dated_titles == is_dated


def test_a_question_and_a_statement() -> None:
    assert measure(*bullets("Are all reports archived?", "All reports are archived")).is_question
    assert not measure(*bullets("Are all reports archived?", "Are reports archived?")).is_question


def test_differences_make_duplicates_less_probable() -> None:
    same = measure(*bullets("Archive finished reports daily", "Daily, archive all finished reports"))
    same = same._replace(is_same_list=0.0)
    for name in ("has_new_number", "has_different_names", "has_conflict", "is_same_label", "has_dated_titles"):
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
        assert turned.title_overlap == pytest.approx(properties.title_overlap)
        assert turned.trigram_similarity == pytest.approx(properties.trigram_similarity)
