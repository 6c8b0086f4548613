"""Count the tokens of several contents, and print them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ctxkit.core.count.amount import TextCounter
from ctxkit.core.count.content import ContentTokens, count_content, count_lines, percent
from ctxkit.core.errors import CtxkitError, Exit, MalformedInputError, UsageError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.quantity import pluralize
from ctxkit.edge import out, say, source
from ctxkit.edge.conversations import read_chunks
from ctxkit.edge.count_rows import (
    Cells,
    ItemAnswers,
    decode_name,
    encode_line,
    format_range,
    format_table,
    make_component_rows,
    make_message_rows,
    read_count,
    sum_results,
    title_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctxkit.core.count.amount import CountOptions
    from ctxkit.core.tokens.budget import Budget
    from ctxkit.edge.count_rows import ShareItems

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
            self._print_rows(result, ("tokens", "message", "role", "name"), make_message_rows(result.sum))
        elif result.sum and self._display.by == "component":
            self._print_rows(result, ("tokens", "component"), make_component_rows(result.sum))
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
