"""Laying out the tracebacks of an output, with what stands around them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ctxkit.core.brief.crashes.stacks import Frame
from ctxkit.core.brief.crashes.tracebacks import Part, Reader, Trace
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Entry, Outline, Section, plain, quote
from ctxkit.core.brief.signs import signs
from ctxkit.core.measure import plural

REACH = 120
"""Lines that a reader is sent to at once."""
GROUPS = 2_000
"""Tracebacks that are told apart."""
SPANS = 20_000
"""Tracebacks whose lines are kept."""
NAMED = 4
"""Repetitions of a traceback whose lines are named."""
PIECES = 12
"""Pieces, the last ones, into which output without a traceback is cut for one look each."""
CHAIN = 8
"""Exceptions of a chain that are quoted: the first and the last of more."""
WIDEST = 400


@dataclass(slots=True)
class Group:
    """Count the tracebacks that are the same but for their numbers; ``spans`` are the lines of the first few."""

    first: Trace
    spans: list[tuple[int, int]]
    count: int = 1


class Traces:
    """Collect the tracebacks of a document, the same ones together, in bounded memory."""

    def __init__(self) -> None:
        self.groups: dict[int, Group] = {}
        self.spans: list[tuple[int, int]] = []
        self.count = 0
        self.last: Trace | None = None

    def take(self, trace: Trace) -> None:
        """Count one more traceback."""
        self.count += 1
        self.last = trace
        if len(self.spans) < SPANS:
            self.spans.append((trace.start, trace.end))
        else:
            self.spans[-1] = (self.spans[-1][0], trace.end)
        key = _key(trace)
        group = self.groups.get(key)
        if group is None and len(self.groups) < GROUPS:
            self.groups[key] = Group(trace, [(trace.start, trace.end)])
        elif group is not None:
            group.count += 1
            if len(group.spans) <= NAMED:
                group.spans.append((trace.start, trace.end))


def _key(trace: Trace) -> int:
    """Tell tracebacks apart by their exceptions and innermost frames, without addresses and numbers in messages."""
    from re import sub

    return hash(
        tuple(
            (sub(r"0x[\da-f]+|\d+", "0", part.text[:WIDEST]), part.frames, part.nearest.text if part.nearest else "")
            for part in trace.parts
        )
    )


def read(document: Document) -> Traces:
    """Return the tracebacks of a whole document."""
    traces = Traces()
    reader = Reader(traces.take)
    for number, text in document.lines.numbered():
        reader.line(number, text)
    reader.end()
    return traces


def outline(name: str, document: Document, traces: Traces) -> Outline:
    """Return tracebacks, what stands between them and the end, the most telling at the lowest ranks."""
    groups = sorted(traces.groups.values(), key=lambda group: group.first.start)
    first = tuple(_top(traces))
    top = Section("", first, noun="lines")
    told = {entry.start for entry in first}
    title = f"{plural(traces.count, 'traceback')}" + (f", {len(groups):,} different" if traces.count > 1 else "")
    listed = tuple(entry for at, group in enumerate(groups) for entry in _group(group, at, traces.last, told))
    sections = (
        top,
        Section(title, listed, noun="lines"),
        Section("Other output", tuple(_between(document, traces.spans)), noun="parts"),
        Section("the end", tuple(_end(document)), noun="lines", bare=True, covered=True),
    )
    last = traces.last
    example = (last.start, min(last.end, last.start + REACH - 1)) if last else None
    return Outline(name, tuple(section for section in sections if section.entries), example=example, urgent=True)


def _top(traces: Traces) -> Iterator[Entry]:
    """Quote what the last traceback says, and what began it."""
    trace = traces.last
    if trace is None:
        return
    for part in (trace.final, *([trace.root] if trace.root is not trace.final else [])):
        if part.number:
            yield quote(part.number, part.text, width=WIDEST)
        own = part.own
        if own:
            yield quote(own.number, own.text, rank=1, width=WIDEST)


def _group(group: Group, at: int, last: Trace | None, told: set[int]) -> Iterator[Entry]:
    """Return one traceback on its lines, with its messages in order; a long one is cut into parts."""
    trace = group.first
    early = at < 10 or trace is last
    rank = 1 if trace is last else 2 if early else 4
    label = plural(trace.frames, "frame")
    chained = sum(bool(part.number) for part in trace.parts)
    label += f", {chained} exceptions" if chained > 1 else ""
    if group.count > 1:
        again = ", ".join(f"{start}-{end}" for start, end in group.spans[1 : NAMED + 1])
        label += f"; {group.count:,}x, the others alike, at {again}{' and later' if group.count > NAMED + 1 else ''}"
    below = tuple(entry for entry in _said(trace, rank) if entry.start not in told)
    yield Entry(label, trace.start, min(trace.end, trace.start + REACH - 1), rank, children=below)
    for start in range(trace.start + REACH, min(trace.end, trace.start + 40 * REACH) + 1, REACH):
        yield Entry("the same traceback goes on", start, min(trace.end, start + REACH - 1), rank + 3)


def _said(trace: Trace, rank: int) -> Iterator[Entry]:
    """Quote the messages of a chain and where each happened, in the order of the lines."""
    parts = trace.parts if len(trace.parts) <= CHAIN else [*trace.parts[: CHAIN // 2], *trace.parts[-CHAIN // 2 :]]
    rows: dict[int, Entry] = {}
    for part in parts:
        main = part is trace.final or part is trace.root
        for place, more in ((_message(part), 0), (part.own or part.nearest, 1)):
            if place:
                rows[place.number] = quote(place.number, place.text, rank=rank + more if main else rank + 2)
    yield from (rows[number] for number in sorted(rows))


def _message(part: Part) -> Frame | None:
    return Frame(part.number, part.text, False) if part.number else None


def _between(document: Document, spans: Sequence[tuple[int, int]]) -> Iterator[Entry]:
    """Yield what stands between tracebacks; the last of it in pieces short enough for one look."""
    gaps, after = [], 1
    for start, end in [*spans, (document.lines.total + 1, 0)]:
        if start > after:
            gaps.append((after, start - 1))
        after = max(end + 1, after)
    pieces: list[tuple[int, int]] = []
    for start, end in reversed(gaps):
        while end - start >= REACH and len(pieces) < PIECES:
            pieces.append((end - REACH + 1, end))
            end -= REACH
        pieces.append((start, end))
        if len(pieces) >= 4 * PIECES:
            pieces[-1] = (1, end)
            break
    for at, (start, end) in enumerate(reversed(pieces)):
        rank = 2 if len(pieces) - at <= PIECES else 4
        trouble = islice(signs(document.lines, start, end), 6)
        found = tuple(quote(number, text, rank=5) for number, text in trouble)
        if found or end > start or document.lines.at(start).strip():
            yield Entry("other output", start, end, rank, children=found)


def _end(document: Document) -> Iterator[Entry]:
    """Yield the last lines, the nearest to the end at the lowest ranks."""
    total = document.lines.total
    most = max(document.target // 4, 5)
    for number, text in document.lines.numbered(max(total - most + 1, 1)):
        label = (text if text.isprintable() else plain(text.replace("\t", "    "))).rstrip()[:WIDEST]
        far = total - number
        yield Entry(label, number, number, 1 if far < 5 else 6 + far, verbatim=True)
