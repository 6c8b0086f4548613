"""Find sections of a file that say in other words what a section of another file says.

A statement is restated if one statement of the other section has nearly the same words, or if a few of its statements
together have almost all of them. Only files that are loaded on every turn are compared, and single statements that are
merely alike are no finding: an overview and its details, or a checklist and its rules, repeat words on purpose.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import fsum, log
from typing import NamedTuple

from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument, Unit
from ctxkit.core.lint.document.workspace import ignore_notice
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.compared_statements import is_bare_pointer, is_index_entry, is_significant, points_to
from ctxkit.core.lint.similarity.identity import find_model_directory, is_box
from ctxkit.core.lint.similarity.statement_conflict import find_conflict
from ctxkit.core.lint.similarity.statement_traits import extract_traits, is_question, make_bag

_SMOOTHING = 20
"""Statements added to the count, so that words have similar weights in small and large workspaces."""
COMPARED_ROLES = frozenset(
    (
        *(FileRole.PROMPT, FileRole.INSTRUCTIONS, FileRole.PERSONA, FileRole.TOOLS, FileRole.RULES),
        *(FileRole.MEMORY, FileRole.CONTEXT),
    )
)
"""Roles of files that are in the window on every turn."""
MIN_WORDS = 4
"""Minimum content words of a restated statement."""
_MIN_ALIKE = 0.62
"""Minimum weight of the shared words of two statements that say the same, as a share of all their words."""
_SURE_ALIKE = 0.7
"""Minimum share of the words of a statement that is a finding without another one beside it."""
_MIN_COVERED = 0.7
"""Minimum weight of the words of a statement that a section of another file has, as a share of its words."""
_MAX_PARTS = 5
"""Maximum statements of a section that together restate one statement."""
_MAX_DISTANCE = 6
"""Maximum statements between such statements and the one that has most of the words."""
_MAX_DILUTION = 3
"""Maximum words of such statements together, as a multiple of those of the restated one."""
_MAX_PART = 0.6
"""Maximum share of the words of a statement that sums up a section in one statement of the section."""
_MAX_GAP = 12
"""Maximum lines between statements of a restated section: those further apart are findings of their own."""
_MIN_SUMMARY_WORDS = 8
"""Minimum content words of a statement that sums up a section and is a finding without another one beside it."""
_MAX_COMMON_USES = 48
"""Number of statements above which a word is too common to look up others by it."""
_MAX_CANDIDATES = 12
"""Maximum sections with which a statement is compared, those with most of its rare words."""
MAX_STATEMENT_LENGTH = 4_000
"""Maximum characters of a compared statement."""
MAX_STATEMENTS = 30_000
"""Maximum statements that are compared: files that are loaded on every turn have some hundreds."""
INCOMPLETE = f"restated sections are searched in the first {MAX_STATEMENTS:,} statements only; exact copies in all"
"""Message for the user if there are more."""


class Restatement(NamedTuple):
    """A section and the section of another file that restates it: pairs of (kept, restating) statements.

    ``score`` is the mean share of the words that the statements of a pair have in common.
    """

    pairs: tuple[tuple[Unit, Unit], ...]
    score: float


class _Statement(NamedTuple):
    unit: Unit
    words: frozenset[str]
    section: int


class _Link(NamedTuple):
    kept: Unit
    copy: Unit
    score: float
    is_sure: bool
    is_direct: bool


class _Match(NamedTuple):
    statement: _Statement
    parts: tuple[_Statement, ...]
    score: float
    is_sure: bool
    is_direct: bool = False  # one statement of the other section has nearly the same words


def find_restatements(
    documents: Sequence[MarkdownDocument],
    loads: LoadSetIndex,
    skipped: frozenset[Unit],
    notice: Callable[[str], None] = ignore_notice,
) -> Iterator[Restatement]:
    """Yield the restated sections; ``documents`` are ordered, the kept ones first.

    ``skipped`` are statements of which another finding says already that they are copies. ``notice`` gets a sentence if
    there are too many statements to compare all.
    """
    comparison = _Comparison(documents, skipped)
    if not comparison.is_complete:
        notice(INCOMPLETE)
    by_sections: dict[tuple[int, int], list[_Link]] = {}
    for statement in comparison.statements:
        for match in comparison.find_matches(statement, loads):
            other = match.parts[0].section
            for part in match.parts:
                kept, copy = (part, statement) if other < statement.section else (statement, part)
                link = _Link(kept.unit, copy.unit, match.score, match.is_sure, match.is_direct)
                by_sections.setdefault((kept.section, copy.section), []).append(link)
    for links in by_sections.values():
        for cluster in _split_clusters(links):
            if any(link.is_sure for link in cluster) or _is_alike(cluster):
                pairs = {(link.kept, link.copy): link.score for link in cluster}
                yield Restatement(tuple(pairs), sum(pairs.values()) / len(pairs))


def _is_alike(cluster: Sequence[_Link]) -> bool:
    """Return whether several statements have matches in both sections, one of them a single statement.

    Statements that only find their words scattered over the other section are about the same subject.
    """
    copies, kept_units = {link.copy for link in cluster}, {link.kept for link in cluster}
    return min(len(copies), len(kept_units)) > 1 and any(link.is_direct for link in cluster)


def _are_adjacent(statements: Sequence[_Statement], parts: Sequence[_Statement]) -> bool:
    """Return whether some of the statements of a section stand side by side."""
    places = [place for place, statement in enumerate(statements) if statement in parts]
    return places[-1] - places[0] + 1 == len(parts)


def _split_clusters(links: Sequence[_Link]) -> Iterator[list[_Link]]:
    """Yield the links of two sections in parts without gaps in either of them."""
    waiting: list[_Link] = []
    for link in sorted(links, key=lambda link: (link.copy.line, link.kept.line)):
        if waiting and not _is_near(link, waiting):
            yield waiting
            waiting = []
        waiting.append(link)
    if waiting:
        yield waiting


def _is_near(link: _Link, others: Sequence[_Link]) -> bool:
    """Return whether both statements of a link are close to those of other links."""
    copy_end = max(other.copy.end_line for other in others)
    kept_start, kept_end = min(other.kept.line for other in others), max(other.kept.end_line for other in others)
    is_kept_near = kept_start - _MAX_GAP <= link.kept.end_line and link.kept.line <= kept_end + _MAX_GAP
    return link.copy.line <= copy_end + _MAX_GAP and is_kept_near


class _Comparison:
    """The compared statements of a workspace, and an index of their rare words."""

    def __init__(self, documents: Sequence[MarkdownDocument], skipped: frozenset[Unit]) -> None:
        self.statements: list[_Statement] = []
        self._sections = 0
        self.is_complete = True
        for document in documents:
            if document.role in COMPARED_ROLES and not find_model_directory(document.path):
                self._add_document(document, skipped)
        self._weights = compute_weights(statement.words for statement in self.statements)
        self._places: dict[str, list[int]] = {}
        for place, statement in enumerate(self.statements):
            for word in statement.words:
                self._places.setdefault(word, []).append(place)

    def _add_document(self, document: MarkdownDocument, skipped: frozenset[Unit]) -> None:
        """Add the statements of a document, and number its sections."""
        numbers: dict[tuple[str, ...], int] = {}
        first = next((unit for unit in document.units if unit.kind != "heading"), None)  # says what the file is
        for unit in document.units:
            if not _is_compared(unit) or unit in skipped or (unit is first and unit.kind == "paragraph"):
                continue
            words = make_bag(unit.normal)
            if len(self.statements) == MAX_STATEMENTS:
                self.is_complete = False
                break
            if len(words) >= MIN_WORDS:
                number = numbers.setdefault(unit.section, self._sections + len(numbers))
                self.statements.append(_Statement(unit, words, number))
        self._sections += len(numbers)

    def find_matches(self, statement: _Statement, loads: LoadSetIndex) -> Iterator[_Match]:
        """Yield the best match of a statement in each section of another file that a tool loads together with it."""
        shared: dict[int, float] = {}
        for word in statement.words:
            places = self._places[word]
            for place in places if len(places) <= _MAX_COMMON_USES else ():
                shared[place] = shared.get(place, 0.0) + self._weights[word]
        best: dict[int, int] = {}  # the place with most rare words, by section
        for place in sorted(shared, key=lambda place: (-shared[place], place)):
            best.setdefault(self.statements[place].section, place)
            if len(best) > _MAX_CANDIDATES:
                break
        for place in best.values():
            path = self.statements[place].unit.path
            if path != statement.unit.path and loads.has_common_set(path, statement.unit.path):
                match = self._match(statement, place)
                if match is not None:
                    yield match

    def _match(self, statement: _Statement, place: int) -> _Match | None:
        """Return the match of a statement at a place and around it, or None."""
        best = self.statements[place]
        alike = self._weigh(statement.words & best.words) / self._weigh(statement.words | best.words)
        if alike >= _MIN_ALIKE:
            if _conflicts(statement, best):
                return None
            is_reference = points_to(statement.unit.text, best.unit.path) or points_to(
                best.unit.text, statement.unit.path
            )
            return _Match(statement, (best,), alike, alike >= _SURE_ALIKE or is_reference, True)
        around = self.statements[max(0, place - _MAX_DISTANCE) : place + _MAX_DISTANCE + 1]
        near = [other for other in around if other.section == best.section]
        rest, parts, most = statement.words, [], 0.0
        for _ in range(_MAX_PARTS):
            part = max(near, key=lambda other: self._weigh(rest & other.words))
            if not rest & part.words:
                break
            parts.append(part)
            most = max(most, self._weigh(rest & part.words))
            rest -= part.words
        covered = 1 - self._weigh(rest) / self._weigh(statement.words)
        if covered < _MIN_COVERED or sum(len(part.words) for part in parts) > _MAX_DILUTION * len(statement.words):
            return None
        if any(_conflicts(statement, part, partly=True) for part in parts):
            return None
        is_whole = len(parts) > 2 and most <= _MAX_PART * self._weigh(statement.words) and _are_adjacent(near, parts)
        return _Match(statement, tuple(parts), covered, is_whole and len(statement.words) >= _MIN_SUMMARY_WORDS)

    def _weigh(self, words: frozenset[str]) -> float:
        return fsum(map(self._weights.__getitem__, words))  # which does not depend on the order in a set


def _is_compared(unit: Unit) -> bool:
    """Return whether a statement is prose that is short enough to be compared."""
    if unit.kind not in ("bullet", "paragraph", "row") or not is_significant(unit) or unit.is_intro:
        return False
    if len(unit.text) > MAX_STATEMENT_LENGTH or is_question(unit) or is_box(unit):
        return False
    return not is_bare_pointer(unit.text) and not is_index_entry(unit.text)


def _conflicts(statement: _Statement, other: _Statement, *, partly: bool = False) -> bool:
    """Return whether two statements exclude each other, or name different things; ``partly`` ignores the latter."""
    conflict = find_conflict(
        extract_traits(statement.unit), extract_traits(other.unit), (statement.unit.normal, other.unit.normal)
    )
    return conflict in ("negation", "contrary") if partly else bool(conflict)


def compute_weights(word_sets: Iterable[frozenset[str]]) -> Mapping[str, float]:
    """Return the weight of each word: the logarithm of its inverse frequency."""
    sets = list(word_sets)
    counts = Counter(chain.from_iterable(sets))
    total = len(sets) + _SMOOTHING
    return {word: log(total / (count + 1)) for word, count in counts.items()}
