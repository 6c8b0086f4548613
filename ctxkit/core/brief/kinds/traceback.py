"""Output of a program that crashed: its tracebacks, panics or crash reports, and its end."""

from collections.abc import Sequence

from ctxkit.core.brief.builds.build_evidence import FENCE, SUFFIXES, TESTS, collect_evidence
from ctxkit.core.brief.crashes.trace_outline import build_trace_outline, read_traces
from ctxkit.core.brief.crashes.tracebacks import Trace, TracebackReader
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.logs.timestamps import find_timestamp
from ctxkit.core.brief.outline import Outline
from ctxkit.core.text.ansi import strip_escapes

NAME = "traceback"
TYPES: Sequence[str] = ("crash", "panic")
ROWS = 400
"""Number of lines read from the beginning."""
FINDINGS = 10
"""Number of findings from which the beginning counts as a lint or compiler report."""
CLOSE = 15
"""Number of lines that may follow the final traceback of a program."""

LEAST_SHARE = 0.1
"""Minimum share of all lines in tracebacks, unless one is at the end; a report that quotes a stack is no crash."""


LONG, BRIEF_LINES, LOW_CONFIDENCE = 300, 12, 0.3
"""Number of lines of a text that is about something else if it ends in tracebacks of at most so many lines."""


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text ends in a traceback or is mostly one; logs, test runs and
    documents score 0.
    """
    head = document.head
    if document.suffix not in SUFFIXES or "\0" in head or head.startswith(("#!", "{", "[{", "<")):
        return 0.0
    if FENCE.search(head) or TESTS.search(head) or "\n>>> " in head or _is_log(head):
        return 0.0
    rows = head.split("\n")[:ROWS]
    early = _find_traces(rows)
    tail = document.tail.split("\n")
    late = _find_traces(tail)
    full = sum(1 for row in rows if row.strip())
    inside = sum(trace.end - trace.start + 1 for trace in early)
    if late and not early and document.lines.total >= LONG and sum(map(_count_lines, late)) <= BRIEF_LINES:
        return LOW_CONFIDENCE
    if late and len(tail) - late[-1].end <= CLOSE and _is_at_margin(tail, late[-2:]):
        return 0.5 if not early and _has_mostly_findings(document) else 0.78
    if inside * 2 >= full and early:
        return 0.75
    late_lines = sum(trace.end - trace.start + 1 for trace in late) if document.lines.total > len(rows) else 0
    is_substantial = inside + late_lines >= LEAST_SHARE * document.lines.total
    return 0.6 if is_substantial and (_is_at_margin(rows, early) or _is_at_margin(tail, late)) else 0.0


def _count_lines(trace: Trace) -> int:
    return trace.end - trace.start + 1


def _has_mostly_findings(document: InputDocument) -> bool:
    """Return whether most of the head is findings of compilers or linters."""
    evidence = collect_evidence(document)
    return evidence.placed >= FINDINGS and evidence.explained * 2 >= evidence.lines


def _is_at_margin(rows: list[str], traces: Sequence[Trace]) -> bool:
    """Return whether a traceback has a line at the left margin; others are parts of a report."""
    lines = (row for trace in traces for row in rows[trace.start - 1 : trace.end])
    return any(strip_escapes(row)[:1] not in ("", " ", "\t") for row in lines)


def _is_log(head: str) -> bool:
    """Return whether at least a third of the lines without indentation have a timestamp, as in a log."""
    rows = [row for row in head.split("\n")[:ROWS] if row.strip() and row[0] not in " \t"]
    return len(rows) > 3 and sum(find_timestamp(row) is not None for row in rows) * 3 >= len(rows)


def _find_traces(rows: list[str]) -> list[Trace]:
    traces: list[Trace] = []
    reader = TracebackReader(traces.append)
    for number, row in enumerate(rows, 1):
        reader.read_line(number, row)
    reader.finish()
    return traces


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return an outline of every traceback with its message and lines, and the end verbatim."""
    traces = read_traces(document)
    return [build_trace_outline(NAME, document, traces)] if traces.count else None
