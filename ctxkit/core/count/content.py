"""Counting one content, whatever it is."""

from __future__ import annotations

import codecs
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.count.amount import Amount
from ctxkit.core.held import HeldBack, HeldWhole
from ctxkit.core.isolation import directly
from ctxkit.core.tally import Method, decoded, encoding_of, tally
from ctxkit.core.trouble import Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ctxkit.core.count.meter import Meter
    from ctxkit.core.count.order import Order
    from ctxkit.core.count.sheet import Sum

_STARTS = (b"{", b"[", b"<|im_start|>")
"""How a conversation begins, after blanks; what begins otherwise is text."""

SMALL = 1 << 16
"""Bytes up to which a conversation is read in this process: so little cannot cost much."""


class Counted(NamedTuple):
    """Hold what a content takes: a conversation has a format and a ``sum``, text has neither.

    When counting stopped early, ``whole`` is false, and ``amount``, ``size`` and ``lines`` are what was reached.
    """

    name: str
    amount: Amount
    method: Method
    size: int
    lines: int
    whole: bool = True
    format: str = ""
    messages: int = 0
    sum: Sum | None = None
    doubt: str = ""


class Weighed:
    """Pass chunks on and count their bytes and lines; a last line without a newline is a line."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self.size, self._newlines, self._last = 0, 0, b"\n"

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            if chunk:
                self.size += len(chunk)
                self._newlines += chunk.count(b"\n")
                self._last = chunk[-1:]
            yield chunk

    @property
    def lines(self) -> int:
        """Return the lines that passed."""
        return self._newlines + (self._last != b"\n")


def counted(chunks: Iterable[bytes], name: str, order: Order, limit: int | None = None) -> Counted:
    """Count a content; text stops early once it is sure to be more than ``limit`` tokens.

    Raises Malformed where a conversation is broken, and where there is none although one was asked for.
    """
    weighed = Weighed(chunks)
    held = HeldBack(weighed)
    if order.input == "text" or (order.input == "auto" and not _may_be_chat(held)):
        return _text(weighed, held.everything(), name, order, limit)
    if len(held.upto(SMALL)) > SMALL and order.isolate is not directly:
        return _apart(weighed, held, name, order, limit)
    return _conversation(weighed, held, name, order, limit)


def _apart(weighed: Weighed, held: HeldBack, name: str, order: Order, limit: int | None) -> Counted:
    """Read and count what may be a conversation in another process, once all of it is here."""
    from ctxkit.core.count.plain import from_plain, to_plain

    data = b"".join(held.everything())
    return from_plain(
        order.isolate(lambda: to_plain(_conversation(weighed, HeldWhole(data), name, order, limit)), len(data))
    )


def _conversation(weighed: Weighed, held: HeldBack, name: str, order: Order, limit: int | None) -> Counted:
    # Only what may be a conversation pays for importing what reads them.
    from ctxkit.core.count import conversation

    found = conversation.found_in(held, name, order)
    if found.format is None and order.input == "chat":
        raise Malformed(f"{name}: no conversation is recognized", hint="--format says which format it is in")
    if found.format is None:
        return _text(weighed, found.chunks, name, order, limit)._replace(doubt=found.doubt)
    total = conversation.summed(found, order)
    sure = order.vocabulary.exact and total.amount.low == total.amount.high
    made = Counted(name, total.amount, "exact" if sure else "estimate", weighed.size, weighed.lines)
    return made._replace(format=found.format.NAME, messages=total.messages, sum=total)


def _may_be_chat(held: HeldBack) -> bool:
    start = held.upto(64)
    return encoding_of(start) != "utf-8" or start.removeprefix(codecs.BOM_UTF8).lstrip().startswith(_STARTS)


def _text(weighed: Weighed, chunks: Iterable[bytes], name: str, order: Order, limit: int | None) -> Counted:
    made = tally(chunks, order.vocabulary, order.count, limit)
    amount = Amount(made.least, made.tokens, made.high)
    return Counted(name, amount, made.method, weighed.size, weighed.lines, made.whole)


def by_line(chunks: Iterable[bytes], meter: Meter) -> Iterator[tuple[int, Amount]]:
    """Yield the 1-based number and the tokens of each line, its newline counted with it."""
    left, number = "", 1
    for piece in decoded(chunks):
        *whole, left = (left + piece).split("\n")
        for line in whole:
            yield number, meter.of(f"{line}\n")
            number += 1
    if left:
        yield number, meter.of(left)


def percent(tokens: int, effective: int) -> float:
    """Return tokens as a percentage of the effective window, with one digit, rounded up."""
    return ceil(1000 * tokens / effective) / 10 if effective else 100.0
