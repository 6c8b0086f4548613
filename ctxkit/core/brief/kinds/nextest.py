"""Output of cargo nextest: its summary, every failing test with its lines and message."""

import re
from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.document import Document
from ctxkit.core.brief.kinds.cargo_test import message
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import claim
from ctxkit.core.brief.runs.failures import Reading
from ctxkit.core.brief.runs.places import FOREIGN, RUST, path_on
from ctxkit.core.brief.runs.results import mapped
from ctxkit.core.brief.runs.trials import Format, Trials

NAME = "cargo nextest"
TYPES: Sequence[str] = ("nextest",)
BAD = r"(?:TRY \d+ )?(?:FAIL|SIG\w+|ABORT|TIMEOUT|XFAIL|LEAK-FAIL|FAIL \+ LEAK|TMT|EXECFAIL)"
TITLE = re.compile(rf" +{BAD} \[ *>?[\d.]+s\] (?:\([\s\d/]+\) )?(\S+) (\S.*)")
OTHER = re.compile(r" +(?:PASS|SLOW|SKIP|LEAK|FLAKY.*|START|RETRY|CANCEL\w*|TERMINAT\w*) (?:\[.*)?")
CLOSING = re.compile(r" +Summary \[ *[\d.]+s\] .*")
NOTE = re.compile(r"error(?:\[E\d+\])?: .*| +Cancel\w* due to .*")
BAR = re.compile(r"[\u2500\u2501-]{8,}")
MARK = re.compile(
    rf"\n(?: +(?:{BAD}|PASS|SLOW|SKIP|LEAK|FLAKY|START|RETRY|Cancel\w*) |[\u2500-]{{8}}| +Summary |"
    rf"error(?:\[E\d+\])?: )[^\n]*"
)


def _sort(text: str) -> tuple[str, str]:
    """Return what a line is and what it names."""
    title = TITLE.fullmatch(text)
    if title:
        return "title", f"{title[1]} {title[2]}"
    if CLOSING.fullmatch(text):
        return "verdict", text
    if NOTE.fullmatch(text):
        return "note", text
    if BAR.fullmatch(text) or OTHER.match(text):
        return "end", ""
    return "", ""


READING = Reading(message, partial(path_on, RUST), FOREIGN.search, re.compile(r"\s+(?:left|right): ").match)
FORMAT = Format(NAME, MARK, _sort, READING)


def _amend(trials: Trials, document: Document) -> None:
    """Name tests without their crates below these; leave out the list below the summary of what it names again."""
    del document
    last = max((mark.number for mark in trials.verdicts), default=0)
    told = {failure.name for failure in trials.failures if failure.start < last}
    trials.failures = [one for one in trials.failures if one.start < last or one.name not in told]
    for failure in trials.failures:
        failure.group, _, failure.short = failure.name.partition(" ")


def _proof(row: str) -> float:
    if CLOSING.fullmatch(row) or TITLE.fullmatch(row):
        return 0.92
    return 0.7 if re.fullmatch(r" +PASS \[ *[\d.]+s\] .*", row) else 0.0


def sniff(document: Document) -> float:
    """Claim text with results as nextest prints them."""
    return claim(document, _proof)


def outline(document: Document) -> Sequence[Outline] | None:
    """Return the summary, failing tests, and as much of messages as there is room for."""
    return mapped(document, FORMAT, _amend)
