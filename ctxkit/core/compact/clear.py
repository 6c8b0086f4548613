"""The first stage: old tool results leave in one batch, stale reads before all others."""

from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

from ctxkit.core.chat.editor import Patch
from ctxkit.core.chat.located import located
from ctxkit.core.chat.pairing import pairing
from ctxkit.core.chat.record import Record, Result
from ctxkit.core.compact.draft import Case, Draft, Shortened
from ctxkit.core.compact.reads import stale
from ctxkit.core.compact.recent import tail
from ctxkit.core.compact.stub import is_cleared, stub
from ctxkit.core.context.extract.deed import observed

LEAST = 40
"""Tokens that clearing one result must save: a smaller one says more as it is."""
LONG = 400
"""Characters below which no result can save as much."""


class Candidate(NamedTuple):
    """Hold a result that may be cleared: the place of its message in the path, its tool and why it may go.

    Where an agent has no calls, the ``words`` of messages that say what a command returned are results.
    """

    at: int
    result: Result
    tool: str
    reason: str
    stale: bool
    words: bool = False


def clear(case: Case, draft: Draft, *, stores: bool) -> Draft:
    """Return the draft with so many old results cleared that the goal is reached, all of them where it is not."""
    size, goal = case.total, 0 if case.policy.force else case.policy.goal
    for candidate in sorted(_candidates(case), key=lambda one: not one.stale):
        if size <= goal:
            break
        record = case.path[candidate.at]
        edit = _edit(case, record, candidate, stores)
        if edit.gain >= LEAST:
            draft = draft.shortening(record.at, candidate.result.place, edit)
            size -= edit.gain
    return draft


def _candidates(case: Case) -> Iterator[Candidate]:
    """Yield old results, the oldest first; those among the newest messages are not old."""
    names, reasons = _tools(case)
    seen = observed(case.path)
    for at, record in enumerate(case.path[: tail(case)]):
        if at in seen and not record.sealed:
            yield from _spoken(at, record)
        for number, result in enumerate(record.results):
            if record.sealed or is_cleared(result.text) or (result.plain and len(result.text) < LONG):
                continue
            reason = reasons.get((at, number), "")
            tool = result.name or names.get((at, number), "")
            yield Candidate(at, result, tool, reason or "old tool result", bool(reason))


def _spoken(at: int, record: Record) -> Iterator[Candidate]:
    """Yield the words of a message that says what a command returned."""
    for passage in record.passages:
        if len(passage.text) >= LONG and not is_cleared(passage.text):
            result = Result("", passage.text, passage.place)
            yield Candidate(at, result, "", "old tool result", stale=False, words=True)


def _tools(case: Case) -> tuple[dict[tuple[int, int], str], dict[tuple[int, int], str]]:
    """Return the tools of results, and why some are stale, by places of the message and of the result in it."""
    path = case.path
    found = pairing(path, case.transcript.format.RULES)
    places = {record.at: at for at, record in enumerate(path)}
    old, names, reasons = stale(path), {}, {}
    numbers = {
        (at, id(result)): number
        for at, record in enumerate(found.spoken)
        for number, result in enumerate(record.results)
    }
    for asked, told in (*found.paired, *found.displaced):
        calling, answering = found.spoken[asked.at], found.spoken[told.at]
        call = places[calling.at], asked.number
        result = places[answering.at], numbers[told.at, id(told.result)]
        names[result] = asked.call.name
        if call in old:
            reasons[result] = old[call]
    return names, reasons


def _edit(case: Case, record: Record, candidate: Candidate, stores: bool) -> Shortened:
    """Return how to put the stub of a result in its place."""
    result = candidate.result
    text = result.text if result.plain else raw(case, record, result)
    stored = text.encode("utf-8", "surrogatepass")
    ref = sha256(stored).hexdigest()
    words = stub(text, candidate.tool, ref if stores else "", failed=result.failed)
    value = words if candidate.words else case.transcript.format.returned(result, words)
    patches = (Patch(result.place, value), *(Patch(copy, words) for copy in result.copies))
    before = case.balance.size(result.text) + (0 if result.plain else _pictures(case, record))
    gain = before - case.balance.size(words)
    return Shortened("cleared", patches, words, stored, ref, gain, candidate.reason, candidate.tool, result.id)


def raw(case: Case, record: Record, result: Result) -> str:
    """Return a result that holds more than text as it is written; where that cannot be told, its text."""
    try:
        start, end = located(case.transcript.text, record.start, result.place)
    except (KeyError, ValueError):
        return result.text
    return case.transcript.text[start:end]


def _pictures(case: Case, record: Record) -> int:
    """Return what the pictures of a message take, where it holds but one result, so that they are all in it."""
    if len(record.results) != 1:
        return 0
    costs = (cost.high for one in record.messages for name, cost in case.balance.row(one).costs if name == "images")
    return sum(costs)
