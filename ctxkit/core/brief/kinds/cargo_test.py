"""Output of cargo test: every verdict that matters, every failing test with its lines and message."""

import re
from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import claim
from ctxkit.core.brief.runs.failures import Numbered, Reading
from ctxkit.core.brief.runs.places import FOREIGN, RUST, path_on
from ctxkit.core.brief.runs.results import mapped
from ctxkit.core.brief.runs.signposts import Mark
from ctxkit.core.brief.runs.trials import Format, Trials

NAME = "cargo test"
TYPES: Sequence[str] = ("cargo_test",)
TITLE = re.compile(r"---- (.*\S) std(?:out|err) ----")
CLOSING = re.compile(r"test result: (?:ok|FAILED)\. \d+ passed; .*")
OUTCOME = re.compile(r"test (.*?\S)(?: - should panic)? \.\.\. FAILED(?: <[\d.]+s>)?")
HEAD = re.compile(r" +(?:Running (?:unittests |tests[/\\])?(\S+) \(.*\)|Doc-tests (\S+))")
NOTE = re.compile(r"error(?:\[E\d+\])?: .*")
LISTED = 2_000
"""Lines above a verdict in which the list of what failed is looked for."""
PANIC = re.compile(r"thread '(?:(?!thread ').)*' (?:\(\d+\) )?panicked at (.*)")
MARK = re.compile(
    r"\n(?:---- |test result: |failures:|test .* \.\.\. FAILED| +Running | +Doc-tests |running \d|"
    r"error(?:\[E\d+\])?: )[^\n]*"
)


def _sort(text: str) -> tuple[str, str]:
    """Return what a line is and what it names."""
    title = TITLE.fullmatch(text)
    if title:
        return "title", title[1]
    if CLOSING.fullmatch(text):
        return "verdict", text
    head = HEAD.fullmatch(text)
    if head:
        return "group", head[1] or head[2]
    outcome = OUTCOME.fullmatch(text)
    if outcome:
        return "named", outcome[1]
    if text == "failures:" or text.startswith("running "):
        return "end", ""
    return ("note", text) if NOTE.fullmatch(text) else ("", "")


def message(body: Sequence[Numbered]) -> list[Numbered]:
    """Return what a panic says, or the error that a test returned."""
    at = next((at for at, (_, text) in enumerate(body) if PANIC.search(text)), -1)
    if at < 0:
        told = [row for row in body if row[1].startswith("Error: ")]
        return told or list(body[-1:])
    rows = list(body[at + 1 :])
    cut = next(
        (n for n, (_, text) in enumerate(rows) if text.lstrip().startswith(("note: ", "stack backtrace:", "thread '"))),
        len(rows),
    )
    # before Rust 1.73 the message stood on the line of the panic
    return [body[at], *rows[:cut]] if "panicked at '" in body[at][1] else rows[:cut] or [body[at]]


READING = Reading(message, partial(path_on, RUST), FOREIGN.search, re.compile(r"\s+(?:left|right): ").match)
FORMAT = Format(NAME, MARK, _sort, READING)


def _listed(document: Document, verdict: int) -> list[Mark]:
    """Return the names that stand in the list right above a verdict, all that a log cut above may have."""
    rows = list(document.lines.numbered(max(verdict - LISTED, 1), verdict - 1))
    found: list[Mark] = []
    for number, text in reversed(rows):
        if text.startswith("    ") and text.strip():
            found.append(Mark(number, "named", text.strip()))
        elif text.strip():
            break
    return found[::-1]


def _amend(trials: Trials, document: Document) -> None:
    """Leave out verdicts of runs in which nothing failed, where others have failures; name what only lists name."""
    known = {failure.name for failure in trials.failures} | {mark.text for mark in trials.named}
    for verdict in trials.verdicts:
        if verdict.text.startswith("test result: FAILED"):
            trials.named += [mark for mark in _listed(document, verdict.number) if mark.text not in known]
    bad = [mark for mark in trials.verdicts if mark.text.startswith("test result: FAILED")]
    trials.verdicts = bad + trials.verdicts[-1:] if bad and trials.verdicts[-1] not in bad else bad or trials.verdicts
    for failure in trials.failures:
        failure.short = failure.name


def _proof(row: str) -> float:
    if CLOSING.fullmatch(row) or TITLE.fullmatch(row):
        return 0.9
    return 0.6 if re.fullmatch(r"test \S+(?: - .*)? \.\.\. (?:ok|FAILED|ignored)", row) else 0.0


def sniff(document: Document) -> float:
    """Claim text with results as libtest prints them."""
    return claim(document, _proof)


def outline(document: Document) -> Sequence[Outline] | None:
    """Return verdicts, failing tests, and as much of messages as there is room for."""
    return mapped(document, FORMAT, _amend)
