"""What every conversation must fulfil, and what a changed one must have kept of the one before.

Each call has exactly one result and each result one call, where the API looks for it; a call at the end may be open.
Ids are taken once. Where the API demands it, results come first in their message, roles alternate, the user opens,
system messages stand where they may, and no message is empty. After a change the calls of one response are all
there or all gone, so is a loop of calls that begins with reasoning, or its rest from another message that does so
on; and what only the provider can read is as it was, in its order.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from ctxkit.core.chat.editor import Rules
from ctxkit.core.chat.inside import blanks, is_hollow
from ctxkit.core.chat.located import patched
from ctxkit.core.chat.pairing import Asked, Pairing, Told, pairing, side
from ctxkit.core.chat.path import active
from ctxkit.core.chat.record import Record
from ctxkit.core.chat.transcript import Transcript

Rule = Literal[
    "unanswered", "orphan", "extra", "displaced", "behind", "repeated",  # calls and results
    "alternation", "opening", "system", "empty",  # messages
    "together", "loop", "sealed",  # what a change must keep
]  # fmt: skip


class Breach(NamedTuple):
    """Say which rule is broken where: ``at`` is the place of the entry, ``line`` the 1-based one it begins on.

    ``ids`` are those of the calls concerned; an entry that is gone has no line, 0.
    """

    rule: Rule
    at: int
    line: int
    ids: tuple[str, ...]
    message: str


Finding = tuple[Rule, int, tuple[str, ...], str]
"""A breach before its line is known: the rule, the place of the entry, ids, and what is wrong."""


def breaches(transcript: Transcript, path: Sequence[int] | None = None) -> tuple[Breach, ...]:
    """Return what is wrong with a conversation as it would be sent, in the order of the file.

    ``path`` are the places of the entries that are sent, as ``active`` returns them, which is the default.
    """
    records = [transcript.records[at] for at in (active(transcript) if path is None else path)]
    return _lined(transcript, broken(records, transcript.format.RULES))


def broken(records: Sequence[Record], rules: Rules) -> tuple[Finding, ...]:
    """Return what is wrong with entries that stand in the order in which they are sent."""
    found = pairing(records, rules)
    return (*_calls(found), *_messages(found.spoken, rules))


def kept(before: Transcript, after: Transcript, leaf: str = "") -> tuple[Breach, ...]:
    """Return what a change should have kept: places and lines are those of the conversation before it.

    ``leaf`` names the newest entry of the path that was changed.
    """
    was = [before.records[at] for at in active(before, leaf)]
    now = [after.records[at] for at in active(after)]
    left = {call.id for record in now for call in record.calls}
    found = [*_apart(was, before.format.RULES, left), *_unsealed(before, was, [*_sealed(after, now)])]
    if before.format.RULES.loops:
        stays = {_text(after, record) for record in now if side(record) == "assistant" and not _named(record)}
        found += _torn(loops(was), lambda one: _named(one) in left if _named(one) else _text(before, one) in stays)
    return _lined(before, found)


def _named(record: Record) -> str:
    """Return the id by which a message is known: that of its first call."""
    return next((call.id for call in record.calls if call.id), "")


def _sealed(transcript: Transcript, records: Sequence[Record]) -> Iterator[str]:
    yield from (_text(transcript, record) for record in records if record.sealed)


def loops(records: Sequence[Record]) -> Iterator[tuple[Record, ...]]:
    """Yield the model's messages of each loop that begins with reasoning: up to the next time the user speaks.

    A response without calls that nothing follows in its loop is no loop.
    """
    loop: list[Record] = []
    for record in records:
        if record.kind not in ("message", "summary"):
            continue
        if side(record) == "assistant":
            loop += [record] if loop or record.thinks else []
        elif not record.results or record.words.strip():
            yield from _whole(loop)
            loop = []
    yield from _whole(loop)


def _whole(loop: Sequence[Record]) -> Iterator[tuple[Record, ...]]:
    if any(record.calls for record in loop):
        yield tuple(loop)


def _text(transcript: Transcript, record: Record) -> str:
    """Return an entry as it is written, but for what it hangs on in a tree."""
    return transcript.raw(record) if record.link is None else _unhung(transcript, record)


def _unhung(transcript: Transcript, record: Record) -> str:
    raw = transcript.raw(record)
    return patched(raw, 0, transcript.format.relinked(record.value, None))


def lines(transcript: Transcript, places: Iterable[int]) -> dict[int, int]:
    """Return on which 1-based lines some entries begin."""
    found, line, start = {}, 1, 0
    for at in sorted({*places}):
        record = transcript.records[at]
        line, start = line + transcript.text.count("\n", start, record.start), record.start
        found[at] = line
    return found


def _lined(transcript: Transcript, found: Sequence[Finding]) -> tuple[Breach, ...]:
    """Return findings as breaches, in the order of the file."""
    line = lines(transcript, [at for _, at, _, _ in found])
    ordered = sorted(found, key=lambda one: one[1])
    return tuple(Breach(rule, at, line[at], ids, message) for rule, at, ids, message in ordered)


def _calls(found: Pairing) -> Iterator[Finding]:
    """Yield what is wrong with calls and results."""
    spoken = found.spoken
    for one in found.missing:
        yield _of_call("unanswered", spoken, one, "has no result")
    for one in found.repeated:
        yield _of_call("repeated", spoken, one, "has an id that another call has")
    for told in found.orphans:
        yield _of_result("orphan", spoken, told, "answers no call")
    for told in found.extra:
        yield _of_result("extra", spoken, told, "answers a call that has a result")
    for asked, told in found.displaced:
        where = "comes before its call" if told.at < asked.at else "does not stand where that of its call belongs"
        yield _of_result("displaced", spoken, told, where)
    for _, told in found.behind:
        yield _of_result("behind", spoken, told, "has something else before it in its message")


def _of_call(rule: Rule, spoken: Sequence[Record], one: Asked, what: str) -> Finding:
    name = f" of {one.call.name}" if one.call.name else ""
    ids = (one.call.id,) if one.call.id else ()
    return rule, spoken[one.at].at, ids, f"the call{name}{_spelled(ids)} {what}"


def _of_result(rule: Rule, spoken: Sequence[Record], one: Told, what: str) -> Finding:
    name = f" of {one.result.name}" if one.result.name else ""
    ids = (one.result.id,) if one.result.id else ()
    return rule, spoken[one.at].at, ids, f"the result{name}{_spelled(ids)} {what}"


def _spelled(ids: Sequence[str]) -> str:
    return f" {', '.join(ids)}" if ids else ""


def _messages(spoken: Sequence[Record], rules: Rules) -> Iterator[Finding]:
    """Yield what is wrong with who speaks where, and messages that say nothing."""
    talk = [record for record in spoken if side(record) != "system"]
    if rules.opens and talk and side(talk[0]) == "assistant":
        yield "opening", talk[0].at, (), "the user must speak first"
    if rules.alternates:
        yield from _in_a_row(talk, rules)
    yield from _systems(spoken, rules)
    if rules.layout == "next":
        yield from _empty(spoken)


def _in_a_row(talk: Sequence[Record], rules: Rules) -> Iterator[Finding]:
    """Yield messages whose sender sent the one before, not counting calls and results where results are messages."""
    counted = talk if rules.layout == "next" else [one for one in talk if not one.calls and not one.results]
    for one, other in pairwise(counted):
        if side(one) == side(other):
            yield "alternation", other.at, (), f"two messages of the {side(other)} stand in a row"


def _systems(spoken: Sequence[Record], rules: Rules) -> Iterator[Finding]:
    talked = False
    for record in spoken:
        if record.role != "system":
            talked = True
        elif rules.layout == "next" and rules.summary == "user":
            yield "system", record.at, (), "a system message stands among the messages"
        elif rules.alternates and talked:
            yield "system", record.at, (), "a system message stands after others"


def hollow(spoken: Sequence[Record]) -> Iterator[Record]:
    """Yield messages that say nothing, without the last one where it is the model's, who may begin it so."""
    for at, record in enumerate(spoken):
        kept_so = record.sealed or record.thinks or side(record) == "system" or record.kind == "summary"
        last = at == len(spoken) - 1 and side(record) == "assistant"
        if not (kept_so or last or record.calls or record.results) and is_hollow(record.value):
            yield record


