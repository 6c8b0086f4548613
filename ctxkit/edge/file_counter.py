"""Count the tokens of several contents, also in other processes, and print them as rows and lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ctxkit.core.count.amount import ZERO, TextCounter
from ctxkit.core.count.content import ContentTokens, count_content, count_lines, percent
from ctxkit.core.errors import CtxkitError, Exit, MalformedInputError, UsageError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.escapes import escape_name
from ctxkit.core.text.quantity import pluralize
from ctxkit.edge import out, say, source
from ctxkit.edge.conversations import read_chunks

if TYPE_CHECKING:
    from ctxkit.core.count.amount import Amount, CountOptions
    from ctxkit.core.count.conversation_tokens import ConversationTokens
    from ctxkit.core.tokens.budget import Budget
    from ctxkit.core.tokens.token_count import Method

Cells = tuple[int | str, ...]
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


GROUPINGS = ("total", "file", "message", "component", "line")
"""Subjects of a row."""


class CountDisplay(NamedTuple):
    """How counts are printed: ``is_stdin`` is stdin without a name, ``wide`` adds columns, ``shares`` percentages."""

    by: str
    is_stdin: bool = False
    wide: bool = False
    as_json: bool = False
    budget: Budget | None = None
    shares: bool = False


class FileCounter:
    """Counts contents and prints their tokens in rows, grouped as ``display`` says."""

    def __init__(
        self, count_options: CountOptions, display: CountDisplay, share_items: ShareItems = lambda *_: iter(())
    ) -> None:
        self._count_options, self._display, self._share_items = count_options, display, share_items
        self._status = Exit.DONE

    def count_files(self, names: list[str], max_tokens: int | None = None) -> Exit:
        """Count all files; return 1 if they have more than ``max_tokens`` tokens.

        Report a file that cannot be read and continue; then return its status.
        """
        if self._display.by == "line":
            return self._print_lines(names)
        results: list[ContentTokens] = []
        high, is_over = 0, False
        answers = ItemAnswers(self._count_ahead(names) if max_tokens is None else iter(()))
        for index, name in enumerate(names):
            limit = None if max_tokens is None else max(max_tokens - high, 0)
            result = self._count_file(name, limit, answers.take(index))
            if result is None:
                continue
            results.append(result)
            high += result.amount.high
            self._print_file(result)
            is_over = max_tokens is not None and (high > max_tokens or not result.complete)
            if is_over:
                break
        self._print_total(results)
        if is_over and self._status == Exit.DONE:
            say.note(f"more than {pluralize(max_tokens or 0, 'token')}")
            return Exit.NO
        return self._status

    def _count_ahead(self, names: list[str]) -> Iterator[tuple[int, object]]:
        """Return an iterator of the counts of regular files, as plain data or errors, that other processes make."""

        def count(index: int) -> object:
            """Return the count of a file as plain data."""
            from ctxkit.core.count.content import to_plain

            return to_plain(count_content(read_chunks(names[index]), title_of(names[index]), self._count_options))

        sizes = {index: os.path.getsize(name) for index, name in enumerate(names) if os.path.isfile(name)}
        return self._share_items(count, sizes)

    def _describe_count(self, title: str, result: ContentTokens) -> str:
        """Return what was counted, and how, as a line."""
        messages = f", {pluralize(result.messages, 'message')}" if result.messages else ""
        return f"{title}: {result.format or 'text'}{messages}, counted with {self._count_options.vocabulary.name}"

    def _count_file(self, name: str, limit: int | None, answer: object) -> ContentTokens | None:
        """Return the count of a file, from the ``answer`` of another process if there is one; None for an error."""
        title = title_of(name)
        chunks: Iterator[bytes] = iter(())
        try:
            if answer is None:
                chunks = read_chunks(name)
                result = count_content(chunks, title, self._count_options, limit)
            else:
                result = read_count(answer)
            if self._display.by in ("message", "component") and result.sum is None:
                problem = result.doubt.removesuffix(": counted as text") or "no conversation is recognized"
                raise MalformedInputError(f"{title}: {problem}", hint="--by file and line count text")
        except CtxkitError as error:
            self._report_error(error)
            return None
        if not result.complete and title == "stdin":
            source.drain(chunks)
        if result.doubt:
            say.warn(f"{title}: {result.doubt}")
        if result.complete:
            say.note(self._describe_count(title, result))
        return result._replace(name=decode_name(name)) if self._display.as_json and title != "stdin" else result

    def describe(self, content: bytes) -> dict[str, object]:
        """Return the object of a content without a name."""
        result = count_content(iter((content,)), "stdin", self._count_options, None)
        return {key: value for key, value in self._make_object(result).items() if key != "name"}

    def _report_error(self, error: CtxkitError) -> None:
        if isinstance(error, UsageError):
            raise error
        say.error(str(error), error.hint)
        self._status = self._status or error.status

    def _print_file(self, result: ContentTokens) -> None:
        """Print the messages or components of a conversation, or the object of a file."""
        if result.sum and self._display.by == "message":
            self._print_rows(result, ("tokens", "message", "role", "name"), _make_message_rows(result.sum))
        elif result.sum and self._display.by == "component":
            self._print_rows(result, ("tokens", "component"), _make_component_rows(result.sum))
        elif self._display.as_json and self._display.by == "file":
            out.write_json(self._make_object(result))

    def _print_rows(self, result: ContentTokens, keys: tuple[str, ...], rows: list[Cells]) -> None:
        if self._display.as_json:
            common_members: dict[str, int | str] = {"file": result.name, "method": result.method}
            out.write(encode_line({**common_members, **dict(zip(keys, row, strict=True))}) for row in rows)
        else:
            name_cells = () if result.name == "stdin" else (result.name,)
            out.write_listing("".join(format_table([(*row, *name_cells) for row in rows])))
            self._warn_of_estimate(result)

    def _make_rows(self, results: list[ContentTokens], total: ContentTokens) -> list[tuple[int | str, ...]]:
        """Return the rows of the table: of the total or of stdin alone without a name, else of each content."""
        if self._display.by == "total":
            return [self._make_cells(total)[:-1]]
        if self._display.is_stdin:
            return [self._make_cells(results[0])[:-1]]
        return [self._make_cells(result) for result in ([*results, total] if len(results) > 1 else results)]

    def _print_total(self, results: list[ContentTokens]) -> None:
        """Print the table or the total; nothing if the last content was not read to its end."""
        by = self._display.by
        if not results or not results[-1].complete or by in ("message", "component"):
            return
        total, several = sum_results(results), len(results) > 1
        if self._display.as_json:
            if several or by == "total":
                out.write_json(self._make_object(total))
            return
        out.write_listing("".join(format_table(self._make_rows(results, total))))
        if not self._display.wide:
            self._warn_of_estimate(total if several else results[0])

    def _warn_of_estimate(self, result: ContentTokens) -> None:
        """Warn that a number is an estimate, unless the output says so."""
        if result.method == "estimate" and result.amount.high:
            subject = {"stdin": "this", "total": "the total"}.get(result.name, result.name)
            say.warn(f"{subject} is an estimate: {format_range(result.amount)}")

    def _make_cells(self, result: ContentTokens) -> Cells:
        share = self._find_percent(result.amount.tokens)
        shares = (f"{share:.1f}%".rjust(6),) if self._display.shares and share is not None else ()
        if not self._display.wide:
            return (result.amount.tokens, *shares, result.name)
        columns = (result.lines, result.size, result.method, result.format or "text", result.name)
        return (result.amount.tokens, *shares, *columns)

    def _find_percent(self, tokens: int) -> float | None:
        """Return the percentage of the effective window that is used with ``tokens`` more, None without a window."""
        budget = self._display.budget
        return percent(budget.used + tokens, budget.effective) if budget else None

    def _make_object(self, result: ContentTokens) -> dict[str, object]:
        """Return the documented object of a content, or of all; its numbers are null if reading stopped early."""
        budget, amount = self._display.budget, result.amount
        return {
            "name": result.name,
            "tokens": amount.tokens if result.complete else None,
            "method": result.method,
            "tokenizer": self._count_options.vocabulary.name,
            "low": amount.low,
            "high": amount.high if result.complete else None,
            "bytes": result.size if result.complete else None,
            "lines": result.lines if result.complete else None,
            "window": budget.window if budget else None,
            "percent": self._find_percent(amount.tokens) if result.complete else None,
            "format": result.format or "text",
            "messages": result.messages,
            "doubt": result.doubt or None,
        }

    def _print_lines(self, names: list[str]) -> Exit:
        """Print the tokens of each line while counting."""
        for name in names:
            try:
                out.write(self._count_lines(name))
            except CtxkitError as error:
                self._report_error(error)
        return self._status

    def _count_lines(self, name: str) -> Iterator[bytes]:
        title, meter = title_of(name), TextCounter(self._count_options.vocabulary, self._count_options.count)
        method = "exact" if self._count_options.vocabulary.exact else "estimate"
        file = title if title == "stdin" else decode_name(name)
        prefix, as_json = "" if title == "stdin" else f"{title}:", self._display.as_json
        for number, amount in count_lines(read_chunks(name), meter):
            if as_json:
                yield encode_line({"file": file, "method": method, "line": number, "tokens": amount.tokens})
            else:
                yield f"{amount.tokens}\t{prefix}{number}\n".encode("utf-8", "replace")


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


def _make_message_rows(total: ConversationTokens) -> list[Cells]:
    """Return a row per message; rows of tools and of the whole have the number 0."""
    numbers = [*range(1, total.messages + 1), *(0 for _ in total.rows[total.messages :])]
    rows = zip(numbers, total.rows, strict=True)
    return [(row.amount.tokens, number, escape_name(row.role), escape_name(row.name)) for number, row in rows]


def _make_component_rows(total: ConversationTokens) -> list[Cells]:
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


def read_count(answer: object) -> ContentTokens:
    """Return the count that another process made; raise its error."""
    from ctxkit.core.count.content import from_plain

    if isinstance(answer, CtxkitError):
        raise answer
    return from_plain(answer)
