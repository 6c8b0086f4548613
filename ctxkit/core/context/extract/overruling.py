"""What the later conversation overrules: rejected proposals, revoked requests, and statements that no longer hold."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.extract.requests import UserRequest
from ctxkit.core.context.instructions import is_imperative

_REJECTION = re.compile(
    r"\W*(?:(?:hm+|ok(?:ay)?|oh|well|sorry|wait|actually),? )*"
    r"(?:no(?:pe)?\b(?! (?:problem|worries|need|idea|more|one))|don'?t\b|do not\b|not (?:that|like|what|yet|so"
    r"|quite)\b|stop\b(?!#)|wrong\b"
    r"|revert\b|undo\b|roll (?:it|that|this) back\b|I(?:'d| would)? (?:rather|prefer)\b|instead\b|never ?mind\b"
    r"|that(?:'s| is) (?:not|wrong)\b|I (?:don'?t|do not) (?:want|like|think)\b"
    r"|nein\b|non\b|não\b|nao\b|no,|нет\b|不要|不是|いや|いいえ|違い)",
    re.IGNORECASE,
)
"""The beginning of a message that rejects what the agent said before it."""
_REVOCATION = re.compile(
    r"\W*(?:(?:no|nope|hm+|ok(?:ay)?|oh|well|sorry|wait|actually|please|can you|let'?s),? )*"
    r"(?:revert|undo|roll (?:it|that|this) back|never ?mind|forget (?:it|that|about)|scratch that|cancel that)\b",
    re.IGNORECASE,
)
MAX_REVOCATION = 80
"""Maximum characters of a request that does nothing but revoke the one before it."""
_NAME = re.compile(
    r"`([^`]+)`|((?<![\w.@+/-])[\w.@+-]*+(?:/[\w.@+-]++)++|(?<![\w-])[\w-]++\.[A-Za-z]{1,5}\b)|\b([0-9a-f]{7,40})\b"
)
_FAILING = re.compile(
    r"\b(?:still|now|currently|is|are|keeps?) (?:\w+ )?(?:fail(?:s|ing|ed)?|broken|erroring|missing|wrong|not \w+ing)\b"
    r"|\bfail(?:s|ed|ing)\b",
    re.IGNORECASE,
)
_DIAGNOSIS = re.compile(
    r"\b(?:the|this|that|one|main|real|actual|root|only) (?:\w+ ){0,2}"
    r"(?:issue|problem|bug|error|culprit|mistake|cause|failure|reason)s? (?:\w+ )?(?:is|was|here|seems?|appears?)\b"
    r"|\b(?:error|issue|problem|failure|bug|this) (?:occurs|happens|occurred|happened|is caused|arises|comes from)\b"
    r"|\b(?:is|are|does|do|was|did)n['’]?t\b.{1,60}\b(?:because|since)\b|\bis happening because\b"
    r"|\b(?:o problema|le problème|das Problem|el problema)\b",
    re.IGNORECASE,
)
"""What is wrong, which holds until it is mended."""
_DEFICIT = re.compile(
    r"\bstill (?:has|have|lacks?|misses|uses?|needs?|missing|not)\b|\b(?:is|are) (?:still |also |currently )?missing\b"
    r"|\b(?:file|function|class|method|component|test|this|it) (?:also )?needs to\b|\bneeds? to be \w+ed\b"
    r"|\b(?:has|have) not (?:yet )?been\b"
    r"|\b(?:is|are)n['’]?t \w+(?:ed|ing) yet\b",
    re.IGNORECASE,
)
"""What is left to do, which holds until the user goes on to have it done."""
_SOLVED = re.compile(
    r"\b(?:fixed|resolved|solved|successfully|works now|now works|working now|removed|resolvid[oa]|removid[oa]|gelöst"
    r"|behoben|résolu|corrigé|solucionad[oa])\b|✅",
    re.IGNORECASE,
)
_ALL_PASS = re.compile(
    r"\b(?:all|every|both)\b[^.]{0,40}\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green|work(?:s|ing)?|clean)\b"
    r"|\b0 (?:failed|failures|errors)\b|\bno (?:more )?(?:errors|failures|failing)\b",
    re.IGNORECASE,
)


def find_rejected(requests: Sequence[UserRequest], messages: Sequence[tuple[int, str]]) -> frozenset[int]:
    """Return the positions of the agent messages that the user's next request rejects."""
    rejected: set[int] = set()
    start = -1
    for request in requests:
        if _REJECTION.match(request.text):
            rejected.update(at for at, _ in messages if start < at < request.at)
        start = request.at
    return frozenset(rejected)


def find_revoked(requests: Sequence[UserRequest]) -> frozenset[int]:
    """Return the positions of the requests that the next one revokes, and of those that revoke.

    >>> find_revoked([UserRequest(1, "Use tabs."), UserRequest(4, "Revert that, please.")])
    frozenset({1, 4})
    """
    revoked: set[int] = set()
    for before, request in pairwise(requests):
        if len(request.text) <= MAX_REVOCATION and _REVOCATION.match(request.text):
            revoked.update((before.at, request.at))
    return frozenset(revoked)


def drop_overruled(items: Sequence[PageItem], moved_on_at: int) -> Iterator[PageItem]:
    """Yield the conclusions that still hold, in order; the position of an item's message is its rank over 1000.

    A diagnosis from before ``moved_on_at``, the user's last request, or before a later solution is left out; so is what
    was left to do or proposed before that request, a failure before a later success of all, and a statement about a
    state whose names all occur in a later one.
    """
    ordered = sorted(items, key=_find_position)
    passes_at = max((_find_position(item) for item in ordered if _ALL_PASS.search(item.forms[0])), default=-1)
    solved_at = max((_find_position(item) for item in ordered if _SOLVED.search(item.forms[0])), default=-1)
    latest = _find_latest_names(ordered)
    for item in items:
        text, at = item.forms[0], _find_position(item)
        if _DIAGNOSIS.search(text) and at < max(moved_on_at, solved_at):
            continue
        if (_DEFICIT.search(text) or is_imperative(text)) and at < moved_on_at:
            continue
        if at < passes_at and _FAILING.search(text) and not _ALL_PASS.search(text):
            continue
        names = find_names(text)
        if item.section == "Facts" and names and all(latest[name] > at for name in names) and _is_state(text):
            continue
        yield item


def find_names(text: str) -> frozenset[str]:
    """Return the names in a statement: code, paths and hashes."""
    return frozenset(next(filter(None, match.groups())) for match in _NAME.finditer(text))


_STATE = re.compile(
    r"\b(?:is|are|was|were|has|have|still|exists?|contains?|shows?|está|é|ainda|ist|est)\b", re.IGNORECASE
)


def _is_state(text: str) -> bool:
    """Return whether a statement tells how something is, rather than what was done."""
    return bool(_STATE.search(text))


def _find_position(item: PageItem) -> int:
    return item.rank % 10_000_000 // 1000


def _find_latest_names(ordered: Sequence[PageItem]) -> Mapping[str, int]:
    """Return the position of the last statement about each name."""
    return {name: _find_position(item) for item in ordered for name in find_names(item.forms[0])}
