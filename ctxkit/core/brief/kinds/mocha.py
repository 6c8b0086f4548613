"""Output of mocha's reporters for people: its counts, every failing test with its lines and message."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import claim
from ctxkit.core.brief.runs.failures import Numbered, Reading
from ctxkit.core.brief.runs.places import FOREIGN, SCRIPT, path_on
from ctxkit.core.brief.runs.results import mapped
from ctxkit.core.brief.runs.trials import Format, Trials

NAME = "mocha"
TYPES: Sequence[str] = ()
CLOSING = re.compile(r" {2}\d+ (?:passing(?: \([\d.]++\s?\w+\))?|failing|pending)")
TITLE = re.compile(r" {2}(\d+)\) (.*\S)")
OUTCOME = re.compile(r"\s{3,}\d+\) (.*\S)")
BLOCK = re.compile(r"^ {2}\d+\) .*\n {7,}\S", re.MULTILINE)
"""Where a block begins: the suite, below it the test."""
PASSED = re.compile(r" {4,}\u2714 (?!.*\(\d+\.\d+ms\)$)\S.*")
"""A test that passed, where a log is cut before its counts; node's own runner adds a time with a fraction."""
TALL = 12
"""Lines that a name may take: one for each suite around the test."""
MARK = re.compile(r"\n(?: {2}\d+ (?:passing|failing|pending)| {2,}\d+\) |Error: |\u2716 ERROR)[^\n]*")


def _sort(text: str) -> tuple[str, str]:
    """Return what a line is and what it names."""
    if CLOSING.fullmatch(text):
        return ("on" if text.endswith("failing") else "verdict"), text
    title = TITLE.fullmatch(text)
    if title:
        return "title", title[2]
    outcome = OUTCOME.fullmatch(text)
    if outcome:
        return "named", outcome[1]
    return ("note", text) if text.startswith(("Error: ", "\u2716 ERROR")) else ("", "")


def _message(body: Sequence[Numbered]) -> list[Numbered]:
    """Return what stands between the name and the stack."""
    cut = next((at for at, (_, text) in enumerate(body) if text.lstrip().startswith("at ")), len(body))
    return list(body[:cut] or body[:1])


READING = Reading(_message, partial(path_on, SCRIPT), FOREIGN.search, re.compile(r"\s*[-+]\S").match)
FORMAT = Format(NAME, MARK, _sort, READING, strict=True)


def _amend(trials: Trials, document: Document) -> None:
    """Put together names of several lines, and read blocks from where these end."""
    from ctxkit.core.brief.runs.failures import Reader

    reader = Reader(document.lines, READING)
    for failure in trials.failures[: max(document.target // 4, 8)]:
        rows, name = document.lines.numbered(failure.start + 1, min(failure.end, failure.start + TALL)), [failure.name]
        after = failure.start + 1
        for number, text in rows:
            if name[-1].endswith(":") or not text.strip():
                after = number
                break
            name.append(text.strip())
        failure.group = name[0].removesuffix(":")
        failure.name = " ".join(name).removesuffix(":")
        failure.short = " ".join(name[1:]).removesuffix(":") or failure.name
        reader.read(failure, begin=after)
    known = {failure.short for failure in trials.failures} | {failure.name for failure in trials.failures}
    trials.named = [mark for mark in trials.named if not any(name.endswith(mark.text) for name in known)]


def _proof(row: str) -> float:
    if CLOSING.fullmatch(row):
        return 0.86 if "passing (" in row else 0.8
    if PASSED.fullmatch(row):
        return 0.62
    return 0.84 if row.startswith("      at Context.<anonymous> (") else 0.0


def sniff(document: Document) -> float:
    """Claim text with the counts of mocha."""
    return claim(document, _proof)


def outline(document: Document) -> Sequence[Outline] | None:
    """Return the counts, failing tests, and as much of messages as there is room for."""
    # a log cut above has blocks, but not the line that counts them
    cut = not re.search(r"^ {2}\d+ failing", document.head + "\n" + document.tail, re.MULTILINE)
    headless = cut and BLOCK.search(document.tail) is not None
    return mapped(document, replace(FORMAT, strict=False) if headless else FORMAT, _amend)
