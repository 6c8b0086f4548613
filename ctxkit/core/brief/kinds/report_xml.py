"""Reports of tests in the XML of Visual Studio (TRX), NUnit and xUnit.net: counts, every failing test, its message."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ctxkit.core.brief.document import Document
from ctxkit.core.brief.kinds import xml
from ctxkit.core.brief.outline import Entry, Outline, Section, quote, shown
from ctxkit.core.brief.runs.case_elements import Case, Cases
from ctxkit.core.brief.runs.failures import FIRST, FRAME, NUMBERS, REST, SAME, VARIANT, Detail, Failure
from ctxkit.core.brief.runs.report import Findings, Report

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
"""Attributes that say how a run went, in the order in which they are told."""
COUNTS = 8
"""Elements that count tests which are told."""
WIDTH = 240
"""Characters of a message that are quoted."""


def sniff(document: Document) -> float:
    """Claim XML whose first element is that of such a report."""
    return 0.97 if ROOT.match(document.head[:8_000]) else 0.0


def outline(document: Document) -> Sequence[Outline] | None:
    """Return what is counted, and failing tests with their messages; without any, the map of XML below the counts."""
    cases = Cases()
    cases.read(document.lines.raw(1, document.lines.total))
    if not (cases.counts or cases.total):
        return None
    top = list(_top(cases, document))
    if not cases.failed:
        made = xml.outline(document) or [Outline(NAME, ())]
        return [replace(one, kind=NAME, sections=(Section("", tuple(top)), *one.sections)) for one in made]
    most = max(document.target // 4, 8)
    seen: dict[str, tuple[str, int]] = {}
    broken = [_failure(document, case, cases.classes, seen) for case in cases.failed[:most]]
    past = len(cases.failed) - len(broken) + cases.left
    left = [Entry(f"{past:,} more failing cases", broken[-1].end, document.lines.total, 1)] if past else []
    return Report(document, Findings(NAME, top, broken, left=left)).outlines()


def _top(cases: Cases, document: Document) -> Iterator[Entry]:
    """Yield what is counted, what failed first, and whether the report is whole."""
    found = [(line, text) for line, attributes in cases.counts if (text := _counted(attributes))]
    if len(found) > COUNTS:
        found.sort(key=lambda one: (not re.search(r"(?:failed|failures|errors?) [1-9]", one[1]), one[0]))
    yield from (Entry(text, line, line) for line, text in sorted(found[:COUNTS]))
    if len(found) > COUNTS:
        yield Entry(f"{len(found) - COUNTS:,} more that count tests", rank=1)
    if cases.broken:
        line = max(1, min(cases.last, document.lines.total))
        said = f"BROKEN: {cases.broken}; nothing after it is in this map"
        yield Entry(said, line, line, children=(quote(line, document.lines.at(line)),))
    if cases.total and not cases.failed:
        yield Entry(f"none of the {cases.total:,} test cases here is marked as failed")


def _counted(attributes: Mapping[str, str]) -> str:
    told = [f"{key} {attributes[key]}" for key in KEYS if _tells(key, attributes.get(key, ""))]
    name = re.split(r"[/\\]", attributes.get("name", ""))[-1]
    return ", ".join([name, *told] if name and told else told)


def _tells(key: str, value: str) -> bool:
    """Tell whether a count is worth saying; NUnit 2 gives the time of day as ``time``."""
    return value not in ("", "0") and not (key == "time" and ":" in value)


def _failure(
    document: Document, case: Case, classes: Mapping[str, str], seen: dict[str, tuple[str, int]]
) -> Failure:
    known = case.attributes
    name = known.get("fullname") or known.get("testName") or known.get("name") or case.tag
    group = known.get("classname") or known.get("type", "") if case.tag != "test-suite" else ""
    group = group or classes.get(known.get("testId", ""), "")
    group = group or name.partition("(")[0].rpartition(".")[0]
    short = name.removeprefix(f"{group}.") if group else name
    full = name if name.startswith(group) else f"{group}.{name}"
    failure = Failure(full, case.start, max(case.start, case.end), group, short, error=not case.is_test)
    for step, (line, text) in enumerate(one for one in case.message.items() if one[1].strip()):
        entry = _said(document, line, text)
        rank = min(VARIANT + 2 + step, REST)
        if not step:
            failure.message = line
            rank = _weigh(failure, text, seen)
        failure.details.append(Detail(rank, step, entry))
    for step, (line, text) in enumerate(case.trace.items()):
        if text.strip() and line not in case.message:
            failure.details.append(Detail(REST if step else FRAME, step, _said(document, line, text)))
    return failure


def _said(document: Document, line: int, text: str) -> Entry:
    """Quote a line of a message; where its line holds more before it than a tag or two, say what it says."""
    start, stop = document.lines.span(line, line)
    if stop - start <= 4 * WIDTH:
        return quote(line, document.lines.at(line), width=WIDTH)
    return Entry(shown(text.replace("\r", " "), WIDTH), line, line)


def _weigh(failure: Failure, text: str, seen: dict[str, tuple[str, int]]) -> int:
    """Return how early a message enters: one that says nothing new comes later."""
    first, number = seen.setdefault(NUMBERS.sub("0", text), (text, failure.message))
    if number == failure.message:
        return FIRST
    failure.like, failure.same = number, first == text
    return SAME if failure.same else VARIANT
