"""Take the counts that other processes make of a list of contents, and format them as rows and lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ctxkit.core.count.amount import ZERO
from ctxkit.core.count.content import ContentTokens
from ctxkit.core.errors import CtxkitError
from ctxkit.core.text.escapes import escape_name
from ctxkit.core.text.quantity import pluralize

if TYPE_CHECKING:
    from ctxkit.core.count.amount import Amount
    from ctxkit.core.count.conversation_tokens import ConversationTokens
    from ctxkit.core.tokens.token_count import Method

Cells = tuple[int | str, ...]


def title_of(name: str) -> str:
    """Return a file name on one line; escape characters that are not printable."""
    return "stdin" if name in ("", "-") else escape_name(name)


def decode_name(name: str) -> str:
    """Return a file name that JSON can represent."""
    return os.fsencode(name).decode("utf-8", "replace")


def format_range(amount: Amount) -> str:
    """Return the ends of an estimate in words."""
    between = f"{amount.low:,} to " if amount.low < amount.high else ""
    return f"{between}{pluralize(amount.high, 'token')}"


def encode_line(value: dict[str, int | str]) -> bytes:
    """Return an object as a line of JSON."""
    import orjson

    return orjson.dumps(value) + b"\n"


def make_message_rows(total: ConversationTokens) -> list[Cells]:
    """Return a row per message; rows of tools and of the whole have the number 0."""
    numbers = [*range(1, total.messages + 1), *(0 for _ in total.rows[total.messages :])]
    rows = zip(numbers, total.rows, strict=True)
    return [(row.amount.tokens, number, escape_name(row.role), escape_name(row.name)) for number, row in rows]


def make_component_rows(total: ConversationTokens) -> list[Cells]:
    """Return a row per component that has tokens, and one for the whole."""
    costs: list[Cells] = [(amount.tokens, name) for name, amount in total.components.items() if amount.tokens]
    return [*costs, (total.amount.tokens, "total")]


def sum_results(results: list[ContentTokens]) -> ContentTokens:
    """Return the sum of all results; it is exact if all of them are."""
    amount = ZERO
    for result in results:
        amount = amount.plus(result.amount)
    methods: list[Method] = [result.method for result in results if result.method != "exact"]
    formats = {result.format for result in results}
    size, lines = sum(result.size for result in results), sum(result.lines for result in results)
    messages = sum(result.messages for result in results)
    format_name = formats.pop() if len(formats) == 1 else "mixed"
    method = methods[0] if methods else "exact"
    return ContentTokens("total", amount, method, size, lines, format=format_name, messages=messages)


def format_table(rows: Sequence[Sequence[int | str]]) -> Iterator[str]:
    """Yield rows as lines: numbers right-aligned, text left-aligned, the last column unpadded."""
    if not rows:
        return
    widths = [max(len(str(row[at])) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        cells = [_format_cell(cell, width) for cell, width in zip(row, widths, strict=True)]
        yield f"{' '.join([*cells[:-1], str(row[-1])]).rstrip()}\n"


def _format_cell(cell: int | str, width: int) -> str:
    return str(cell).rjust(width) if isinstance(cell, int) else cell.ljust(width)


ShareItems = Callable[[Callable[[int], object], dict[int, int]], Iterator[tuple[int, object]]]
"""Yields answers for items of given sizes in bytes, by index, as other processes make them; may leave out items."""


class ItemAnswers:
    """Answers of other processes, in ascending order of the index; some may be absent."""

    def __init__(self, answers: Iterator[tuple[int, object]]) -> None:
        self._answers = answers
        self._next: tuple[int, object] | None = None

    def take(self, index: int) -> object:
        """Return the answer for an item, None if there is none; items are asked for in ascending order."""
        self._next = self._next or next(self._answers, None)
        if self._next is None or self._next[0] != index:
            return None
        value, self._next = self._next[1], None
        return value


def read_count(answer: object) -> ContentTokens:
    """Return the count that another process made; raise its error."""
    from ctxkit.core.count.content import from_plain

    if isinstance(answer, CtxkitError):
        raise answer
    return from_plain(answer)
