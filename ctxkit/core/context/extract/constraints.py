"""Constraints from the user, verbatim."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.context.extract.item import ItemSource, PageItem
from ctxkit.core.context.extract.requests import UserRequest
from ctxkit.core.context.rules import STEP, WISH, find_demands, is_job, is_standing_rule

_EMPTY_WISH = re.compile(
    r"(?:\w+ ){1,3}(?:it|this|that|them|so)[.!]?"
    r"|(?:please )?(?:solve|do|complete|finish) (?:the|this) (?:problem|task|job|work)(?: \w+ly)?[.!]?"
    r"|(?:instead|otherwise|in that case|if so|if not)\b.{0,400}",
    re.IGNORECASE,
)
"""A wish that says nothing without the sentence before it, such as "Please fix it." and "Instead, use goto."."""


def find_constraint_items(requests: Sequence[UserRequest]) -> Iterator[PageItem]:
    """Yield the rules in the user's requests; later and standing rules score higher, hard rules than wishes.

    A request for a piece of work is no rule: the open one is the task.
    """
    numbers: dict[int, int] = {}
    for request in reversed(requests):
        for place, (sentence, score) in enumerate(find_demands(request.own_text)):
            if score == WISH and (_EMPTY_WISH.fullmatch(sentence) or is_job(sentence)):
                continue
            numbers[score] = numbers.get(score, -1) + 1
            less = min(numbers[score] * (1 if score == WISH else STEP), 90)
            less = 0 if is_standing_rule(sentence) else less
            source: ItemSource = "" if score == WISH else "demand"
            yield PageItem("Decisions", (sentence,), score - less, request.at * 1000 + place, source)
