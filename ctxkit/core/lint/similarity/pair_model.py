"""Estimate with a fitted model whether two statements say the same, where the rules for similar statements do not tell.

The model is a logistic regression on a few properties of a pair. ``python -m bench.lint.fitting`` computes its weights
from labelled pairs of public workspaces; it prints ``INTERCEPT`` and ``WEIGHTS``.
"""

from collections.abc import Set
from math import exp, log
from typing import NamedTuple

from ctxkit.core.lint.document.normal import normalize_text
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.similarity.containment import MIN_NAME_LENGTH
from ctxkit.core.lint.similarity.form_fields import has_numbered_titles, read_field_label
from ctxkit.core.lint.similarity.similarity import WordWeight, find_missing_names
from ctxkit.core.lint.similarity.statement_traits import Traits, canonical_of

MIN_PROBABILITY, SURE_PROBABILITY = 0.5, 0.85
"""Minimum probability of duplicates that the rules find, and of those that only the model finds.

Of 28 of the latter in workspaces that nothing was fitted on, 26 were right.
"""
MAX_SHARED_WEIGHT, MAX_PLAIN_WORDS, WORD_SCALE, FAR_LINES = 40.0, 8, 8.0, 1_000
"""Values at which a property stops to grow, or that scale it to about 1."""


class PairProperties(NamedTuple):
    """The properties of two statements that the model weighs, each from 0 to about 1.

    ``coverage`` is the weighted share of the words of one statement that the other has, for the statement of which more
    is covered; ``heaviest_missing`` is the weight of its rarest word that the other lacks. ``shared_weight`` and
    ``plain_words`` measure what both have: the weight of all words, and the number of words that are no names.
    """

    coverage: float
    shared_weight: float
    heaviest_missing: float
    has_shared_name: float
    missing_names: float
    has_different_names: float
    has_different_numbers: float
    is_same_section: float
    is_same_label: float
    has_numbered_titles: float
    has_intro: float
    distance: float
    plain_words: float


INTERCEPT = -3.02
WEIGHTS = PairProperties(
    coverage=2.56,
    shared_weight=1.78,
    heaviest_missing=-1.11,
    has_shared_name=0.81,
    missing_names=-0.94,
    has_different_names=-0.74,
    has_different_numbers=-2.10,
    is_same_section=-1.17,
    is_same_label=-1.36,
    has_numbered_titles=-2.08,
    has_intro=-1.14,
    distance=1.28,
    plain_words=1.55,
)
"""Weights by property, in units of log odds."""


def estimate_probability(properties: PairProperties) -> float:
    """Return the probability that two statements with these properties say the same."""
    odds = INTERCEPT + sum(weight * value for weight, value in zip(WEIGHTS, properties, strict=True))
    return 1 / (1 + exp(-odds))


def measure_pair(
    units: tuple[Unit, Unit], traits: tuple[Traits, Traits], texts: tuple[str, str], weigh: WordWeight
) -> PairProperties:
    """Return the properties of two statements, from their traits and their normalized texts."""
    first, second = traits
    shared = first.bag & second.bag
    total = sum(map(weigh, shared))
    missing = min((first.bag - second.bag, second.bag - first.bag), key=lambda words: sum(map(weigh, words)))
    names = first.names | second.names
    lacks = find_missing_names(first.names, second.names, texts[1])
    lacks |= find_missing_names(second.names, first.names, texts[0])
    labels = tuple(map(read_field_label, units))
    return PairProperties(
        coverage=total / (total + sum(map(weigh, missing))) if total else 0.0,
        shared_weight=min(total, MAX_SHARED_WEIGHT) / MAX_SHARED_WEIGHT,
        heaviest_missing=max(map(weigh, missing), default=0.0) / WORD_SCALE,
        has_shared_name=any(len(name) >= MIN_NAME_LENGTH and not name.isalpha() for name in first.names & second.names),
        missing_names=len(lacks) / len(names) if names else 0.0,
        has_different_names=_has_different_names(traits, texts),
        has_different_numbers=bool(first.numbers and second.numbers and first.numbers != second.numbers),
        is_same_section=units[0].path == units[1].path and units[0].section == units[1].section,
        is_same_label=bool(labels[0]) and labels[0] == labels[1],
        has_numbered_titles=units[0].path == units[1].path and has_numbered_titles(*units),
        has_intro=units[0].is_intro or units[1].is_intro,
        distance=_measure_distance(*units),
        plain_words=min(len(shared - _find_name_words(traits)), MAX_PLAIN_WORDS) / MAX_PLAIN_WORDS,
    )


def _has_different_names(traits: tuple[Traits, Traits], texts: tuple[str, str]) -> bool:
    """Return whether each of two statements names something that the other does not mention."""
    mine, yours = (trait.names | trait.proper for trait in traits)
    return bool(find_missing_names(mine, yours, texts[1]) and find_missing_names(yours, mine, texts[0]))


def _find_name_words(traits: tuple[Traits, Traits]) -> Set[str]:
    """Return the canonical forms of the words of the names in both statements."""
    names = (name for trait in traits for name in trait.names | trait.proper)
    return {canonical_of(word) for name in names for word in normalize_text(name).split()}


def _measure_distance(first: Unit, second: Unit) -> float:
    """Return the logarithm of the lines between two statements, 1 for a thousand or another file."""
    if first.path != second.path:
        return 1.0
    return min(log(1 + abs(first.line - second.line)) / log(FAR_LINES), 1.0)
