"""Detection of a document's content kind, from its bytes first and its name second."""

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from importlib import import_module
from operator import itemgetter
from typing import Protocol, cast

from ctxkit.core.brief import kinds
from ctxkit.core.brief.custom_kinds import KindRule
from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.kind_index import CLUES, TYPES
from ctxkit.core.brief.outline import Outline
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.quantity import pluralize

_CI_STAMP_END = "Z"
"""End of the timestamps that a CI service puts before lines, which may contain any kind of output."""
KIND_NAMES = tuple(CLUES)
"""The modules in ``kinds``, in the order of their names."""
FALLBACK, BINARY, LOG = "text", "binary", "log"
_CERTAIN = 0.99
"""Confidence of the binary kind from which no other kind is scored."""
_MOST_TRIED = 3
"""Number of likely kinds that are tried until one outlines the document."""
_PLAINLY_LOG = 0.8
"""Confidence of the log kind from which kinds are skipped that never score higher for a log."""


class ContentKind(Protocol):
    """Detect and outline one kind of content; every module in ``kinds`` implements this.

    ``TYPES`` are additional names that --type accepts, such as languages. ``CLUES`` are what its documents have; the
    detector reads names, types and clues from ``kind_index``, which ``make pages`` writes from those of all kinds.
    """

    NAME: str
    TYPES: Sequence[str]
    CLUES: Clues

    def sniff(self, document: InputDocument) -> float:
        """Return the confidence that the document is of this kind, from 0 to 1."""

    def outline(self, document: InputDocument) -> Sequence[Outline] | None:
        """Return outlines of the document, from the most detailed to the shortest, or None if the kind does not fit."""


@cache
def all_kinds() -> tuple[ContentKind, ...]:
    """Return all kinds, in the order of their module names."""
    return tuple(map(_load_kind, KIND_NAMES))


def _load_kind(name: str) -> ContentKind:
    return cast(ContentKind, import_module(f"{kinds.__name__}.{name}"))


def load_fallback() -> ContentKind:
    """Return the kind that can outline any content."""
    return _load_kind(FALLBACK)


def rank_kinds(document: InputDocument) -> list[tuple[ContentKind, float]]:
    """Return the kinds that a document may have with their confidence, the most likely first; a type named is sure."""
    if document.content_type:
        return [(find_kind(document.content_type), 1.0)]
    scores = sorted(_score_kinds(document), key=itemgetter(1))
    scores.sort(key=itemgetter(0), reverse=True)
    likely = [(_load_kind(name), confidence) for confidence, name in scores[:_MOST_TRIED] if confidence >= 0.5]
    return likely or [(load_fallback(), 1.0 - scores[0][0])]


def list_candidates(document: InputDocument) -> tuple[tuple[str, float], ...]:
    """Return the kinds that may fit a document with their confidence, the highest first, without those that score 0."""
    scores = sorted(_score_kinds(document), key=lambda score: (-score[0], score[1]))
    return tuple((name, confidence) for confidence, name in scores if confidence > 0)


def _score_kinds(document: InputDocument) -> Iterator[tuple[float, str]]:
    """Yield the confidence and name of each candidate kind; ties go to the first name in alphabetical order."""
    binary_score = _score_kind(_load_kind(BINARY), document)
    yield binary_score, BINARY
    if binary_score >= _CERTAIN:
        return
    log_score = _score_kind(_load_kind(LOG), document)
    yield log_score, LOG
    others = [name for name in KIND_NAMES if name not in (BINARY, LOG, FALLBACK)]
    for name in candidates(others, document, is_log=log_score >= _PLAINLY_LOG and _has_timestamp(document)):
        yield _score_kind(_load_kind(name), document), name


def _has_timestamp(document: InputDocument) -> bool:
    """Return whether the first line begins with a timestamp; text that only quotes a log usually does not."""
    from ctxkit.core.brief.logs.log_detection import find_timestamp

    return find_timestamp(document.head.lstrip("\ufeff\r\n").partition("\n")[0]) is not None


