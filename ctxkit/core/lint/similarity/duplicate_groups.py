"""Group the statements of a workspace that say the same, and find those that conflict."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.compared_statements import list_statements
from ctxkit.core.lint.similarity.comparison_budget import EXHAUSTED_MESSAGE, Effort
from ctxkit.core.lint.similarity.contained_parts import (
    NEGATED_KEY,
    find_sentence_pairs,
    find_sentence_paraphrases,
    find_value_pairs,
    split_parts,
)
from ctxkit.core.lint.similarity.form_fields import find_form_fields, is_sibling_pair, read_field_label
from ctxkit.core.lint.similarity.heading_polarity import (
    has_opposite_polarity,
    is_contrast_pair,
    is_negated_by_heading,
    is_result_example,
)
from ctxkit.core.lint.similarity.pair_comparison import (
    FEW_WORDS,
    FEW_WORDS_SIMILARITY,
    MIN_SIMILARITY,
    compare_pair,
)
from ctxkit.core.lint.similarity.pairs import compute_weights, find_candidates
from ctxkit.core.lint.similarity.similarity import Similarity
from ctxkit.core.lint.similarity.statement_groups import DuplicateGroup, build_groups
from ctxkit.core.lint.similarity.statement_traits import extract_traits, make_bag

MAX_NEAR_SIMILARITY = 0.99
"""Maximum similarity of statements that differ in more than formatting."""
PART_SIMILARITY = 0.8
"""Similarity of two statements if one contains the other as a sentence, or both give the same value."""
MIN_TELLING_WORDS = 3
"""Minimum content words of a statement that is compared with others than its exact copies."""
MAX_STATEMENTS, MAX_WORDS, MAX_WORD_USES = 50_000, 100_000, 500_000
"""Maximum statements, different words, and words in all statements that are compared: they take 70 MB."""


class StatementConflict(NamedTuple):
    """Two statements with similar words that do not say the same."""

    first: Unit
    second: Unit
    similarity: Similarity


class Duplicates(NamedTuple):
    """Groups and conflicts; ``order`` maps each statement to its position among all statements."""

    groups: tuple[DuplicateGroup, ...]
    conflicts: tuple[StatementConflict, ...]
    order: Mapping[Unit, int]


def find_duplicates(workspace: Workspace, loads: LoadSetIndex) -> Duplicates:
    """Return the groups and conflicts among statements that are ever in a window together."""
    units = list_statements(workspace)
    same: dict[str, list[Unit]] = {}
    for unit in units:
        same.setdefault(unit.normal, []).append(unit)
    same = _split_by_polarity(same)
    order = {unit: place for place, unit in enumerate(units)}
    groups, conflicts = _compare_statements(same, loads, workspace.notice)
    ordered = sorted(groups, key=lambda group: [order[unit] for unit in group.units])
    return Duplicates(tuple(ordered), tuple(conflicts), order)


def _split_by_polarity(same: Mapping[str, list[Unit]]) -> dict[str, list[Unit]]:
    """Return copies by key; separate negated copies if another copy is required, and contrasted examples."""
    by_key: dict[str, list[Unit]] = {}
    for key, units in same.items():
        split = len(units) > 1 and any(
            has_opposite_polarity(units[0], unit) or has_opposite_polarity(unit, units[-1]) for unit in units
        )
        contrast = len(units) > 1 and any(is_contrast_pair(units[0], unit) for unit in units)
        for unit in units:
            apart = (split and is_negated_by_heading(unit)) or (contrast and is_result_example(unit))
            by_key.setdefault(key + NEGATED_KEY if apart else key, []).append(unit)
    return by_key


def _compare_statements(
    same: Mapping[str, list[Unit]], loads: LoadSetIndex, notice: Callable[[str], None]
) -> tuple[list[DuplicateGroup], list[StatementConflict]]:
    word_sets, complete = _collect_word_sets(same)
    comparison = _Comparison(same, word_sets, loads)
    effort = Effort(len(word_sets))
    effort.exhausted = not complete
    for first, second in find_candidates(word_sets, comparison.weights, comparison.can_pair, effort):
        comparison.compare(first, second)
    if effort.exhausted:
        notice(EXHAUSTED_MESSAGE)
    for first, second in _find_parts(same, word_sets, comparison.forms):
        comparison.add_part(first, second)
    groups = build_groups(same, comparison.edges, comparison.conflicting, loads)
    return list(groups), comparison.conflicts


class _Comparison:
    """The similar and the conflicting pairs of statements, by the keys of their copies."""

    def __init__(
        self, same: Mapping[str, list[Unit]], word_sets: Mapping[str, frozenset[str]], loads: LoadSetIndex
    ) -> None:
        self._same, self._word_sets, self._loads = same, word_sets, loads
        self._find_traits = cache(lambda key: extract_traits(same[key][0]))
        self._masks = {key: _combine_masks(units, loads) for key, units in same.items()}
        self._paths = {key: {unit.path for unit in units} for key, units in same.items()}
        self.weights = compute_weights(word_sets)
        self.forms = find_form_fields(unit for units in same.values() for unit in units)
        self.edges: dict[tuple[str, str], float] = {}
        self.conflicting: set[tuple[str, str]] = set()
        self.conflicts: list[StatementConflict] = []

    def can_pair(self, first: str, second: str) -> bool:
        """Return whether copies of two statements are in a window together, or in a file."""
        is_loaded_together = bool(self._masks[first] & self._masks[second])
        return is_loaded_together or not self._paths[first].isdisjoint(self._paths[second])

    def compare(self, first: str, second: str) -> None:
        """Record how similar two statements are, if they are similar enough to be compared."""
        fewest = min(len(self._word_sets[first]), len(self._word_sets[second]))
        units = (self._same[first][0], self._same[second][0])
        traits = (self._find_traits(first), self._find_traits(second))
        texts = (_remove_mark(first), _remove_mark(second))
        similarity = compare_pair(units, traits, texts, self.weights.__getitem__)
        if similarity.score < (FEW_WORDS_SIMILARITY if fewest < FEW_WORDS else MIN_SIMILARITY):
            return
        pair = self._find_common_pair(first, second)
        if pair is not None and not _is_form_field(*pair, similarity, self.forms):
            self._record(first, second, pair, similarity)

    def _record(self, first: str, second: str, pair: tuple[Unit, Unit], similarity: Similarity) -> None:
        """Record a pair as a conflict, or as similar."""
        is_contrast = is_contrast_pair(*pair)
        if is_contrast or has_opposite_polarity(*pair):
            self.conflicting.add((first, second))
            if not is_contrast and _remove_mark(first) == _remove_mark(second):
                self.conflicts.append(StatementConflict(*pair, similarity._replace(conflict="negation")))
        elif similarity.conflict:
            self.conflicting.add((first, second))
            self.conflicts.append(StatementConflict(*pair, similarity))
        elif not is_sibling_pair(*pair, similarity):
            self.edges[first, second] = min(similarity.score, MAX_NEAR_SIMILARITY)

    def add_part(self, first: str, second: str) -> None:
        """Record that a statement is a part of another, unless they conflict."""
        is_conflict = not self.conflicting.isdisjoint({(first, second), (second, first)})
        if self.can_pair(first, second) and not is_conflict and self._find_common_pair(first, second):
            scores = (self.edges.pop((second, first), 0.0), self.edges.get((first, second), 0.0), PART_SIMILARITY)
            self.edges[first, second] = max(scores)

    def _find_common_pair(self, first: str, second: str) -> tuple[Unit, Unit] | None:
        """Return the first copies of two statements that are in a window together."""
        has_common_set, second_units = self._loads.has_common_set, self._same[second]
        pairs = ((unit, two) for unit in self._same[first] for two in second_units)
        return next((pair for pair in pairs if has_common_set(pair[0].path, pair[1].path)), None)


def _remove_mark(key: str) -> str:
    """Return the text of a key without the mark of negated copies."""
    return key.removesuffix(NEGATED_KEY)


def _find_parts(
    same: Mapping[str, list[Unit]], word_sets: Mapping[str, frozenset[str]], forms: frozenset[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yield pairs of keys of which one is a sentence of the other, or that give the same value."""
    parts = split_parts(same)
    yield from find_sentence_pairs(same, parts)
    yield from find_sentence_paraphrases(same, parts, word_sets)
    yield from find_value_pairs(same, forms)


