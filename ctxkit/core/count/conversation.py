"""Counting a conversation: what its model reads of it, message by message."""

from collections.abc import Iterable

from ctxkit.core.chat.format import named
from ctxkit.core.chat.opened import Opened, opened
from ctxkit.core.count.meter import Meter
from ctxkit.core.count.order import Order
from ctxkit.core.count.row import Scale
from ctxkit.core.count.scheme import scheme_of
from ctxkit.core.count.sheet import Sheet, Sum


def found_in(chunks: Iterable[bytes], name: str, order: Order) -> Opened:
    """Return content as the conversation that it is, or as text; raises Malformed where it is broken."""
    return opened(chunks, order.parse, name, named(order.format) if order.format else None)


def summed(found: Opened, order: Order) -> Sum:
    """Return what a conversation takes; raises Malformed where it is broken."""
    assert found.format is not None
    provider = "" if order.named else found.format.PROVIDER
    scheme = scheme_of(order.model, order.vocabulary, provider)
    scale = Scale(scheme, Meter(order.vocabulary, order.count), order.model)
    sheet = Sheet(scale, linear=found.format.LINEAR, rows=order.rows)
    for entry in found.entries:
        sheet.add(entry)
    return sheet.sum()
