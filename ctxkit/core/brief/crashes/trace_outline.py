"""Outlines of the tracebacks in a document and the output around them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ctxkit.core.brief.builds.range_labels import name_output
from ctxkit.core.brief.crashes.stack_frames import StackFrame
from ctxkit.core.brief.crashes.tracebacks import ChainedException, Trace, TracebackReader
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.error_lines import find_error_lines
from ctxkit.core.brief.generic.trouble import rate_trouble
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.text.ansi import strip_escapes
from ctxkit.core.text.measure import pluralize

RANGE_LINES = 120
"""Maximum number of lines in a range that a reader is pointed to."""
MAX_GROUPS = 2_000
"""Maximum number of distinct tracebacks."""
MAX_SPANS = 20_000
"""Maximum number of tracebacks whose lines are stored."""
MAX_NAMED_REPEATS = 4
"""Maximum number of repetitions of a traceback that are listed by line."""
MAX_PIECES = 12
"""Maximum number of pieces into which output without a traceback is cut, counted from the end."""
MAX_CHAIN = 8
"""Maximum number of exceptions quoted from a chain: the first and the last ones."""
MAX_SEARCHED_ERRORS = 1_000
"""Maximum number of lines with words of errors in a range, whose form is looked at."""
END_LINES, LINES_BEFORE = 20, 6
"""Number of last lines that are quoted at least, and number before a traceback that stands among them."""
MAX_LINE_LENGTH = 400


@dataclass(slots=True)
class TraceGroup:
    """Count the tracebacks that differ only in numbers; ``spans`` are the line ranges of the first few."""

    first: Trace
    spans: list[tuple[int, int]]
    count: int = 1


class TraceCollection:
    """Collect the tracebacks of a document, grouped by similarity, in bounded memory."""

    def __init__(self) -> None:
        self.groups: dict[int, TraceGroup] = {}
        self.spans: list[tuple[int, int]] = []
        self.count = 0
        self.last: Trace | None = None

    def add(self, trace: Trace) -> None:
        """Count another traceback."""
        self.count += 1
        self.last = trace
        if len(self.spans) < MAX_SPANS:
            self.spans.append((trace.start, trace.end))
        else:
            self.spans[-1] = (self.spans[-1][0], trace.end)
        key = _make_key(trace)
        group = self.groups.get(key)
        if group is None and len(self.groups) < MAX_GROUPS:
            self.groups[key] = TraceGroup(trace, [(trace.start, trace.end)])
        elif group is not None:
            group.count += 1
            if len(group.spans) <= MAX_NAMED_REPEATS:
                group.spans.append((trace.start, trace.end))


def _make_key(trace: Trace) -> int:
    """Return a key from the exceptions and innermost frames, without addresses and numbers in messages."""
    from re import sub

    return hash(
        tuple(
            (
                sub(r"0x[\da-f]+|\d+", "0", exception.text[:MAX_LINE_LENGTH]),
                exception.frames,
                exception.nearest.text if exception.nearest else "",
            )
            for exception in trace.exceptions
        )
    )


def read_traces(document: InputDocument) -> TraceCollection:
    """Return the tracebacks of a whole document."""
    traces = TraceCollection()
    reader = TracebackReader(traces.add)
    for number, text in document.lines.enumerate_lines():
        reader.read_line(number, text)
    reader.finish()
    return traces


def build_trace_outline(name: str, document: InputDocument, traces: TraceCollection) -> Outline:
    """Return an outline of the tracebacks, the output between them and the end; the most important
    entries rank first.
    """
    groups = sorted(traces.groups.values(), key=lambda group: group.first.start)
    first = tuple(_quote_last_trace(traces))
    top = Section("", first, noun="lines")
    quoted_lines = {entry.start for entry in first}
    title = f"{pluralize(traces.count, 'traceback')}" + (f", {len(groups):,} different" if traces.count > 1 else "")
    listed = tuple(
        entry for at, group in enumerate(groups) for entry in _make_group_entries(group, at, traces.last, quoted_lines)
    )
    sections = (
        top,
        Section(title, listed, noun="lines"),
        Section("Other output", tuple(_list_other_output(document, traces.spans)), noun="parts"),
        Section("the end", tuple(_quote_end(document, traces.last)), noun="lines", bare=True, covered=True),
    )
    last = traces.last
    example = (last.start, min(last.end, last.start + RANGE_LINES - 1)) if last else None
    return Outline(name, tuple(section for section in sections if section.entries), example=example, urgent=True)


def _quote_last_trace(traces: TraceCollection) -> Iterator[Entry]:
    """Quote the message of the last traceback, and that of its root exception."""
    trace = traces.last
    if trace is None:
        return
    for exception in (
        trace.final_exception,
        *([trace.root_exception] if trace.root_exception is not trace.final_exception else []),
    ):
        if exception.number:
            yield quote(exception.number, exception.text, width=MAX_LINE_LENGTH)
        own = exception.own
        if own:
            yield quote(own.number, own.text, rank=1, width=MAX_LINE_LENGTH)


def _make_group_entries(group: TraceGroup, at: int, last: Trace | None, quoted_lines: set[int]) -> Iterator[Entry]:
    """Yield a traceback with its line range and its messages; a long one is split into several ranges."""
    trace = group.first
    early = at < 10 or trace is last
    rank = 1 if trace is last else 2 if early else 4
    label = pluralize(trace.frame_count, "frame")
    chained = sum(bool(exception.number) for exception in trace.exceptions)
    label += f", {chained} exceptions" if chained > 1 else ""
    if group.count > 1:
        again = ", ".join(f"{start}-{end}" for start, end in group.spans[1 : MAX_NAMED_REPEATS + 1])
        later = " and later" if group.count > MAX_NAMED_REPEATS + 1 else ""
        sizes = {last - first for first, last in group.spans}
        others = ", the others alike, at" if len(sizes) == 1 else " with the same key frames, also at"
        label += f"; {group.count:,}x{others} {again}{later}"
    below = tuple(entry for entry in _quote_messages(trace, rank) if entry.start not in quoted_lines)
    yield Entry(label, trace.start, min(trace.end, trace.start + RANGE_LINES - 1), rank, children=below)
    for start in range(trace.start + RANGE_LINES, min(trace.end, trace.start + 40 * RANGE_LINES) + 1, RANGE_LINES):
        yield Entry("the same traceback goes on", start, min(trace.end, start + RANGE_LINES - 1), rank + 3)


def _quote_messages(trace: Trace, rank: int) -> Iterator[Entry]:
    """Quote the messages of a chain and the frame of each, in line order."""
    parts = (
        trace.exceptions
        if len(trace.exceptions) <= MAX_CHAIN
        else [*trace.exceptions[: MAX_CHAIN // 2], *trace.exceptions[-MAX_CHAIN // 2 :]]
    )
    rows: dict[int, Entry] = {}
    for exception in parts:
        main = exception is trace.final_exception or exception is trace.root_exception
        for place, more in ((_make_message_frame(exception), 0), (exception.own or exception.nearest, 1)):
            if place:
                rows[place.number] = quote(place.number, place.text, rank=rank + more if main else rank + 2)
    yield from (rows[number] for number in sorted(rows))


def _make_message_frame(exception: ChainedException) -> StackFrame | None:
    return StackFrame(exception.number, exception.text, False) if exception.number else None


def _list_other_output(document: InputDocument, spans: Sequence[tuple[int, int]]) -> Iterator[Entry]:
    """Yield the ranges between tracebacks; the last ones are split into ranges of limited length."""
    gaps, after = [], 1
    for start, end in [*spans, (document.lines.total + 1, 0)]:
        if start > after:
            gaps.append((after, start - 1))
        after = max(end + 1, after)
    pieces: list[tuple[int, int]] = []
    for start, end in reversed(gaps):
        while end - start >= RANGE_LINES and len(pieces) < MAX_PIECES:
            pieces.append((end - RANGE_LINES + 1, end))
            end -= RANGE_LINES
        pieces.append((start, end))
        if len(pieces) >= 4 * MAX_PIECES:
            pieces[-1] = (1, end)
            break
    for at, (start, end) in enumerate(reversed(pieces)):
        rank = 2 if len(pieces) - at <= MAX_PIECES else 4
        errors = islice(find_error_lines(document.lines, start, end), MAX_SEARCHED_ERRORS)
        trouble = islice((row for row in errors if rate_trouble(row[1])), 6)
        quotes = tuple(quote(number, text, rank=5) for number, text in trouble)
        if quotes or end > start or document.lines.at(start).strip():
            yield Entry(name_output(document.lines, start, end), start, end, rank, children=quotes)


def _quote_end(document: InputDocument, last: Trace | None) -> Iterator[Entry]:
    """Yield the last lines, from a few before the last traceback; lines nearer to the end have a lower rank."""
    total = document.lines.total
    most = max(document.target // 4, 5)
    if last and total - last.end <= END_LINES:
        most = min(most, max(total - last.start + 1 + LINES_BEFORE, END_LINES))
    for number, text in document.lines.enumerate_lines(max(total - most + 1, 1)):
        label = (text if text.isprintable() else strip_escapes(text)).rstrip()[:MAX_LINE_LENGTH]
        far = total - number
        yield Entry(label, number, number, 1 if far < 5 else 6 + far, verbatim=True)