def _collect_word_sets(same: Mapping[str, list[Unit]]) -> tuple[dict[str, frozenset[str]], bool]:
    """Return the words of statements that are long enough, up to a limit; and whether that is all of them."""
    word_sets: dict[str, frozenset[str]] = {}
    words: dict[str, str] = {}
    total = 0
    for key, units in same.items():
        word_set = make_bag(_remove_mark(key)) if units[0].kind != "code" else frozenset()
        if len(word_set) >= MIN_TELLING_WORDS:
            word_sets[key] = frozenset(words.setdefault(word, word) for word in word_set)
        total += len(word_set)
        if len(word_sets) >= MAX_STATEMENTS or len(words) >= MAX_WORDS or total >= MAX_WORD_USES:
            return word_sets, False
    return word_sets, True


def _combine_masks(units: Sequence[Unit], loads: LoadSetIndex) -> int:
    mask = 0
    for unit in units:
        mask |= loads.mask(unit.path)
    return mask


def _is_form_field(first: Unit, second: Unit, similarity: Similarity, forms: frozenset[tuple[str, str]]) -> bool:
    """Return whether two statements share only the name of a frequent field."""
    name = read_field_label(first)
    return bool(
        similarity.left
        and similarity.right
        and name
        and name == read_field_label(second)
        and (first.path, name) in forms
    )
