"""Counting contents one after the other, and showing what each takes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.count.amount import NOTHING
from ctxkit.core.count.content import Counted, by_line, counted, percent
from ctxkit.core.count.meter import Meter
from ctxkit.core.count.table import table
from ctxkit.core.escapes import escape_name
from ctxkit.core.exit import Exit
from ctxkit.core.measure import plural
from ctxkit.core.tally import Method
from ctxkit.core.trouble import Malformed, Misuse, Trouble
from ctxkit.edge import out, say, source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctxkit.core.budget import Budget
    from ctxkit.core.count.amount import Amount
    from ctxkit.core.count.order import Order
    from ctxkit.core.count.sheet import Sum

BY = ("total", "file", "message", "component", "line")
"""What a row may be about."""
Cells = tuple[int | str, ...]


class Shown(NamedTuple):
    """Say how counts are shown: ``alone`` is stdin that nobody named, ``wide`` adds columns."""

    by: str
    alone: bool = False
    wide: bool = False
    as_json: bool = False
    budget: Budget | None = None


class Counts:
    """Count contents and show what they take, in rows about what ``shown`` says."""

    def __init__(self, order: Order, shown: Shown) -> None:
        self._order, self._shown = order, shown
        self._status = Exit.DONE

    def of(self, names: list[str], most: int | None = None) -> Exit:
        """Count all, and answer 1 when it is more than ``most`` tokens.

        A file that cannot be read is named, and the rest goes on; its status is then the answer.
        """
        if self._shown.by == "line":
            return self._lines(names)
        done: list[Counted] = []
        high = 0
        for name in names:
            found = self._one(name, None if most is None else max(most - high, 0))
            if found is None:
                continue
            done.append(found)
            high += found.amount.high
            self._each(found)
            if most is not None and (high > most or not found.whole):
                break
        over = most is not None and (high > most or not all(found.whole for found in done))
        self._end(done)
        if over and self._status == Exit.DONE:
            say.note(f"more than {plural(most or 0, 'token')}")
            return Exit.NO
        return self._status

    def _one(self, name: str, limit: int | None) -> Counted | None:
        title = title_of(name)
        try:
            chunks = source.chunks(name)
            found = counted(chunks, title, self._order, limit)
            if self._shown.by in ("message", "component") and found.sum is None:
                raise Malformed(f"{title}: no conversation is recognized", hint="--by file and line count text")
        except Trouble as trouble:
            self._failed(trouble)
            return None
        if not found.whole and title == "stdin":
            source.drain(chunks)
        if found.doubt:
            say.warn(f"{title}: {found.doubt}")
        if found.whole:
            messages = f", {plural(found.messages, 'message')}" if found.messages else ""
            say.note(f"{title}: {found.format or 'text'}{messages}, counted with {self._order.vocabulary.name}")
        return found._replace(name=_decoded(name)) if self._shown.as_json and title != "stdin" else found

    def _failed(self, trouble: Trouble) -> None:
        if isinstance(trouble, Misuse):
            raise trouble
        say.error(str(trouble), trouble.hint)
        self._status = self._status or trouble.status

    def _each(self, found: Counted) -> None:
        """Show what stands for itself: the messages or components of a conversation, the object of a file."""
        if found.sum and self._shown.by == "message":
            self._rows(found, ("tokens", "message", "role", "name"), _messages(found.sum))
        elif found.sum and self._shown.by == "component":
            self._rows(found, ("tokens", "component"), _components(found.sum))
        elif self._shown.as_json and self._shown.by == "file":
            out.write_json(self._object(found))

    def _rows(self, found: Counted, keys: tuple[str, ...], rows: list[Cells]) -> None:
        if self._shown.as_json:
            own: dict[str, int | str] = {"file": found.name, "method": found.method}
            out.write(_json_line({**own, **dict(zip(keys, row, strict=True))}) for row in rows)
        else:
            named = () if found.name == "stdin" else (found.name,)
            out.write_listing("".join(table([(*row, *named) for row in rows])))
            self._label(found)

    def _end(self, done: list[Counted]) -> None:
        """Show the table or the total; what was not read to its end has none."""
        by = self._shown.by
        if not done or not done[-1].whole or by in ("message", "component"):
            return
        total, several = _total(done), len(done) > 1
        if self._shown.as_json:
            if several or by == "total":
                out.write_json(self._object(total))
            return
        if by == "total":
            rows = [self._cells(total)[:-1]]
        elif self._shown.alone:
            rows = [self._cells(done[0])[:-1]]
        else:
            rows = [self._cells(found) for found in ([*done, total] if several else done)]
        out.write_listing("".join(table(rows)))
        if not self._shown.wide:
            self._label(total if several else done[0])

    def _label(self, found: Counted) -> None:
        """Say that a number is an estimate where nothing beside it does."""
        if found.method == "estimate" and found.amount.high:
            what = {"stdin": "this", "total": "the total"}.get(found.name, found.name)
            say.warn(f"{what} is an estimate: {_range(found.amount)}")

    def _cells(self, found: Counted) -> Cells:
        if not self._shown.wide:
            return (found.amount.tokens, found.name)
        return (found.amount.tokens, found.lines, found.size, found.method, found.format or "text", found.name)

    def _object(self, found: Counted) -> dict[str, object]:
        """Return the documented object of a content, or of all; what was not read to its end has no number."""
        budget, amount = self._shown.budget, found.amount
        return {
            "name": found.name,
            "tokens": amount.tokens if found.whole else None,
            "method": found.method,
            "tokenizer": self._order.vocabulary.name,
            "low": amount.low,
            "high": amount.high if found.whole else None,
            "bytes": found.size if found.whole else None,
            "lines": found.lines if found.whole else None,
            "window": budget.window if budget else None,
            "percent": percent(amount.tokens, budget.effective) if budget and found.whole else None,
            "format": found.format or "text",
            "messages": found.messages,
        }

    def _lines(self, names: list[str]) -> Exit:
        """Show the tokens of each line as they are counted."""
        for name in names:
            try:
                out.write(self._counted_lines(name))
            except Trouble as trouble:
                self._failed(trouble)
        return self._status

    def _counted_lines(self, name: str) -> Iterator[bytes]:
        title, meter = title_of(name), Meter(self._order.vocabulary, self._order.count)
        for number, amount in by_line(source.chunks(name), meter):
            if self._shown.as_json:
                method = "exact" if self._order.vocabulary.exact else "estimate"
                file = title if title == "stdin" else _decoded(name)
                yield _json_line({"file": file, "method": method, "line": number, "tokens": amount.tokens})
            else:
                place = number if title == "stdin" else f"{title}:{number}"
                yield f"{amount.tokens}\t{place}\n".encode("utf-8", "replace")


def title_of(name: str) -> str:
    """Return the name of a file as it is, on one line; what cannot be printed is escaped."""
    return "stdin" if name in ("", "-") else escape_name(name)


def _decoded(name: str) -> str:
    """Return the name of a file as JSON can hold it."""
    return os.fsencode(name).decode("utf-8", "replace")


def _range(amount: Amount) -> str:
    """Return the ends of an estimate in words."""
    between = f"{amount.low:,} to " if amount.low < amount.high else ""
    return f"{between}{plural(amount.high, 'token')}"


def _json_line(value: dict[str, int | str]) -> bytes:
    import orjson

    return orjson.dumps(value) + b"\n"


def _messages(total: Sum) -> list[Cells]:
    """Return a row a message; those of the tools and of the whole have the number 0."""
    numbers = [*range(1, total.messages + 1), *(0 for _ in total.rows[total.messages :])]
    rows = zip(numbers, total.rows, strict=True)
    return [(row.amount.tokens, number, escape_name(row.role), escape_name(row.name)) for number, row in rows]


def _components(total: Sum) -> list[Cells]:
    costs: list[Cells] = [(amount.tokens, name) for name, amount in total.components.items() if amount.tokens]
    return [*costs, (total.amount.tokens, "total")]


def _total(done: list[Counted]) -> Counted:
    """Return the sum of what was counted; it is exact where all of it is."""
    amount = NOTHING
    for found in done:
        amount = amount.plus(found.amount)
    methods: list[Method] = [found.method for found in done if found.method != "exact"]
    formats = {found.format for found in done}
    size, lines = sum(found.size for found in done), sum(found.lines for found in done)
    messages = sum(found.messages for found in done)
    named = formats.pop() if len(formats) == 1 else "mixed"
    method = methods[0] if methods else "exact"
    return Counted("total", amount, method, size, lines, format=named, messages=messages)
