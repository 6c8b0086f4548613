"""Output of RSpec: its summary, every failing example with its lines and message."""

import re
from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import claim
from ctxkit.core.brief.runs.failures import Numbered, Reading
from ctxkit.core.brief.runs.places import FOREIGN, RUBY, path_on
from ctxkit.core.brief.runs.results import mapped
from ctxkit.core.brief.runs.trials import Format, Trials

NAME = "rspec"
TYPES: Sequence[str] = ()
CLOSING = re.compile(r"\d+ examples?, \d+ failures?(?:, \d+ \w+)*(?:, \d+ errors? occurred outside of examples)?")
TITLE = re.compile(r" {2}(\d+(?:\.\d+)?)\) (.*\S)")
LISTED = re.compile(r"rspec (\S+?(?::\d+|\[[\d:,]+\])) # (.*)|rspec (\S+)")
OUTCOME = re.compile(r"\s++(.*\S) \(FAILED - \d+\)")
OUTSIDE = re.compile(r"An error occurred (?:while loading (\S+?)\.?|in an? .*)")
MARK = re.compile(
    r"\n(?:Failures:|Pending: |Finished in |\d+ examples?, |Failed examples:|Top \d+ slowest|"
    r"An error occurred |rspec | {2}\d+(?:\.\d+)?\) )[^\n]*"
)


def _sort(text: str) -> tuple[str, str]:
    """Return what a line is and what it names."""
    if text == "Failures:":
        return "on", ""
    if text.startswith(("Pending: ", "Failed examples:", "Top ")):
        return "off", ""
    if text.startswith("Finished in "):
        return "off", ""
    if CLOSING.fullmatch(text):
        return "verdict", text
    title = TITLE.fullmatch(text)
    if title:
        return ("title", title[2]) if "." not in title[1] else ("more", "")
    if OUTSIDE.fullmatch(text):
        return "sure", text
    listed, outcome = LISTED.fullmatch(text), OUTCOME.fullmatch(text)
    if listed:
        return "named", listed[2] or listed[3]
    return ("named", outcome[1]) if outcome else ("", "")


def _message(body: Sequence[Numbered]) -> list[Numbered]:
    """Return what stands between the failing code and the stack; the code where nothing else does."""
    cut = next((at for at, (_, text) in enumerate(body) if path_on(RUBY, text)), len(body))
    rows = list(body[:cut])
    code = next((at for at, (_, text) in enumerate(rows) if "Failure/Error:" in text), -1)
    said = rows[code + 1 :]
    while said and said[0][0] == rows[code][0] + 1 and code >= 0 and rows[code][1].rstrip().endswith("Failure/Error:"):
        code, said = code + 1, said[1:]
    if len(said) > 1 and re.fullmatch(r"\s*[\w:]+:", said[0][1]):  # the class of an exception, its message below
        said[:2] = said[1::-1]
    return [*said, rows[code]] if said else rows[code:] or rows[:1]


READING = Reading(_message, partial(path_on, RUBY), FOREIGN.search, source="Failure/Error:")
FORMAT = Format(NAME, MARK, _sort, READING, strict=True, outcomes=("(FAILED - ",))


def _amend(trials: Trials, document: Document) -> None:
    """Leave out names that blocks have, and in full only."""
    del document
    names = [failure.name for failure in trials.failures]
    trials.named = [mark for mark in trials.named if not any(name.endswith(mark.text) for name in names)]
    for failure in trials.failures:
        failure.short = failure.name


def _proof(row: str) -> float:
    if CLOSING.fullmatch(row):
        return 0.92
    if row in ("Failed examples:", "Failures:"):
        return 0.55
    return 0.8 if row.startswith("     Failure/Error: ") or OUTSIDE.fullmatch(row) else 0.0


def sniff(document: Document) -> float:
    """Claim text with the summary of RSpec or its failures."""
    return claim(document, _proof)


def outline(document: Document) -> Sequence[Outline] | None:
    """Return the summary, failing examples, and as much of messages as there is room for."""
    return mapped(document, FORMAT, _amend)
