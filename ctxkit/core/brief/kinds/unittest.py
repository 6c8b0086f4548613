"""Output of unittest: its verdict, every failing test with its lines and message."""

import re
from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import score_document
from ctxkit.core.brief.runs.failures import FailureReading, NumberedLine
from ctxkit.core.brief.runs.results import outline_test_output
from ctxkit.core.brief.runs.runner_log import RunnerFormat, TestLog
from ctxkit.core.brief.runs.stack_paths import FOREIGN, PYTHON, match_path

NAME = "unittest"
TYPES: Sequence[str] = ()
TITLE = re.compile(r"(FAIL|ERROR|UNEXPECTED SUCCESS): (\S.*)")
RAN = re.compile(r"Ran \d+ tests? in \d[\d.]*s")
CLOSING = re.compile(r"(?:OK|FAILED|NO TESTS RAN)(?: \(\w[\w ]*=\d+(?:, \w[\w ]*=\d+)*\))?")
OUTCOME = re.compile(r"(.*\S) \.\.\. (?:FAIL|ERROR|unexpected success)")
VERBOSE = re.compile(r"\w+ \([\w.]+\) \.\.\. (?:ok|FAIL|ERROR|skipped .*|(?:un)?expected \w+)")
METHOD = re.compile(r"(?<!\S)(\S+) \(([\w.]+?)(?:\.(\w+))?\)(.*)")
"""How a test is named: the method, its module and class, since 3.11 the method again, and what a subtest adds."""
MARK = re.compile(
    r"\n(?:={70}\n(?:FAIL|ERROR|UNEXPECTED SUCCESS): [^\n]*|={70}(?=\n|$)|Ran \d+ tests? in [^\n]*|"
    r"(?:OK|FAILED|NO TESTS RAN)(?: \([^\n]*\))?[ \t]*(?=\n|$))"
)


def _classify_line(text: str) -> tuple[str, str]:
    """Return what a line is and what it names."""
    rule, _, below = text.partition("\n")
    title = TITLE.fullmatch(below)
    if title:
        return "title", title[2]
    if rule.startswith("===="):
        return "end", ""
    if RAN.fullmatch(text) or CLOSING.fullmatch(text):
        return "verdict", text
    outcome = OUTCOME.fullmatch(text)
    return ("named", outcome[1]) if outcome else ("", "")


def _find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the last exception: what follows the frames of the last traceback, up to captured output."""
    frames = [
        at
        for at, (_, text) in enumerate(body)
        if text.startswith("  File ") or text == "Traceback (most recent call last):"
    ]
    after = body[frames[-1] + 1 :] if frames else body
    rows = list(after)
    while rows and rows[0][1].startswith(" "):
        rows.pop(0)
    cut = next(
        (at for at, (_, text) in enumerate(rows) if text in ("Stdout:", "Stderr:") or not text.strip("-")), len(rows)
    )
    return rows[:cut] or rows[:1]


READING = FailureReading(_find_message, partial(match_path, PYTHON), FOREIGN.search, source_mark="    ~")
FORMAT = RunnerFormat(NAME, MARK, _classify_line, READING, outcomes=("... FAIL", "... ERROR", "... unexpected success"))


def _postprocess(test_log: TestLog, document: InputDocument) -> None:
    """Put blocks on the lines of their names, below their classes."""
    del document
    for failure in test_log.failures:
        failure.start += 1
        match = METHOD.fullmatch(failure.name)
        if match:
            repeated = match[3] == match[1] or not match[3]
            failure.group = match[2] if repeated else f"{match[2]}.{match[3]}"
            failure.short_name = f"{match[1]}{match[4]}"
        failure.is_error = False
    test_log.named = [mark for mark in test_log.named if METHOD.fullmatch(mark.text) or "(" in mark.text]


def _line_score(row: str) -> float:
    if RAN.fullmatch(row):
        return 0.9
    if TITLE.fullmatch(row) and METHOD.search(row):
        return 0.85
    return 0.84 if VERBOSE.fullmatch(row) else 0.0


def sniff(document: InputDocument) -> float:
    """Claim text with the closing lines or the headings of unittest."""
    return score_document(document, _line_score)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return verdict, failing tests, and as much of messages as there is room for."""
    return outline_test_output(document, FORMAT, _postprocess)
