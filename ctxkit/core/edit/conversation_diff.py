"""The difference of two conversations, message by message."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher, unified_diff
from json import dumps
from typing import Literal, NamedTuple

from ctxkit.core.chat.branches import find_active_path
from ctxkit.core.chat.model.message import Record
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.summary.frame import unframe_page
from ctxkit.core.text.escapes import escape_controls

MAX_COMPARED = 400
"""Maximum lines of a message whose lines are compared; of a longer one, both versions are printed."""
MAX_PAIRS = 10_000
"""Maximum pairs of messages between two equal ones that are compared one by one."""
ChangeKind = Literal["removed", "added", "changed"]


class DiffMessage(NamedTuple):
    """A message in a diff: its number from 1, its role and its lines; ``ids`` are those of its results."""

    number: int
    role: str
    lines: tuple[str, ...]
    ids: tuple[str, ...] = ()
    is_summary: bool = False


class MessageChange(NamedTuple):
    """A message that only one of two conversations has, or that both have with different content."""

    kind: ChangeKind
    before: DiffMessage | None
    after: DiffMessage | None


def list_diff_messages(transcript: Transcript) -> list[DiffMessage]:
    """Return the messages of a conversation that are sent, in their order."""
    records = (transcript.records[at] for at in find_active_path(transcript))
    return [_make_message(number, record) for number, record in enumerate(records, 1)]


def _make_message(number: int, record: Record) -> DiffMessage:
    calls = (f"{call.name} {dumps(call.arguments, ensure_ascii=False)}" for call in record.calls)
    texts = (record.words, *calls, *(result.text for result in record.results))
    lines = tuple(line for text in texts if text for line in escape_controls(text).splitlines())
    ids = tuple(result.id for result in record.results if result.id)
    return DiffMessage(number, record.role, lines, ids, unframe_page(record.words) is not None)


def find_changes(before: Sequence[DiffMessage], after: Sequence[DiffMessage]) -> Iterator[MessageChange]:
    """Yield the changes between two conversations in order.

    Messages that occur once in both and stand in the same order are equal, and so are equal messages beside them. In
    short parts, all messages are compared.
    """
    start = end = 0
    for left, right in [*_match(before, after), (len(before), len(after))]:
        yield from _compare_gap(before[start:left], after[end:right])
        start, end = left + 1, right + 1


def _match(before: Sequence[DiffMessage], after: Sequence[DiffMessage]) -> list[tuple[int, int]]:
    """Return the places of equal messages in both conversations, in ascending order."""
    anchors = _find_anchors(before, after)
    matches: list[tuple[int, int]] = []
    start = end = 0
    for left, right in [*anchors, (len(before), len(after))]:
        while start < left and end < right and _key(before[start]) == _key(after[end]):
            matches.append((start, end))
            start, end = start + 1, end + 1
        tail: list[tuple[int, int]] = []
        last, final = left - 1, right - 1
        while last >= start and final >= end and _key(before[last]) == _key(after[final]):
            tail.append((last, final))
            last, final = last - 1, final - 1
        matches += _match_small(before[start : last + 1], after[end : final + 1], start, end)
        matches += reversed(tail)
        if left < len(before) and right < len(after):
            matches.append((left, right))
        start, end = left + 1, right + 1
    return matches


def _match_small(
    before: Sequence[DiffMessage], after: Sequence[DiffMessage], start: int, end: int
) -> list[tuple[int, int]]:
    """Return the places of equal messages in two short parts that begin at ``start`` and ``end``."""
    if len(before) * len(after) > MAX_PAIRS:
        return []
    matcher = SequenceMatcher(None, [_key(message) for message in before], [_key(message) for message in after])
    blocks = matcher.get_matching_blocks()
    return [(start + block.a + at, end + block.b + at) for block in blocks for at in range(block.size)]


def _find_anchors(before: Sequence[DiffMessage], after: Sequence[DiffMessage]) -> list[tuple[int, int]]:
    """Return the longest ascending sequence of places of messages that occur once in both conversations."""
    counts, other_counts = Counter(map(_key, before)), Counter(map(_key, after))
    places = {_key(message): at for at, message in enumerate(after)}
    pairs = [
        (at, places[key])
        for at, key in enumerate(map(_key, before))
        if counts[key] == 1 and other_counts.get(key) == 1
    ]
    ends: list[int] = []
    last_of: list[int] = []
    previous: list[int] = []
    for index, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        previous.append(last_of[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        last_of[length : length + 1] = [index]
    anchors: list[tuple[int, int]] = []
    index = last_of[-1] if last_of else -1
    while index >= 0:
        anchors.append(pairs[index])
        index = previous[index]
    return anchors[::-1]


def _key(message: DiffMessage) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    return message.role, message.lines, message.ids


def _compare_gap(before: Sequence[DiffMessage], after: Sequence[DiffMessage]) -> Iterator[MessageChange]:
    """Yield the changes between two equal messages: a result with another text, or a new summary, is a change."""
    partners = {_identity(message): message for message in before if _identity(message)}
    later = {_identity(message) for message in after}
    yield from (MessageChange("removed", message, None) for message in before if _identity(message) not in later - {()})
    for message in after:
        partner = partners.get(_identity(message))
        yield MessageChange("changed" if partner else "added", partner, message)


def _identity(message: DiffMessage) -> tuple[str, ...]:
    return ("summary",) if message.is_summary else message.ids


def format_changes(changes: Sequence[MessageChange], before: str, after: str) -> Iterator[str]:
    """Yield the lines of a diff in the unified format, with a header for each message; nothing without changes."""
    if changes:
        yield from (f"--- {before}\n", f"+++ {after}\n")
    for change in changes:
        yield from _format_change(change)


def _format_change(change: MessageChange) -> Iterator[str]:
    yield f"@@ {describe_place(change)} @@\n"
    old = change.before.lines if change.before else ()
    new = change.after.lines if change.after else ()
    if old and new and max(len(old), len(new)) <= MAX_COMPARED:
        compared = unified_diff(old, new, lineterm="", n=1)
        yield from (f"{line}\n" for line in list(compared)[2:] if not line.startswith("@@"))
        return
    yield from (f"-{line}\n" for line in old)
    yield from (f"+{line}\n" for line in new)


def describe_place(change: MessageChange) -> str:
    """Return the place and the kind of a change, such as "-7 tool removed" or "-3 +2 system changed"."""
    sides = (("-", change.before), ("+", change.after))
    numbers = [f"{sign}{message.number}" for sign, message in sides if message is not None]
    message = change.after or change.before
    return " ".join([*numbers, message.role if message else "", change.kind])