def _empty(spoken: Sequence[Record]) -> Iterator[Finding]:
    """Yield messages that say nothing, and those that hold text which does."""
    empty = {record.at for record in hollow(spoken)}
    for record in spoken:
        if record.at in empty:
            yield "empty", record.at, (), f"a message of the {side(record)} says nothing"
        elif blanks(record):
            yield "empty", record.at, (), f"a message of the {side(record)} holds text that says nothing"


def _apart(was: Sequence[Record], rules: Rules, left: set[str]) -> Iterator[Finding]:
    """Yield responses of which some calls are left; ids that several responses use tell nothing."""
    found = pairing(was, rules)
    turns = [
        [call for record in found.spoken[turn.first : turn.last + 1] for call in record.calls] for turn in found.turns
    ]
    uses = Counter(id_ for calls in turns for id_ in {call.id for call in calls})
    for turn, calls in zip(found.turns, turns, strict=True):
        ids = [call.id for call in calls if call.id and uses[call.id] == 1]
        gone = tuple(id_ for id_ in ids if id_ not in left)
        if gone and len(gone) < len(ids):
            record = found.spoken[turn.first]
            yield "together", record.at, gone, f"calls of a response are gone whose others are left:{_spelled(gone)}"


def _torn(found: Iterator[tuple[Record, ...]], there: Callable[[Record], bool]) -> Iterator[Finding]:
    """Yield loops of which something is left that is not their rest from a message that begins with reasoning."""
    for loop in found:
        left = [there(record) for record in loop]
        first = left.index(True) if any(left) else len(loop)
        if first < len(loop) and not (all(left[first:]) and loop[first].thinks):
            gone = [record for record, stays in zip(loop, left, strict=True) if not stays]
            ids = tuple(call.id for record in gone for call in record.calls if call.id)
            yield "loop", gone[0].at, ids, "a loop that begins with reasoning is torn"


def _unsealed(before: Transcript, was: Sequence[Record], texts: Sequence[str]) -> Iterator[Finding]:
    """Yield entries that only the provider can read and that are not as they were, or not in their order.

    Reasoning may leave with what it led to.
    """
    at = 0
    counts = Counter(texts)
    for record in was:
        if not record.sealed:
            continue
        raw = _text(before, record)
        if not counts[raw]:
            if not record.thinks:
                yield "sealed", record.at, (), "an entry that only the provider can read is gone, or not as it was"
            continue
        try:
            at = texts.index(raw, at) + 1
        except ValueError:
            yield "sealed", record.at, (), "an entry that only the provider can read has changed its place"
