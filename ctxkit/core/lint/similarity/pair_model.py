"""Estimate with a fitted model whether two statements say the same, where the rules for similar statements do not tell.

The model is a logistic regression on a few properties of a pair. ``python -m bench.lint.fitting`` computes its weights
from labelled pairs of public workspaces; it prints ``INTERCEPT`` and ``WEIGHTS``.
"""

import re
from collections.abc import Set
from math import exp
from typing import NamedTuple

from ctxkit.core.lint.document.normal import normalize_text
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.similarity.form_fields import has_numbered_titles, read_field_label
from ctxkit.core.lint.similarity.heading_polarity import MAX_TITLE_LENGTH
from ctxkit.core.lint.similarity.similarity import WordWeight, count_shared_trigrams
from ctxkit.core.lint.similarity.statement_conflict import find_missing_names
from ctxkit.core.lint.similarity.statement_traits import Traits, canonical_of, is_question

MIN_PROBABILITY, SURE_PROBABILITY = 0.4, 0.7
"""Minimum probability of duplicates that the rules find, and of those that only the model finds.

Both are chosen by cross-validation on the pairs that the model is fitted on.
"""
MAX_PLAIN_WORDS, MAX_MISSING_WEIGHT = 8, 20.0
"""Values at which a property stops to grow."""
_STAMP = re.compile(
    r"\b\d{4}-\d\d(?:-\d\d)?|\b\d{1,2}:\d\d|\b\d{1,2} ?[AP]M\b|\d{1,2}月\d{1,2}"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6} \d{1,2}\b"
    r"|\b(?:phase|day|session|cycle) \d{1,4}\b|\bv\d{1,4}\.\d",
    re.IGNORECASE,
)
"""Matches a date, a time, or the number of a phase or version in a heading."""


class PairProperties(NamedTuple):
    """The properties of two statements that the model weighs, each from 0 to 1.

    Most are about the statement of which more is said by the other one, called the part. ``coverage`` is the weighted
    share of its words that the other has, ``missing_weight`` the weight of the rest, ``trigram_coverage`` the share of
    its letter triples, and ``has_new_number`` whether it has a number that the other lacks. ``plain_words`` counts the
    shared words that are no names. ``title_overlap`` compares the words of the headings right above the statements.
    """

    coverage: float
    missing_weight: float
    trigram_coverage: float
    trigram_similarity: float
    plain_words: float
    title_overlap: float
    has_new_number: float
    missing_names: float
    has_different_names: float
    has_conflict: float
    is_same_label: float
    is_same_list: float
    has_numbered_titles: float
    has_dated_titles: float
    has_intro: float
    is_question: float


INTERCEPT = -3.62
WEIGHTS = PairProperties(
    coverage=1.65,
    missing_weight=-0.55,
    trigram_coverage=1.34,
    trigram_similarity=1.66,
    plain_words=1.62,
    title_overlap=-0.88,
    has_new_number=-1.71,
    missing_names=-0.42,
    has_different_names=-0.59,
    has_conflict=-0.44,
    is_same_label=-1.00,
    is_same_list=-1.12,
    has_numbered_titles=-1.82,
    has_dated_titles=-0.91,
    has_intro=-1.92,
    is_question=-0.65,
)
"""Weights by property, in units of log odds."""


def estimate_probability(properties: PairProperties) -> float:
    """Return the probability that two statements with these properties say the same."""
    odds = INTERCEPT + sum(weight * value for weight, value in zip(WEIGHTS, properties, strict=True))
    return 1 / (1 + exp(-odds))


def measure_pair(
    units: tuple[Unit, Unit], traits: tuple[Traits, Traits], texts: tuple[str, str], conflict: str, weigh: WordWeight
) -> PairProperties:
    """Return the properties of two statements, from their traits, their normalized texts and their conflict."""
    first, second = traits
    shared = first.bag & second.bag
    missing = [sum(map(weigh, bag - shared)) for bag in (first.bag, second.bag)]
    part = int(missing[0] > missing[1])
    total = sum(map(weigh, shared))
    grams = count_shared_trigrams(*texts)
    lacks = find_missing_names(first.names, second.names, texts[1])
    lacks |= find_missing_names(second.names, first.names, texts[0])
    names = first.names | second.names
    labels = tuple(map(read_field_label, units))
    is_same_file = units[0].path == units[1].path
    return PairProperties(
        coverage=total / (total + missing[part]) if total else 0.0,
        missing_weight=min(missing[part], MAX_MISSING_WEIGHT) / MAX_MISSING_WEIGHT,
        trigram_coverage=min(grams / max(len(texts[part]), 1), 1.0),
        trigram_similarity=min(2 * grams / max(len(texts[0]) + len(texts[1]), 1), 1.0),
        plain_words=min(len(shared - _find_name_words(traits)), MAX_PLAIN_WORDS) / MAX_PLAIN_WORDS,
        title_overlap=_compare_titles(*units),
        has_new_number=not traits[part].numbers <= traits[1 - part].numbers,
        missing_names=len(lacks) / len(names) if names else 0.0,
        has_different_names=_has_different_names(traits, texts),
        has_conflict=conflict not in ("", "negation"),
        is_same_label=bool(labels[0]) and labels[0] == labels[1],
        is_same_list=is_same_file and bool(units[0].list) and units[0].list == units[1].list,
        has_numbered_titles=is_same_file and has_numbered_titles(*units),
        has_dated_titles=is_same_file and _has_dated_titles(*units),
        has_intro=units[0].is_intro or units[1].is_intro,
        is_question=is_question(units[0]) != is_question(units[1]),
    )


def _has_different_names(traits: tuple[Traits, Traits], texts: tuple[str, str]) -> bool:
    """Return whether each of two statements names something that the other does not mention."""
    mine, yours = (trait.names | trait.proper for trait in traits)
    return bool(find_missing_names(mine, yours, texts[1]) and find_missing_names(yours, mine, texts[0]))


def _find_name_words(traits: tuple[Traits, Traits]) -> Set[str]:
    """Return the canonical forms of the words of the names in both statements."""
    names = (name for trait in traits for name in trait.names | trait.proper)
    return {canonical_of(word) for name in names for word in normalize_text(name).split()}


def _compare_titles(first: Unit, second: Unit) -> float:
    """Return the share of the words of the two headings right above that they have in common, 1 for equal headings."""
    titles = first.section[-1:], second.section[-1:]
    if titles[0] == titles[1]:
        return 1.0
    words, others = (set(normalize_text(" ".join(title)[:MAX_TITLE_LENGTH]).split()) for title in titles)
    return len(words & others) / max(len(words | others), 1)


def _has_dated_titles(first: Unit, second: Unit) -> bool:
    """Return whether the headings that two statements do not share give two dates, times or phases."""
    shared = 0
    for title, other in zip(first.section, second.section, strict=False):
        if title != other:
            break
        shared += 1
    stamps, others = (
        {stamp.casefold() for title in unit.section[shared:] for stamp in _STAMP.findall(title[:MAX_TITLE_LENGTH])}
        for unit in (first, second)
    )
    return bool(stamps and others) and stamps != others
