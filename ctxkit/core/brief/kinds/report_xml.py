"""XML test reports of Visual Studio (TRX), NUnit and xUnit.net: counts, and failing tests with messages."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import xml
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line, quote
from ctxkit.core.brief.runs.case_elements import CaseElement, CaseReader
from ctxkit.core.brief.runs.failures import FIRST, FRAME, NUMBERS, REST, SAME, VARIANT, FailedTest, FailureDetail
from ctxkit.core.brief.runs.report import Report, ReportContent

NAME = "test report xml"
TYPES: Sequence[str] = ("trx", "nunit", "xunit")
ROOT = re.compile(
    r"(?:\s|\ufeff|<\?[^>]*\?>|<!--.*?-->|<!DOCTYPE[^>]*>)*+"
    r"<(?:TestRun\s[^>]*TeamTest|test-run\s|test-results\s|assemblies[\s>]|assembly\s[^>]*(?:test-framework|run-date)=)",
    re.DOTALL,
)
KEYS = (
    "outcome", "result", "total", "executed", "passed", "failed", "failures", "error", "errors", "timeout", "aborted",
    "skipped", "ignored", "inconclusive", "invalid", "not-run", "notExecuted", "notRunnable", "disconnected",
    "duration", "time",
)  # fmt: skip
"""Attributes that describe the result of a run, in the order of output."""
COUNTS = 8
"""Maximum number of elements whose counts are listed."""
WIDTH = 240
"""Maximum number of characters quoted from a message."""


def sniff(document: InputDocument) -> float:
    """Return the confidence that the root element is that of such a report."""
    return 0.97 if ROOT.match(document.head[:8_000]) else 0.0


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the counts and failing tests; without failures, the counts and the outline of the XML."""
    cases = CaseReader()
    cases.read(document.lines.raw(1, document.lines.total))
    if not (cases.counts or cases.total):
        return None
    top = list(_summarize(cases, document))
    if not cases.failed:
        outlines = xml.outline(document) or [Outline(NAME, ())]
        return [
            replace(outline, kind=NAME, sections=(Section("", tuple(top)), *outline.sections)) for outline in outlines
        ]
    most = max(document.target // 4, 8)
    seen: dict[str, tuple[str, int]] = {}
    broken = [_make_failure(document, case, cases.classes, seen) for case in cases.failed[:most]]
    past = len(cases.failed) - len(broken) + cases.cases_left_out
    left = [Entry(f"{past:,} more failing cases", broken[-1].end, document.lines.total, 1)] if past else []
    return Report(document, ReportContent(NAME, top, broken, remaining=left)).build_outlines()


def _summarize(cases: CaseReader, document: InputDocument) -> Iterator[Entry]:
    """Yield the counts, those with failures first, and notes on incomplete reports."""
    rows = [(line, text) for line, attributes in cases.counts if (text := _format_counts(attributes))]
    if len(rows) > COUNTS:
        rows.sort(key=lambda row: (not re.search(r"(?:failed|failures|errors?) [1-9]", row[1]), row[0]))
    yield from (Entry(text, line, line) for line, text in sorted(rows[:COUNTS]))
    if len(rows) > COUNTS:
        yield Entry(f"{len(rows) - COUNTS:,} more that count tests", rank=1)
    if cases.broken:
        line = max(1, min(cases.last, document.lines.total))
        message = f"BROKEN: {cases.broken}; nothing after it is in this map"
        yield Entry(message, line, line, children=(quote(line, document.lines.at(line)),))
    if cases.total and not cases.failed:
        yield Entry(f"none of the {cases.total:,} test cases here is marked as failed")


def _format_counts(attributes: Mapping[str, str]) -> str:
    counts = [f"{key} {attributes[key]}" for key in KEYS if _is_worth_showing(key, attributes.get(key, ""))]
    name = re.split(r"[/\\]", attributes.get("name", ""))[-1]
    return ", ".join([name, *counts] if name and counts else counts)


def _is_worth_showing(key: str, value: str) -> bool:
    """Return whether a count is worth showing; ``time`` is the time of day in NUnit 2."""
    return value not in ("", "0") and not (key == "time" and ":" in value)


def _make_failure(
    document: InputDocument, case: CaseElement, classes: Mapping[str, str], seen: dict[str, tuple[str, int]]
) -> FailedTest:
    known = case.attributes
    name = known.get("fullname") or known.get("testName") or known.get("name") or case.tag
    group = known.get("classname") or known.get("type", "") if case.tag != "test-suite" else ""
    group = group or classes.get(known.get("testId", ""), "")
    group = group or name.partition("(")[0].rpartition(".")[0]
    short = name.removeprefix(f"{group}.") if group else name
    full = name if name.startswith(group) else f"{group}.{name}"
    failure = FailedTest(full, case.start, max(case.start, case.end), group, short, is_error=not case.is_test)
    for step, (line, text) in enumerate(pair for pair in case.message.items() if pair[1].strip()):
        entry = _quote_message(document, line, text)
        rank = min(VARIANT + 2 + step, REST)
        if not step:
            failure.message = line
            rank = _rank_message(failure, text, seen)
        failure.details.append(FailureDetail(rank, step, entry))
    for step, (line, text) in enumerate(case.trace.items()):
        if text.strip() and line not in case.message:
            failure.details.append(FailureDetail(REST if step else FRAME, step, _quote_message(document, line, text)))
    return failure


def _quote_message(document: InputDocument, line: int, text: str) -> Entry:
    """Quote the line of a message, or only the message if the line is long."""
    start, stop = document.lines.span(line, line)
    if stop - start <= 4 * WIDTH:
        return quote(line, document.lines.at(line), width=WIDTH)
    return Entry(clean_line(text.replace("\r", " "), WIDTH), line, line)


def _rank_message(failure: FailedTest, text: str, seen: dict[str, tuple[str, int]]) -> int:
    """Return the rank of a message; a message similar to an earlier one ranks lower."""
    first, number = seen.setdefault(NUMBERS.sub("0", text), (text, failure.message))
    if number == failure.message:
        return FIRST
    failure.similar_line, failure.is_identical = number, first == text
    return SAME if failure.is_identical else VARIANT
