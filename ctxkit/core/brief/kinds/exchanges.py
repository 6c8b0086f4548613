"""HTTP exchanges: statuses with their counts, failures first, then every request with its lines."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.document import HEAD_BYTES, InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.brief.shapes.exchange_reader import MAX_EXCHANGES, Exchange, ExchangeReader, find_body
from ctxkit.core.brief.shapes.verbatim import keep_indentation
from ctxkit.core.brief.streams.stream_outline import build_stream_outline
from ctxkit.core.brief.streams.stream_parts import Stream, StreamPart
from ctxkit.core.text.measure import pluralize

NAME = "exchanges"
TYPES: Sequence[str] = ("curl", "http")
LEAST, SHARE = 2, 0.3
"""Minimum number of exchanges, and minimum share of lines that are requests, statuses or headers."""
LEAST_MARKS = 5
"""Minimum number of lines of curl itself above the body of a single answer."""
NO_BODY = re.compile(r"\* |curl: |[{}] \[\d+ bytes data\]")
"""Pattern of a line of curl itself, which is not part of a body."""
MARKUP = ("```", "# ", "## ", "<!")
"""Beginnings of lines of documents that quote exchanges."""
WIDTH, TARGET_WIDTH = 160, 100
MAX_FAILURES, BODY, END, FIRST = 40, 3, 4, 30


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text consists of requests with statuses and headers."""
    rows = document.head.split("\n")
    if document.lines.size > HEAD_BYTES and len(rows) > 1:
        rows.pop()
    if find_body(rows, LEAST_MARKS) and not document.is_part:
        return 0.96
    reader = ExchangeReader().add_lines(enumerate(rows, 1))
    if reader.answer_count < (1 if document.is_part else LEAST) or any(row.startswith(MARKUP) for row in rows):
        return 0.0
    return 0.93 if reader.headers >= max(SHARE * reader.lines, 4 * reader.count) else 0.0


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return an outline of the exchanges, or None if there are too few or too many.

    A single answer with a body is a stream of two parts.
    """
    reader = ExchangeReader().add_lines(document.lines.enumerate_lines())
    body = find_body(document.head.split("\n"), LEAST_MARKS) if not document.is_part else 0
    if reader.answer_count == 1 and body:
        title = _format_outcome(reader.exchanges[0])
        parts = [StreamPart(1, body - 1, title), StreamPart(body, document.lines.total, "body of the answer")]
        return [build_stream_outline("parts", document, Stream(parts, "parts", 1.0))]
    if reader.answer_count < (1 if document.is_part else LEAST) or reader.count > MAX_EXCHANGES:
        return None
    failures = [exchange for exchange in reader.exchanges if exchange.status[:1] != "2"]
    troubles = tuple(quote(*row, rank=1 + place // 4, width=WIDTH) for place, row in enumerate(reader.troubles))
    sections = (
        Section("", tuple(_summarize(reader, document))),
        Section("Lines about failures", troubles),
        Section("Exchanges without a 2xx status", tuple(_list_failures(failures, document)), noun="failures"),
        Section("Requests by line", tuple(_list_requests(reader.exchanges)), noun="requests"),
        Section("an exchange", tuple(_quote_first(reader, document)), "lines", bare=True, covered=True),
        Section("the end", tuple(_quote_end(document)), "lines", bare=True, covered=True),
    )
    return [Outline(NAME, sections)]


def _format_outcome(exchange: Exchange) -> str:
    """Return the request with its status."""
    status = f"{exchange.status} {exchange.reason}".strip()
    return f"{exchange.method} {exchange.target[:TARGET_WIDTH]}: {status}"


def _summarize(reader: ExchangeReader, document: InputDocument) -> Iterator[Entry]:
    statuses = Counter(exchange.status or "no status" for exchange in reader.exchanges)
    counts = ", ".join(f"{status} {count:,}" for status, count in statuses.most_common())
    yield Entry(f"{pluralize(reader.count, 'request')}: {counts}", 1, document.lines.total)
    methods = Counter(exchange.method for exchange in reader.exchanges)
    yield Entry(", ".join(f"{method} {count:,}" for method, count in methods.most_common()), rank=2)


def _list_failures(failures: Sequence[Exchange], document: InputDocument) -> Iterator[Entry]:
    """Yield the failures with the end of their body, the first of each status before the others."""
    seen: set[str] = set()
    for exchange in failures[:MAX_FAILURES]:
        rank = 2 if exchange.status in seen else 1
        seen.add(exchange.status)
        body = tuple(_quote_body(exchange, document, rank))
        yield Entry(_describe(exchange), exchange.start, exchange.end, rank, children=body)
    if len(failures) > MAX_FAILURES:
        yield Entry(f"{len(failures) - MAX_FAILURES:,} more without a 2xx status", rank=2)


def _describe(exchange: Exchange) -> str:
    status = f"{exchange.status} {exchange.reason}".strip() or "no status"
    return f"{status}: {exchange.method} {exchange.target[:TARGET_WIDTH]}"


def _quote_body(exchange: Exchange, document: InputDocument, rank: int) -> Iterator[Entry]:
    """Yield the first lines of the body, after the first blank line below the status."""
    begin = False
    shown = 0
    for number, text in document.lines.enumerate_lines(exchange.status_line or exchange.start, exchange.end):
        bare = text.strip("<> \r\t")
        if begin and bare and not NO_BODY.match(text) and shown < BODY:
            shown += 1
            yield quote(number, text, rank=rank + 2, width=WIDTH)
        begin = begin or (exchange.status_line > 0 and not bare)


def _list_requests(exchanges: Sequence[Exchange]) -> Iterator[Entry]:
    """Yield the requests, alike ones that follow each other in one entry."""
    run: list[Exchange] = []
    for exchange in exchanges:
        if run and (exchange.method, exchange.status) != (run[-1].method, run[-1].status):
            yield _make_run(run)
            run = []
        run.append(exchange)
    if run:
        yield _make_run(run)


def _make_run(run: Sequence[Exchange]) -> Entry:
    first, last = run[0], run[-1]
    status = first.status or "no status"
    if len(run) == 1:
        return Entry(f"{first.method} {first.target[:TARGET_WIDTH]} {status}", first.start, first.end, 3)
    label = f"{len(run):,} {first.method} {status}, {first.target[:TARGET_WIDTH]} to {last.target[:TARGET_WIDTH]}"
    below = tuple(Entry(item.target[:TARGET_WIDTH], item.start, item.end, 5, dense=True) for item in run)
    return Entry(label, first.start, last.end, 3, children=below)


def _quote_first(reader: ExchangeReader, document: InputDocument) -> Iterator[Entry]:
    first = reader.exchanges[0]
    rows = document.lines.enumerate_lines(first.start, min(first.end, first.start + FIRST - 1))
    for place, (number, text) in enumerate(rows):
        yield Entry(keep_indentation(text), number, number, 6 + place // 4, verbatim=True)


def _quote_end(document: InputDocument) -> Iterator[Entry]:
    total = document.lines.total
    for number, text in document.lines.enumerate_lines(max(total - END + 1, 1)):
        yield Entry(keep_indentation(text, WIDTH), number, number, 3 + (total - number), verbatim=True)
