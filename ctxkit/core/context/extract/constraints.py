"""What the user demanded or forbade, in the words of the user."""

from collections.abc import Iterator, Sequence

from ctxkit.core.context.extract.item import Item
from ctxkit.core.context.extract.requests import Request
from ctxkit.core.context.rules import STEP, WISH, worth_of
from ctxkit.core.context.sentences import sentences


def constraint_items(asked: Sequence[Request]) -> Iterator[Item]:
    """Yield the rules that the user set, each sentence once: the latest are worth most, hard ones more than wishes."""
    numbers: dict[int, int] = {}
    for request in reversed(asked):
        for place, sentence in enumerate(sentences(request.own)):
            if worth := worth_of(sentence):
                numbers[worth] = numbers.get(worth, -1) + 1
                less = min(numbers[worth] * (1 if worth == WISH else STEP), 90)
                yield Item("Decisions", (sentence,), worth - less, request.at * 1000 + place)
