"""Output of cargo nextest: its summary and failing tests, each with its line range and message."""

import re
from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds.cargo_test import find_message
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import score_document
from ctxkit.core.brief.runs.failures import FailureReading
from ctxkit.core.brief.runs.results import outline_test_output
from ctxkit.core.brief.runs.runner_log import RunnerFormat, TestLog
from ctxkit.core.brief.runs.stack_paths import FOREIGN, RUST, match_path
from ctxkit.core.lazy_pattern import compile_lazily

NAME = "cargo nextest"
TYPES: Sequence[str] = ("nextest",)
CLUES = Clues(("Summary", "PASS", "FAIL", "SIG", "ABORT", "TIMEOUT", "TMT", "TRY "))
BAD = r"(?:TRY \d+ )?(?:FAIL|SIG\w+|ABORT|TIMEOUT|XFAIL|LEAK-FAIL|FAIL \+ LEAK|TMT|EXECFAIL)"
TITLE = compile_lazily(rf" +{BAD} \[ *>?[\d.]+s\] (?:\([\s\d/]+\) )?(\S+) (\S.*)")
OTHER = compile_lazily(r" +(?:PASS|SLOW|SKIP|LEAK|FLAKY.*|START|RETRY|CANCEL\w*|TERMINAT\w*) (?:\[.*)?")
CLOSING = compile_lazily(r" +Summary \[ *[\d.]+s\] .*")
NOTE = compile_lazily(r"error(?:\[E\d+\])?: .*| +Cancel\w* due to .*")
BAR = compile_lazily(r"[\u2500\u2501-]{8,}")
MARK = compile_lazily(
    rf"\n(?: +(?:{BAD}|PASS|SLOW|SKIP|LEAK|FLAKY|START|RETRY|Cancel\w*) |[\u2500-]{{8}}| +Summary |"
    rf"error(?:\[E\d+\])?: )[^\n]*"
)


def _classify_line(text: str) -> tuple[str, str]:
    """Return the class of a line and the name or text in it."""
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


READING = FailureReading(
    find_message, partial(match_path, RUST), FOREIGN.search, re.compile(r"\s+(?:left|right): ").match
)
FORMAT = RunnerFormat(NAME, MARK, _classify_line, READING)


def _postprocess(test_log: TestLog, document: InputDocument) -> None:
    """Split the names into crate and test, and drop the tests that the list below the summary repeats."""
    del document
    last = max((mark.number for mark in test_log.summaries), default=0)
    summarized_names = {failure.name for failure in test_log.failures if failure.start < last}
    test_log.failures = [
        failure for failure in test_log.failures if failure.start < last or failure.name not in summarized_names
    ]
    for failure in test_log.failures:
        failure.group, _, failure.short_name = failure.name.partition(" ")


def _line_score(row: str) -> float:
    if CLOSING.fullmatch(row) or TITLE.fullmatch(row):
        return 0.92
    return 0.7 if re.fullmatch(r" +PASS \[ *[\d.]+s\] .*", row) else 0.0


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text contains results as nextest prints them."""
    return score_document(document, _line_score)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the summary and failing tests, from the most detailed to the shortest."""
    return outline_test_output(document, FORMAT, _postprocess)