def _score_kind(kind: ContentKind, document: InputDocument) -> float:
    """Return the confidence of one kind; a kind that fails on the input scores 0."""
    try:
        return kind.sniff(document)
    except Exception:
        return 0.0


def find_kind(name: str) -> ContentKind:
    """Return the kind for a ``--type`` value; raise KeyError if there is none."""
    module = next((module for module, words in TYPES.items() if name in words), "")
    if not module:
        raise KeyError(name)
    return _load_kind(module)


def list_content_types() -> list[str]:
    """Return all values that ``--type`` accepts."""
    return sorted(word for words in TYPES.values() for word in words)


def candidates(names: Collection[str], document: InputDocument, *, is_log: bool) -> Iterator[str]:
    """Yield the kinds that a document may have; ``is_log`` means that the document is clearly a log."""
    text = f"{document.head}\n{document.tail}" if document.lines.size > len(document.head) else document.head
    first = document.head.lstrip("\ufeff \t\r\n")[:1]
    base = document.name.rpartition("/")[2].lower()
    is_log = is_log and not _is_from_ci(document.head)
    for name in names:
        clues = CLUES[name]
        if is_log and clues.unless_log:
            continue
        if base in clues.names or _has_clue(clues, text, first, document.suffix):
            yield name


def _has_clue(clues: Clues, text: str, first: str, suffix: str) -> bool:
    if not clues.words and not clues.first_characters:
        return True
    return (
        (first != "" and first in clues.first_characters)
        or suffix in clues.suffixes
        or any(word in text for word in clues.words)
    )


def _is_from_ci(head: str) -> bool:
    """Return whether lines begin with timestamps of a CI service, after which any kind of output may follow."""
    stamp = head.lstrip("\ufeff")[:80].rpartition("\t")[2].partition(" ")[0]
    return stamp[:2] == "20" and stamp[-1:] == _CI_STAMP_END


_THRESHOLD = 0.5
"""Minimum confidence of a kind that speaks."""


class Explanation(NamedTuple):
    """Hold the rule that matched, each candidate kind with its confidence, and the reasons in sentences."""

    rule: str = ""
    candidates: tuple[tuple[str, float], ...] = ()
    reasons: tuple[str, ...] = ()


def explain_kind(document: InputDocument, rule: KindRule | None, used: str, doubt: str) -> Explanation:
    """Return why the kind ``used`` made the map of a document; ``doubt`` names a kind that failed."""
    candidates = list_candidates(document)
    ranked = rank_kinds(document)
    tried = [kind.NAME for kind, _ in ranked]
    detected, confidence = tried[0], ranked[0][1]
    reasons = []
    if rule is not None:
        sets = f" and sets the type {rule.content_type}" if rule.content_type else ""
        reasons.append(f"the rule {rule.name} of your settings matches the name{sets}")
    if document.content_type and not (rule and rule.content_type == document.content_type):
        reasons.append(f"--type names {document.content_type}")
    elif not document.content_type:
        reasons.append(_explain_score(candidates, detected, confidence))
    if used != detected:
        empty = " and ".join(tried[: tried.index(used)] if used in tried else tried)
        reasons.append(doubt or f"{empty} found nothing to outline, so the {used} kind speaks")
    return Explanation(rule.name if rule else "", candidates, tuple(reasons))


def _explain_score(candidates: tuple[tuple[str, float], ...], detected: str, confidence: float) -> str:
    if not candidates:
        return f"no kind fits, so the {detected} kind speaks"
    best, score = candidates[0]
    if score < _THRESHOLD:
        return f"no kind reaches {_THRESHOLD}; {best} scores highest, {score:.2f}, so the {detected} kind speaks"
    if best != detected:
        return f"the {detected} kind has the confidence {confidence:.2f}; {best} scores {score:.2f}"
    rivals = [name for name, other in candidates[1:] if other == score]
    tie = f" (as {', '.join(rivals)}: ties go by name)" if rivals else ""
    return f"{best} scores highest of {pluralize(len(candidates), 'candidate')}, {score:.2f}{tie}"
