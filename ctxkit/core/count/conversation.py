"""Counting a conversation: what its model reads of it, message by message."""

from collections.abc import Iterable

from ctxkit.core.chat.format import Format, named
from ctxkit.core.chat.message import Entry
from ctxkit.core.chat.opened import Opened, opened
from ctxkit.core.chat.transcript import Transcript
from ctxkit.core.count.amount import Amount, sum_of
from ctxkit.core.count.meter import Meter
from ctxkit.core.count.order import Order
from ctxkit.core.count.row import Scale
from ctxkit.core.count.scheme import scheme_of
from ctxkit.core.count.sheet import Sheet, Sum
from ctxkit.core.tally import Method


def found_in(chunks: Iterable[bytes], name: str, order: Order) -> Opened:
    """Return content as the conversation that it is, or as text; raises Malformed where it is broken."""
    return opened(chunks, order.parse, name, named(order.format) if order.format else None)


def summed(found: Opened, order: Order) -> Sum:
    """Return what a conversation takes; raises Malformed where it is broken."""
    assert found.format is not None
    return added(found.entries, found.format, order)


def scale_of(format_: Format, order: Order) -> Scale:
    """Return the scale on which the messages of a format are weighed."""
    scheme = scheme_of(order.model, order.vocabulary, "" if order.named else format_.PROVIDER)
    return Scale(scheme, Meter(order.vocabulary, order.count), order.model)


def added(entries: Iterable[Entry], format_: Format, order: Order) -> Sum:
    """Return what the entries of a conversation take."""
    sheet = Sheet(scale_of(format_, order), linear=format_.LINEAR, rows=order.rows)
    for entry in entries:
        sheet.add(entry)
    return sheet.sum()


def weight(transcript: Transcript, order: Order, *, whole: bool = True) -> tuple[Amount, int]:
    """Return what a model reads of a conversation, in tokens, and in how many messages.

    Unless it is ``whole``, what stands beside and around its messages is not counted: a part of a conversation.
    """
    entries = (entry for record in transcript.records for entry in record.entries)
    total = added((*transcript.head, *entries), transcript.format, order._replace(rows=True))
    rows = total.rows if whole else total.rows[: total.messages]
    return sum_of(row.amount for row in rows), total.messages


def method_of(amount: Amount, order: Order) -> Method:
    """Return how sure an amount is."""
    return "exact" if order.vocabulary.exact and amount.low == amount.high else "estimate"
