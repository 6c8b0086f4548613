"""Constraints from the user, verbatim."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ctxkit.core.context.extract.item import ItemSource, PageItem
from ctxkit.core.context.extract.overruling import find_names, find_revoked
from ctxkit.core.context.extract.pasted import drop_option_comments
from ctxkit.core.context.extract.reply import says_nothing
from ctxkit.core.context.extract.requests import UserRequest, drop_issue_section
from ctxkit.core.context.extract.statement import points_back
from ctxkit.core.context.pasted_text import is_answer, is_document
from ctxkit.core.context.rules import MAX_SENTENCE, STEP, WISH, find_demands, is_job, is_standing_rule
from ctxkit.core.context.sentences import split_sentences
from ctxkit.core.context.standing import is_demand, is_lasting, is_one_off, is_order

_EMPTY_WISH = re.compile(
    r"(?:\w+ ){1,3}(?:it|this|that|them|so)(?: \w+ly)?[.!]?"
    r"|(?:please )?(?:solve|do|complete|finish) (?:the|this) (?:problem|task|job|work)(?: \w+ly)?[.!]?",
    re.IGNORECASE,
)
"""A wish that says nothing without the sentence before it, such as "Please fix it."."""
_POINTING = re.compile(
    r"(?:it|they|these|those)\b(?! is (?:a )?(?:important|necessary|essential|required))",
    re.IGNORECASE,
)
"""A sentence whose subject stands in the one before it."""
_CONTINUATION = re.compile(r"(?:instead|otherwise|in that case|if so|if not)\b|.{1,60} instead[.!]?$", re.IGNORECASE)
"""A sentence that belongs to the one before it."""


_TEMPORARY = re.compile(
    r"\W*again\b|.*?(?:\b(?:yet|for now|for the moment|at the moment|right now|this time)\b|\bnow\W*$"
    r"|\b(?:phase|prompt|step|stage|milestone) \d)",
    re.IGNORECASE,
)
"""A demand for the time of one piece of work."""
_DANGLING = re.compile(r"\W*(?:so|then|and|but|instead)\b.*\b(?:it|this|that|them|these|those)\b", re.IGNORECASE)
"""A demand that follows from the sentence before it, about what stands there."""


_EVERLASTING = re.compile(
    r"\b(?:never|always|every time|each time|from now on|going forward|whenever|at all times|in (?:the )?future"
    r"|niemals|immer|jamais|toujours|nunca|jamás|siempre|sempre|никогда|всегда|nigdy|zawsze|asla|nooit|altijd)\b"
    r"|永远|始终|每次|必ず|常に|毎回|항상|절대"
    r"|지금부터|앞으로|이제부터|从现在(?:开始|起)|今后|今後|これから",
    re.IGNORECASE,
)
"""Words of a demand that outlives the request that it comes with."""
_POINTER = re.compile(
    r"[^\w'’]*+(?:[\w'’]++[^\w'’]++){0,5}?(?:it|them|these|those|they"
    r"|this(?! (?:project|repo|repository|codebase|app|application|session|conversation|branch)\b))\b",
    re.IGNORECASE,
)
"""The beginning of a sentence with a pronoun that what stands before it has to explain."""
_RELATIVE = re.compile(
    r"\bthe (?:above|following|existing|current|changes?|first|second|third|last|previous|rest|same)\b"
    r"|\b(?:anything|nothing|everything|something) else\b|\botherwise\b",
    re.IGNORECASE,
)
"""Words whose sense depends on the request that they come with."""
_HEADING = re.compile(r"[:.] [-*•] | #{1,4} |\b(?:above|below)\b")
"""A mark of a list or a heading within a sentence, which joins two lines of a document, or a reference to others."""
_WRAPPED_REST = re.compile(r" > [a-z]")
"""The rest of a quoted line that a terminal has wrapped."""
MAX_BRIEF = 1_000
"""Maximum characters of a request whose rules outlive it if they say that they last."""
MAX_POINTER = 120
"""Maximum characters of a demand that the sentence before it has to explain; a longer one explains itself."""


def find_constraint_items(
    requests: Sequence[UserRequest], answers: Sequence[int] = (), *, does_work: bool = True
) -> Iterator[PageItem]:
    """Yield the rules in the user's requests; later and standing rules score higher, hard rules than wishes.

    A request for a piece of work is no rule: the open one is the task. Of a request that the agent answered, only the
    rules stand that outlive it. ``answers`` are the positions of the agent's messages, in order. In a conversation that
    does no work, only orders to the agent are rules: what must be there is the matter of the talk.
    """
    numbers: dict[int, int] = {}
    revoked = find_revoked(requests)
    for request, is_finished in _mark_finished(requests, answers):
        if says_nothing(request.text) or request.at in revoked:
            continue
        if is_answer(request.own_text) or is_document(request.own_text):
            continue
        for place, (sentence, score) in enumerate(_find_rules(request)):
            if _is_no_rule(sentence, score, is_finished=is_finished) or not (does_work or is_order(sentence)):
                continue
            if is_finished and not _outlives_request(sentence, request):
                continue
            numbers[score] = numbers.get(score, -1) + 1
            less = min(numbers[score] * (1 if score == WISH else STEP), 90)
            less = 0 if is_standing_rule(sentence) else less
            source: ItemSource = "" if score == WISH else "demand"
            yield PageItem("Decisions", (sentence,), score - less, request.at * 1000 + place, source)


def _mark_finished(requests: Sequence[UserRequest], answers: Sequence[int]) -> Iterator[tuple[UserRequest, bool]]:
    """Yield the requests, newest first, each with whether it is one of several and the agent answered it."""
    is_series = sum(not request.is_reply for request in requests) > 1
    for request in reversed(requests):
        answer = bisect_right(answers, request.at)
        yield request, is_series and answer < len(answers)


def _find_rules(request: UserRequest) -> Iterator[tuple[str, int]]:
    """Yield the demands of a request; one that continues the sentence before it is joined to it, or left out."""
    text = drop_option_comments(drop_issue_section(request.own_text))
    folded = " ".join(text.split())
    rules: list[tuple[str, int]] = []
    before = dict(_pair_sentences(text)) if _POINTING.search(text) else {}
    for sentence, score in find_demands(text):
        if _WRAPPED_REST.match(folded, folded.find(sentence) + len(sentence)):
            continue
        subject = before.get(sentence, "") if _POINTING.match(sentence) else ""
        if subject and f"{subject} {sentence}" in folded:
            rules.append((f"{subject.rstrip('.')}; {sentence}", score))
        elif not _CONTINUATION.match(sentence) or (folded.startswith(sentence) and not sentence.startswith("Instead")):
            rules.append((sentence, score))
        elif rules and f"{rules[-1][0]} {sentence}" in folded:
            rules[-1] = (f"{rules[-1][0].rstrip('.')}; {sentence}", max(score, rules[-1][1]))
    return iter(rules)


def _pair_sentences(text: str) -> Iterator[tuple[str, str]]:
    """Yield each sentence that is pointing back with the one before it, if both are short enough for a bullet."""
    for before, sentence in pairwise(split_sentences(text)):
        is_end = before[-1:] in ".!" and not _POINTING.match(before)
        if is_end and _POINTING.match(sentence) and len(before) + len(sentence) <= MAX_SENTENCE:
            yield sentence, before


def _is_no_rule(sentence: str, score: int, *, is_finished: bool) -> bool:
    if _EMPTY_WISH.fullmatch(sentence) or (score == WISH and is_job(sentence)):
        return True
    if _is_unclear(sentence) or (is_finished and is_temporary(sentence)):
        return True
    if is_standing_rule(sentence):
        return False
    demands = is_demand(sentence) or is_demand(sentence.rsplit("; ", 1)[-1])  # of a joined one, the last part demands
    return not demands or (is_finished and is_one_off(sentence))


def _outlives_request(sentence: str, request: UserRequest) -> bool:
    """Return whether a demand of an answered request still stands, and says alone what it is about.

    It has to say that it lasts, and to speak to the agent: what a product must always do is done with its request. A
    long request is the description of a piece of work, whose rules may be about that work alone; so may the items of a
    list below a line that says when they hold.
    """
    if is_standing_rule(sentence):
        return True
    is_item = "\n" in request.own_text and sentence[0].islower()
    is_brief = len(request.own_text) <= MAX_BRIEF and not is_item
    lasts = is_brief and bool(_EVERLASTING.search(sentence)) and is_order(sentence)
    return lasts and not _RELATIVE.search(sentence)


def _is_unclear(sentence: str) -> bool:
    """Return whether a demand does not name what it is about, or begins with a heading."""
    if _HEADING.search(sentence):
        return True
    is_pointer = len(sentence) <= MAX_POINTER and points_back(sentence)
    is_dangling = is_pointer or bool(_DANGLING.match(sentence) or _POINTER.match(sentence))
    return not find_names(sentence) and is_dangling


def is_everlasting(sentence: str) -> bool:
    """Return whether a demand says that it outlives the request that it comes with.

    >>> is_everlasting("Never push to main."), is_everlasting("Use the old name.")
    (True, False)
    """
    return is_standing_rule(sentence) or bool(_EVERLASTING.search(sentence))


def is_temporary(sentence: str) -> bool:
    """Return whether a demand holds only for the work that it comes with.

    >>> is_temporary("Do not write any code yet."), is_temporary("Never edit the lock file.")
    (True, False)
    """
    return bool(_TEMPORARY.match(sentence)) or not is_lasting(sentence)
