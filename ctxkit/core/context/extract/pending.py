"""What is still to be done: the list of things to do, requests without an answer, calls still open, steps announced."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.context.extract.acts import act
from ctxkit.core.context.extract.deed import Deed
from ctxkit.core.context.extract.failures import clipped, tried_of
from ctxkit.core.context.extract.item import Item
from ctxkit.core.context.extract.requests import Request, opening
from ctxkit.core.context.extract.todo import Todo
from ctxkit.core.context.sentences import sentences

_NEXT = re.compile(
    r"\b(?:next(?: step)?s?\b|remaining|still (?:need|have) to|left to do|need to|I'll|I will|let me|let's"
    r"|going to|now (?:I|let)|als nächstes|prochaine|siguiente|далее|接下来|次に)",
    re.IGNORECASE,
)

_AFTER = re.compile(
    r"\b(?:next steps?\b|remaining|still (?:need|have) to|left to do|after (?:that|this)|then (?:I|we)\b|als nächstes"
    r"|prochaine|siguiente|далее|接下来|次に)",
    re.IGNORECASE,
)
_CHATTER = re.compile(
    r"\bsummar(?:y|ize|ise)|\bfinal (?:message|answer|response)|\blet (?:you|me) know\b|\bfeel free\b|^next speaker"
    r"|\b(?:finish|conclude|wrap up|submit)\b.{0,40}$|\b(?:I'll|I will) (?:be happy|wait|continue from|stop here)",
    re.IGNORECASE,
)
"""What is said to close a conversation, or to go on with it, and is no step of the work."""
_ENDS = ("submit", "exit", "finish", "finish_task", "attempt_completion", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")
"""Calls that end a run, which nothing answers."""


def todo_items(todo: Todo) -> Iterator[Item]:
    """Yield the list of things to do: what is open each by itself, what is done in one bullet of Facts."""
    for at, words in enumerate(todo.active):
        yield Item("Pending", (f"{words} (in progress)", words), 835 - at, at)
    for at, words in enumerate(todo.open):
        yield Item("Pending", (words,), 825 - min(at, 20), 1000 + at)
    if todo.done:
        listed = [done.rstrip(".") for done in todo.done]
        forms = [f"Done: {'; '.join(listed)}."]
        forms += [f"Done: {'; '.join(listed[-many:])}." for many in (8, 4, 2) if many < len(listed)]
        yield Item("Facts", tuple(forms), 740, -2_900_000)


def open_items(
    asked: Sequence[Request], done: Sequence[Deed], said: Sequence[tuple[int, str]], todo: Todo
) -> Iterator[Item]:
    """Yield requests that nothing answers yet, calls without result, and the steps that the agent announced last."""
    last = max((at for at, words in said if words.strip()), default=-1)
    last = max(last, max((deed.at for deed in done), default=-1))
    unanswered = [request for request in asked if request.at > last]
    for at, request in enumerate(unanswered[:-1]):
        yield Item("Pending", (opening(request.text, 160),), 700 - at, 2000 + at)
    for deed in done[-12:]:
        if deed.answered < 0 and deed.at >= last and act(deed) != "todo" and not _ended(deed):
            yield Item(
                "Pending", (f"{deed.name}: {clipped(tried_of(deed, act(deed)), 120)} (no result yet)",), 610, 3000
            )
    if said and todo.empty and not (done and _ended(done[-1])):
        at, words = said[-1]
        yield from _announced(words, begun=any(deed.at == at and deed.answered >= 0 for deed in done[-12:]))


def _ended(deed: Deed) -> bool:
    """Tell whether a call ends a run, so that nothing is to be done after it."""
    return deed.name in _ENDS or tried_of(deed, act(deed)) in _ENDS


def _announced(words: str, *, begun: bool) -> Iterator[Item]:
    """Yield the steps that the last message of the agent announces; of one that has ``begun`` them, those after."""
    pattern = _AFTER if begun else _NEXT
    found = [
        one
        for one in sentences(words)
        if pattern.search(one) and 10 <= len(one) <= 220 and one[-1] not in "?:" and not _CHATTER.search(one)
    ]
    for at, sentence in enumerate(found[-3:]):
        yield Item("Pending", (sentence,), 540 + at, 4000 + at)
