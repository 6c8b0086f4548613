"""The explanation of a map: which kind or rule spoke, and why."""

from ctxkit.core.brief import kind_detection
from ctxkit.core.brief.custom_kinds import KindRule
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.quantity import pluralize

THRESHOLD = 0.5
"""Minimum confidence of a kind that speaks."""


class Explanation(NamedTuple):
    """Hold the rule that matched, each candidate kind with its confidence, and the reasons in sentences."""

    rule: str = ""
    candidates: tuple[tuple[str, float], ...] = ()
    reasons: tuple[str, ...] = ()


def explain_kind(document: InputDocument, rule: KindRule | None, used: str, doubt: str) -> Explanation:
    """Return why the kind ``used`` made the map of a document; ``doubt`` names a kind that failed."""
    candidates = kind_detection.list_candidates(document)
    ranked = kind_detection.rank_kinds(document)
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
    if score < THRESHOLD:
        return f"no kind reaches {THRESHOLD}; {best} scores highest, {score:.2f}, so the {detected} kind speaks"
    if best != detected:
        return f"the {detected} kind has the confidence {confidence:.2f}; {best} scores {score:.2f}"
    rivals = [name for name, other in candidates[1:] if other == score]
    tie = f" (as {', '.join(rivals)}: ties go by name)" if rivals else ""
    return f"{best} scores highest of {pluralize(len(candidates), 'candidate')}, {score:.2f}{tie}"
