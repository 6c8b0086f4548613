"""A conversation whose messages are numbered from 1, in the order in which a model reads them, with what each costs."""

from collections.abc import Iterator
from typing import NamedTuple

from ctxkit.core.chat.message import Rewind
from ctxkit.core.chat.path import active
from ctxkit.core.chat.record import SYSTEM_ROLES, Record
from ctxkit.core.chat.transcript import Transcript
from ctxkit.core.context.summary import contents
from ctxkit.core.count.amount import Amount, sum_of
from ctxkit.core.count.conversation import method_of, scale_of, weight
from ctxkit.core.count.order import Order
from ctxkit.core.tally import Method

MARK = "[ctxkit edit]"
"""What a summary that somebody gave begins with."""
SHOWN = 72
"""Characters of a message that a row shows."""


class Numbered(NamedTuple):
    """Hold the messages of a conversation, what each takes, and what all of it does; ``order`` says how to count."""

    transcript: Transcript
    path: tuple[Record, ...]
    costs: tuple[Amount, ...]
    total: Amount
    order: Order

    def cost(self, first: int, last: int) -> Amount:
        """Return what the messages of a range take; both ends are 1-based and inclusive."""
        return sum_of(self.costs[first - 1 : last])

    def method(self, amount: Amount) -> Method:
        """Return how sure an amount is."""
        return method_of(amount, self.order)


class Row(NamedTuple):
    """Describe a range: its first and last number, what it is, its tokens, tool calls, and how it begins.

    ``what`` is system, summary, request (one of the user, with all that it led to), or start: what stands before the
    first one. A single message is named by its role. ``stays`` says that it cannot be taken out.
    """

    first: int
    last: int
    what: str
    amount: Amount
    calls: int
    title: str
    stays: bool


def numbered(transcript: Transcript, order: Order) -> Numbered:
    """Return a conversation with its messages numbered."""
    path = tuple(transcript.records[at] for at in active(transcript))
    scale = scale_of(transcript.format, order)
    costs = tuple(sum_of(scale.row(message).amount for message in record.messages) for record in path)
    return Numbered(transcript, path, costs, weight(transcript, order)[0], order)


def beside(found: Numbered) -> Amount:
    """Return what is no message: tools, a system prompt that stands alone, and what frames the whole."""
    return Amount(*(max(all_ - some, 0) for all_, some in zip(found.total, sum_of(found.costs), strict=True)))


def stays(record: Record) -> str:
    """Return why a message cannot be taken out, empty where it can."""
    if record.role in SYSTEM_ROLES and contents(record.words) is None:
        return "is a system prompt"
    if record.sealed:
        return "holds what only its provider can read"
    if any(message.kept for message in record.messages) or any(isinstance(one, Rewind) for one in record.entries):
        return "is the summary of a compaction: what it stands for would come back"
    return ""


def by_task(found: Numbered) -> list[Row]:
    """Return the ranges of a conversation: each request of the user begins one, and so does what has to stay."""
    total = len(found.path)
    starts = [at for at in range(total) if not at or _begins(_kind(found.path[at - 1]), _kind(found.path[at]))]
    return [_row(found, first + 1, last) for first, last in zip(starts, [*starts[1:], total], strict=True)]


def by_message(found: Numbered) -> list[Row]:
    """Return a row for each message."""
    rows = [_row(found, number, number) for number in range(1, len(found.path) + 1)]
    return [row._replace(what=record.role) for row, record in zip(rows, found.path, strict=True)]


def _begins(before: str, kind: str) -> bool:
    """Tell whether a range begins with a message of some kind, after one of another or the same."""
    return kind == "request" or (kind != before and not {"system", "summary"}.isdisjoint((before, kind)))


def _kind(record: Record) -> str:
    if record.kind == "summary" or record.words.startswith(MARK) or contents(record.words) is not None:
        return "summary"
    if record.role in SYSTEM_ROLES:
        return "system"
    return "request" if record.asks else "start"


def _row(found: Numbered, first: int, last: int) -> Row:
    records = found.path[first - 1 : last]
    calls = sum(len(record.calls) for record in records)
    title = next(_titles(records), "")
    immovable = any(map(stays, records))
    return Row(first, last, _kind(records[0]), found.cost(first, last), calls, title, immovable)


def _titles(records: tuple[Record, ...]) -> Iterator[str]:
    """Yield the beginnings of messages that say something, then those of calls and results."""
    for record in records:
        if words := " ".join(record.words[: 4 * SHOWN].split()):
            yield _cut(words)
    for record in records:
        yield from (_cut(f"{call.name}()") for call in record.calls)
        yield from (_cut(" ".join(result.text[: 4 * SHOWN].split())) for result in record.results)


def _cut(words: str) -> str:
    words = "".join(letter if letter.isprintable() else "?" for letter in words)
    return words if len(words) <= SHOWN else f"{words[: SHOWN - 3]}..."
