"""Output of go test, as text or as events in JSON: packages that failed, every failing test with its message."""

import re
from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import claim
from ctxkit.core.brief.runs.failures import Failure, Numbered, Reader, Reading
from ctxkit.core.brief.runs.go_events import Ran, gathered, unescaped
from ctxkit.core.brief.runs.places import FOREIGN, GO, path_on
from ctxkit.core.brief.runs.results import laid_out, mapped
from ctxkit.core.brief.runs.signposts import Mark
from ctxkit.core.brief.runs.trials import MOST, Format, Trials, legible

NAME = "go test"
TYPES: Sequence[str] = ("go_test",)
TITLE = re.compile(r"\s*--- FAIL: (\S.*?) \([\d.]+s\)|=== (?:FAIL|Failed): (\S+ \S.*?)(?: \([\d.]+s\))?")
PASSING = ("=== RUN", "=== CONT", "=== NAME", "=== PAUSE", "--- PASS", "    --- PASS")
"""How lines begin that say nothing of a failure."""
SWITCH = re.compile(r"=== (RUN|CONT|NAME|PAUSE) +(\S.*)")
RESULT = re.compile(r"\s*--- (?:PASS|FAIL|SKIP): (\S+)")
CLOSING = re.compile(r"FAIL\t\S+.*|ok {2}\t\S+\t.*|DONE \d+ tests.*|FAIL \S+ \[.*\]")
PANIC = re.compile(r"panic: .*|fatal error: .*|signal: .*|testing: warning: no tests to run")
BUILD = re.compile(r"# (\S+)(?: \[\S+\.test\])?")
"""What stands above the errors of a package that does not compile."""
UNBUILT = re.compile(r"\S+\.go:\d+:|ld: |link: |\S+: ")
"""How such errors begin."""
SAID = re.compile(r"\s+\S+\.go:\d+: ")
CLAIM = re.compile(r"\s*(?:Error:|expected|actual|got|want)\b", re.IGNORECASE)
EVENT = re.compile(r'\{"(?:Time":"[^"]*","|ImportPath":"[^"]*",")*Action":"[a-z-]+"[,}]')
SAMPLE = 200
"""Lines from the beginning that tell whether a log is one of events."""
MARK = re.compile(
    r"\n(?:[ \t]*--- (?:FAIL|PASS|SKIP|BENCH)|=== |FAIL|ok  \t|DONE \d|panic: |fatal error: |# \S|signal: |"
    r"testing: warning|\?   \t|PASS)[^\n]*"
)


def _sort(text: str) -> tuple[str, str]:
    """Return what a line is and what it names."""
    if text.startswith(PASSING):
        return "end", ""
    title = TITLE.fullmatch(text)
    if title:
        return "title", title[1] or title[2]
    if CLOSING.fullmatch(text):
        return "verdict", text
    if BUILD.fullmatch(text):
        return "title", text
    return ("note", text) if PANIC.fullmatch(text) else ("end", "")


def _message(body: Sequence[Numbered]) -> list[Numbered]:
    """Return what a test reported with its place, from the first such line, or the panic."""
    panic = next(
        (at for at, (_, text) in enumerate(body) if text.lstrip().startswith(("panic: ", "fatal error: "))), None
    )
    at = next((at for at, (_, text) in enumerate(body) if SAID.match(text)), panic)
    if at is None:
        return list(body[:1])
    rows = list(body[at:])
    claims = [row for row in rows[1:] if row[1].lstrip().startswith(("Error:", "Error Trace"))]
    if claims and rows[0][1].rstrip().endswith(":"):  # testify: the place alone, below it a table
        return [claims[-1], *(row for row in rows if row != claims[-1])]
    return rows


READING = Reading(_message, partial(path_on, GO), FOREIGN.search, CLAIM.match)
FORMAT = Format(NAME, MARK, _sort, READING)


