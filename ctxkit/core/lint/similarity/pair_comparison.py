"""Compare two statements by all means: their words, whether one contains the other, and the fitted model."""

from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.similarity.containment import is_contained
from ctxkit.core.lint.similarity.form_fields import read_field_label
from ctxkit.core.lint.similarity.pair_model import (
    MIN_PROBABILITY,
    SURE_PROBABILITY,
    estimate_probability,
    measure_pair,
)
from ctxkit.core.lint.similarity.similarity import Similarity, WordWeight, compare_statements, is_prefix_pair
from ctxkit.core.lint.similarity.statement_conflict import find_conflict
from ctxkit.core.lint.similarity.statement_traits import Traits

MIN_SIMILARITY = 0.66
"""Minimum similarity of near duplicates."""
SURE_SIMILARITY = 0.74
"""Minimum similarity of certain duplicates; less similar statements do not join their groups."""
FEW_WORDS, FEW_WORDS_SIMILARITY = 4, 0.78
"""Statements with fewer words than the first number need at least the second similarity."""
SAME_SIMILARITY = FEW_WORDS_SIMILARITY
"""Similarity of statements that only the model finds to say the same."""
CLEAR_SIMILARITY = 0.95
"""Minimum similarity of statements that the model is not asked about."""


def compare_pair(
    units: tuple[Unit, Unit], traits: tuple[Traits, Traits], texts: tuple[str, str], weigh: WordWeight
) -> Similarity:
    """Return the similarity of two statements, at least ``SURE_SIMILARITY`` if they say the same in different words.

    They do so if the model is sure of it, or if one contains the other and the model does not find it improbable.
    Similar statements that it finds improbable are possible duplicates only.
    """
    similarity = compare_statements(*traits, texts, weigh)
    if similarity.conflict:
        is_open = similarity.conflict == "negation" and _negates_other_words(traits, texts)
    else:
        is_open = similarity.score < CLEAR_SIMILARITY
    if not is_open:
        return similarity
    probability = estimate_probability(measure_pair(units, traits, texts, similarity.conflict, weigh))
    if not similarity.conflict and (similarity.score >= SURE_SIMILARITY or _is_part(similarity, units, traits, texts)):
        score = max(similarity.score, SURE_SIMILARITY) if probability >= MIN_PROBABILITY else MIN_SIMILARITY
        return similarity._replace(score=score)
    if probability >= SURE_PROBABILITY:
        return similarity._replace(score=SAME_SIMILARITY, conflict="")
    return similarity


def _negates_other_words(traits: tuple[Traits, Traits], texts: tuple[str, str]) -> bool:
    """Return whether each of two statements negates a word that the other does not, without any other conflict.

    "Never send files in the chat" and "Send files by mail, not in the chat" both forbid the same. If only one statement
    negates a word, it may forbid what the other one demands.
    """
    first, second = traits
    if first.negated_words <= second.negated_words or second.negated_words <= first.negated_words:
        return False
    plain = [trait._replace(negated_words=frozenset()) for trait in traits]
    return not find_conflict(plain[0], plain[1], texts)


def _is_part(
    similarity: Similarity, units: tuple[Unit, Unit], traits: tuple[Traits, Traits], texts: tuple[str, str]
) -> bool:
    """Return whether one of two statements says all that the other says."""
    fewest = min(len(trait.bag) for trait in traits)
    if similarity.score < MIN_SIMILARITY and fewest >= FEW_WORDS and is_prefix_pair(*texts):
        return True
    bold = (trait.label for trait in traits if trait.label.casefold() not in trait.names)
    label = " ".join((*map(read_field_label, units), *bold))
    return is_contained(similarity, traits, texts, label)
