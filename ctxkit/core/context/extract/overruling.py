"""What the later conversation overrules: rejected proposals and revoked requests."""

import re
from collections.abc import Sequence
from itertools import pairwise

from ctxkit.core.context.extract.requests import UserRequest

_REJECTION = re.compile(
    r"\W*(?:(?:hm+|ok(?:ay)?|oh|well|sorry|wait|actually),? |(?:等一下|等等|先停一下)[\s,，。!！]*)*"
    r"(?:no(?:pe)?\b(?! (?:problem|worries|need|idea|more|one))|don'?t\b|do not\b|not (?:that|like|what|yet|so"
    r"|quite)\b|stop\b(?!#)|wrong\b"
    r"|revert\b|undo\b|roll (?:it|that|this) back\b|I(?:'d| would)? (?:rather|prefer)\b|instead\b|never ?mind\b"
    r"|that(?:'s| is) (?:not|wrong)\b|I (?:don'?t|do not) (?:want|like|think)\b"
    r"|nein\b|non\b|não\b|nao\b|no,|нет\b|不要|不是|いや|いいえ|違い)",
    re.IGNORECASE,
)
"""The beginning of a message that rejects what the agent said before it."""
_PROHIBITION = re.compile(r"\W*(?:please )?(?:(?:don['’]?t|do not)\b|不要)", re.IGNORECASE)
_COMPLAINT = re.compile(
    r"\b(?:still|again|error|exception|(?:does|do|did|is|was)(?:n['’]?t| not) (?:\w+ )?"
    r"(?:work\w*|there|right|correct|show\w*)|not working|broken|fails?|failed|crash\w*|wrong|[45]\d\d"
    r"|sigue|no funciona|ne (?:marche|fonctionne) pas|erreur|fehler|funktioniert nicht)\b"
    r"|还是|错误|报错|不行|没有出现|エラー|動かない|動きません|오류|안 ?돼|ошибк|не работает",
    re.IGNORECASE,
)
"""Words with which a message says that the work before it did not succeed."""
COMPLAINT_CHARS = 200
"""Characters at the beginning of a message that may complain."""
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


def changes_course(text: str) -> bool:
    """Return whether a message begins by rejecting what the agent does, rather than with a demand.

    >>> changes_course("wait, don't write them yourself"), changes_course("Don't touch the tests.")
    (True, False)
    """
    return bool(_REJECTION.match(text)) and not _PROHIBITION.match(text)


def find_rejected(requests: Sequence[UserRequest], messages: Sequence[tuple[int, str]]) -> frozenset[int]:
    """Return the positions of the agent messages that the user's next request rejects, or says to have failed."""
    rejected: set[int] = set()
    start = -1
    for request in requests:
        if _REJECTION.match(request.text) or _COMPLAINT.search(request.text[:COMPLAINT_CHARS]):
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


def find_names(text: str) -> frozenset[str]:
    """Return the names in a statement: code, paths and hashes."""
    return frozenset(next(filter(None, match.groups())) for match in _NAME.finditer(text))