def _amend(trials: Trials, document: Document) -> None:
    """Quote the packages that failed only; in verbose output, let blocks begin where their tests run."""
    if not trials.verdicts:
        trials.failures += _unfinished(document)
    bad = [mark for mark in trials.verdicts if not mark.text.startswith("ok ")]
    trials.verdicts = bad or trials.verdicts[-3:]
    trials.failures = [failure for failure in trials.failures if _is_failure(failure, document)]
    ran = _segments(document, {failure.name for failure in trials.failures}) if "=== RUN" in document.head else {}
    reader = Reader(document.lines, READING)
    for failure in trials.failures[: max(document.target // 4, 8)]:
        failure.group, _, failure.short = _parts(failure)
        start, end = ran.get(failure.name, (0, 0))
        rows = [text for _, text in document.lines.numbered(failure.start + 1, min(failure.end, failure.start + 3))]
        if start and not any(SAID.match(row) for row in rows):
            failure.start, failure.end = start, end
        reader.read(failure)


def _parts(failure: Failure) -> tuple[str, str, str]:
    """Return the package of a test, where it is told, a blank, and its name."""
    return ("", "", failure.name) if failure.name.endswith("]") else failure.name.rpartition(" ")


def _unfinished(document: Document) -> list[Failure]:
    """Return the tests of a log that is cut below which wrote something at a place and have no result in it."""
    found: dict[str, Failure] = {}
    done: set[str] = set()
    number, name, start = 0, "", 0
    for block in document.lines.blocks():
        for row in legible(block).split("\n"):
            number += 1
            if row.startswith("=== "):
                switch = SWITCH.fullmatch(row.rstrip())
                name, start = (switch[2], number) if switch and switch[1] != "PAUSE" else ("", 0)
            elif result := RESULT.match(row):
                done.add(result[1])
                name = ""
            elif name and len(found) < MOST and SAID.match(row):
                found.setdefault(name, Failure(f"{name} [no result in this log]", start, number)).end = number
    return [failure for test, failure in found.items() if test not in done]


def _is_failure(failure: Failure, document: Document) -> bool:
    """Tell whether a block is one of a test, or of a package that did not compile, which is an error."""
    build = BUILD.fullmatch(failure.name)
    if not build:
        return True
    if failure.end == failure.start or not UNBUILT.match(document.lines.at(failure.start + 1)):
        return False
    failure.name, failure.error = f"{build[1]} [build failed]", True
    return True


def _segments(document: Document, wanted: set[str]) -> dict[str, tuple[int, int]]:
    """Return where each of some tests wrote most: between the line that turns to it and the next such line."""
    best: dict[str, tuple[int, int]] = {}
    number, name, start = 1, "", 0
    for block in document.lines.blocks():
        for row in legible(block).split("\n"):
            if row.startswith("=== ") or "--- " in row[:40]:
                if (
                    name
                    and number - start > 1
                    and number - start > best.get(name, (1, 1))[1] - best.get(name, (1, 1))[0]
                ):
                    best[name] = start, number - 1
                found = SWITCH.fullmatch(row.rstrip())
                name, start = (found[2], number) if found and found[2] in wanted and found[1] != "PAUSE" else ("", 0)
            number += 1
    return best


def _events(document: Document) -> Sequence[Outline] | None:
    """Return the map of events in JSON."""
    failed, ended, strays = gathered(document.lines)
    trials = Trials(document.lines.total, notes=strays)
    bad = [event for event in ended if event.action == "fail"]
    rows = document.lines
    trials.verdicts = [Mark(e.number, "verdict", rows.at(e.number)) for e in (bad[:200] or ended[-1:])]
    reader = Reader(rows, READING)
    for (package, test), ran in sorted(failed.items(), key=lambda item: item[1].start):
        if test or not any(key[0] == package and key[1] for key in failed):
            trials.failures.append(_failed(reader, package, test, ran, len(trials.failures) < document.target // 4))
    if not (trials.failures or trials.verdicts):
        return None
    done = {event.package for event in ended}
    closed = bool(ended) and all(package in done for package, test in failed if test)
    return laid_out(document, FORMAT, trials, closed=closed, read=False)


def _failed(reader: Reader, package: str, test: str, ran: Ran, told: bool) -> Failure:
    """Return a failing test with what it wrote, quoted as the events have it."""
    failure = Failure(
        f"{package} {unescaped(test)}".strip(), ran.start, max(ran.end, ran.start), package, unescaped(test)
    )
    if told and ran.said:
        failure.start = ran.said[0][0]
        failure.end = max(ran.said[-1][0], failure.start)
        reader.take(failure, ran.said)
    return failure


def _has_events(document: Document) -> bool:
    """Tell whether most of the first lines are events."""
    rows = [row for row in document.head.split("\n", SAMPLE + 1)[:SAMPLE] if row.strip()]
    return bool(rows) and sum(EVENT.match(row) is not None for row in rows) * 2 > len(rows)


def _proof(row: str) -> float:
    if re.fullmatch(r"(?:FAIL|ok {2})\t\S+\t(?:[\d.]+s|\(cached\)).*|FAIL\t\S+ \[(?:build|setup) failed\]", row):
        return 0.92
    if re.fullmatch(r"\s*--- (?:FAIL|PASS|SKIP): \S+ \([\d.]+s\)", row):
        return 0.9
    return 0.7 if re.fullmatch(r"=== RUN   \S+", row) else 0.0


def sniff(document: Document) -> float:
    """Claim text with results as go test prints them, or its events."""
    if _has_events(document):
        return 0.97
    return claim(document, _proof)


def outline(document: Document) -> Sequence[Outline] | None:
    """Return packages that failed, failing tests, and as much of messages as there is room for."""
    if _has_events(document):
        return _events(document)
    return mapped(document, FORMAT, _amend)
