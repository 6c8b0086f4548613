"""Group the statements of a workspace that say the same, and find those that conflict."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cache
from typing import NamedTuple

from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.normal import count_words
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.loading.loads import LoadSetIndex
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
    SURE_SIMILARITY,
    compare_pair,
)
from ctxkit.core.lint.similarity.pairs import compute_weights, find_candidates
from ctxkit.core.lint.similarity.similarity import Similarity
from ctxkit.core.lint.similarity.statement_traits import extract_traits, make_bag

MAX_NEAR_SIMILARITY = 0.99
"""Maximum similarity of statements that differ in more than formatting."""
PART_SIMILARITY = 0.8
"""Similarity of two statements if one contains the other as a sentence, or both give the same value."""
MIN_WORDS = 4
"""Minimum words of a statement whose copies matter."""
MIN_INTRO_WORDS, MIN_HEADER_WORDS = 7, 12
"""Minimum words of a line that introduces others, and of the header of a table."""
MIN_TELLING_WORDS = 3
"""Minimum content words of a statement that is compared with others than its exact copies."""
MAX_LOG_UNITS = 400
"""Number of statements above which unloaded daily notes are a log."""
_SPEAKER = re.compile(r"^(?:[#*>_-]{1,4}\s?)?(?:user|assistant|human)\b[*_]{0,2}:", re.IGNORECASE | re.MULTILINE)
MIN_SPEAKER_LINES = 6
"""Minimum lines with a speaker's name that make daily notes a transcript."""
MIN_CODE_LENGTH = 24
"""Minimum characters of a code block."""
MAX_STATEMENTS, MAX_WORDS, MAX_WORD_USES = 50_000, 100_000, 500_000
"""Maximum statements, different words, and words in all statements that are compared: they take 70 MB."""
INJECTED_SHARE = 0.7
"""Minimum share of a file's statements in the prompt that shows that the prompt includes the file."""


class DuplicateGroup(NamedTuple):
    """Statements that say the same; ``score`` is 1.0 if they differ only in formatting, else the lowest similarity."""

    units: tuple[Unit, ...]
    score: float


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
    units = [unit for document in _comparable_documents(workspace) for unit in document.units if is_significant(unit)]
    same: dict[str, list[Unit]] = {}
    for unit in units:
        same.setdefault(unit.normal, []).append(unit)
    same = _split_by_polarity(same)
    order = {unit: place for place, unit in enumerate(units)}
    groups, conflicts = _compare_statements(same, loads, workspace.notice)
    ordered = sorted(groups, key=lambda group: [order[unit] for unit in group.units])
    return Duplicates(tuple(ordered), tuple(conflicts), order)


def is_significant(unit: Unit) -> bool:
    """Return whether a repetition of a statement would matter."""
    if unit.kind == "code":
        return len(unit.normal) >= MIN_CODE_LENGTH
    if unit.kind == "heading" or _is_code(unit.text):
        return False
    least = MIN_WORDS if not unit.is_intro else MIN_HEADER_WORDS if unit.kind == "row" else MIN_INTRO_WORDS
    return count_words(unit.normal) >= least


def _is_code(text: str) -> bool:
    """Return whether a statement ends like a line of code outside of a fence."""
    if not text.endswith(";"):
        return text.endswith(("{", "}"))
    last = text[text.rfind(";", 0, -1) + 1 :]
    return any(sign in last for sign in ":=(")


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


def _comparable_documents(workspace: Workspace) -> Iterator[MarkdownDocument]:
    """Yield the documents without unloaded logs, and the prompt without the documents that it includes."""
    loaded = {path for load_set in workspace.load_sets for path in load_set.paths}
    yield from (document for document in workspace.documents if document.path in loaded or not _is_log(document))
    if workspace.prompt:
        prompt_statements = {unit.normal for unit in workspace.prompt.units}
        injected: set[str] = set()
        for document in workspace.documents:
            statements = [unit.normal for unit in document.units if is_significant(unit)]
            if len(statements) > 2 and sum(
                statement in prompt_statements for statement in statements
            ) >= INJECTED_SHARE * len(statements):
                injected.update(statements)
        units = tuple(unit for unit in workspace.prompt.units if unit.normal not in injected)
        yield workspace.prompt._replace(units=units)


def _is_log(document: MarkdownDocument) -> bool:
    """Return whether a file is a log: an archive below the daily notes, a very long note, or a transcript."""
    if document.role is not FileRole.DAILY:
        return False
    folder = document.path.rsplit("/", 2)[-2:-1]
    return (
        folder != ["memory"]
        or len(document.units) > MAX_LOG_UNITS
        or len(_SPEAKER.findall(document.text)) >= MIN_SPEAKER_LINES
    )


def _compare_statements(
    same: Mapping[str, list[Unit]], loads: LoadSetIndex, notice: Callable[[str], None]
) -> tuple[list[DuplicateGroup], list[StatementConflict]]:
    word_sets, complete = _collect_word_sets(same)
    find_traits = cache(lambda key: extract_traits(same[key][0]))
    weigh = compute_weights(word_sets)
    masks = {key: _combine_masks(units, loads) for key, units in same.items()}
    paths = {key: {unit.path for unit in units} for key, units in same.items()}
    forms = find_form_fields(unit for units in same.values() for unit in units)

    def can_pair(first: str, second: str) -> bool:
        return bool(masks[first] & masks[second]) or not paths[first].isdisjoint(paths[second])

    edges: dict[tuple[str, str], float] = {}
    conflicting: set[tuple[str, str]] = set()
    conflicts: list[StatementConflict] = []
    effort = Effort(len(word_sets))
    effort.exhausted = not complete
    for first, second in find_candidates(word_sets, weigh, can_pair, effort):
        fewest = min(len(word_sets[first]), len(word_sets[second]))
        texts = (first.removesuffix(NEGATED_KEY), second.removesuffix(NEGATED_KEY))
        units = (same[first][0], same[second][0])
        similarity = compare_pair(units, (find_traits(first), find_traits(second)), texts, weigh.__getitem__)
        if similarity.score < (FEW_WORDS_SIMILARITY if fewest < FEW_WORDS else MIN_SIMILARITY):
            continue
        pair = _find_common_pair(same[first], same[second], loads)
        if pair is None or _is_form_field(*pair, similarity, forms):
            continue
        if is_contrast_pair(*pair) or has_opposite_polarity(*pair):
            conflicting.add((first, second))
            if texts[0] == texts[1] and not is_contrast_pair(*pair):
                conflicts.append(StatementConflict(*pair, similarity._replace(conflict="negation")))
        elif similarity.conflict:
            conflicting.add((first, second))
            conflicts.append(StatementConflict(*pair, similarity))
        elif not is_sibling_pair(*pair, similarity):
            edges[first, second] = min(similarity.score, MAX_NEAR_SIMILARITY)
    if effort.exhausted:
        notice(EXHAUSTED_MESSAGE)
    for first, second in _find_parts(same, word_sets, forms):
        both = {(first, second), (second, first)}
        if can_pair(first, second) and not conflicting & both and _find_common_pair(same[first], same[second], loads):
            scores = (edges.pop((second, first), 0.0), edges.get((first, second), 0.0), PART_SIMILARITY)
            edges[first, second] = max(scores)
    return list(_build_groups(same, edges, conflicting, loads)), conflicts


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
        word_set = make_bag(key.removesuffix(NEGATED_KEY)) if units[0].kind != "code" else frozenset()
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


def _find_common_pair(
    first_units: Sequence[Unit], second_units: Sequence[Unit], loads: LoadSetIndex
) -> tuple[Unit, Unit] | None:
    """Return the first statements of two lists that are in a window together."""
    return next(
        ((unit, two) for unit in first_units for two in second_units if loads.has_common_set(unit.path, two.path)), None
    )


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


def _build_groups(
    same: Mapping[str, list[Unit]],
    edges: Mapping[tuple[str, str], float],
    conflicting: Set[tuple[str, str]],
    loads: LoadSetIndex,
) -> Iterator[DuplicateGroup]:
    """Yield groups: exact copies, and statements similar to half of the group without a conflict."""
    leader = {key: key for key in same}
    members = {key: [key] for key in same}
    scores = dict.fromkeys(same, 1.0)
    loose: dict[str, tuple[str, str]] = {}
    for first_key, second_key in sorted(edges, key=lambda pair: (-edges[pair], pair)):
        first_leader, second_leader = leader[first_key], leader[second_key]
        if first_leader == second_leader:
            continue
        if edges[first_key, second_key] < SURE_SIMILARITY:
            sure = [
                scores[key] >= SURE_SIMILARITY and len(members[key]) + len(same[key]) > 2
                for key in (first_leader, second_leader)
            ]
            if any(sure):
                loose.setdefault(second_key if sure[0] else first_key, (first_key, second_key))
                continue
        pairs = [pair for a in members[first_leader] for b in members[second_leader] for pair in ((a, b), (b, a))]
        if 4 * sum(pair in edges for pair in pairs) >= len(pairs) and conflicting.isdisjoint(pairs):
            leader.update(dict.fromkeys(members[second_leader], first_leader))
            members[first_leader] += members.pop(second_leader)
            scores[first_leader] = min(scores[first_leader], scores[second_leader], edges[first_key, second_key])
    place = {key: number for number, key in enumerate(same)}
    for key, keys in members.items():
        if len(keys) == 1 == len(same[key]):
            continue
        units = [unit for first_key in sorted(keys, key=place.__getitem__) for unit in same[first_key]]
        yield from _split_by_window(units, scores[key], loads)
    for key, (first_key, second_key) in loose.items():
        if len(members.get(key, ())) + len(same[key]) == 2 and conflicting.isdisjoint(
            {(first_key, second_key), (second_key, first_key)}
        ):
            yield from _split_by_window(
                [*same[second_key if key == first_key else first_key], *same[key]], edges[first_key, second_key], loads
            )


def _split_by_window(units: Sequence[Unit], score: float, loads: LoadSetIndex) -> Iterator[DuplicateGroup]:
    """Yield the statements of a group that share windows, one group per connected set."""
    waiting = list(enumerate(units))
    while waiting:
        joined = [waiting.pop(0)]
        homes: set[str] = set()
        for _, member in joined:
            if member.path in homes:
                continue
            homes.add(member.path)
            neighbours = [pair for pair in waiting if loads.has_common_set(member.path, pair[1].path)]
            if neighbours:
                taken = {number for number, _ in neighbours}
                waiting = [pair for pair in waiting if pair[0] not in taken]
                joined += neighbours
        kept_units = [unit for _, unit in sorted(joined, key=lambda pair: pair[0])]
        if len(kept_units) > 1 and any(unit.path != loads.prompt for unit in kept_units):
            exact = all(unit.normal == kept_units[0].normal for unit in kept_units)
            yield DuplicateGroup(tuple(kept_units), 1.0 if exact else score)
