"""Output of ctest: its summary and the failing tests, each with its line range and output."""

import re
from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.error_lines import is_error_line
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import score_document
from ctxkit.core.brief.runs.failures import FailureReading, NumberedLine
from ctxkit.core.brief.runs.results import outline_test_output
from ctxkit.core.brief.runs.runner_log import RunnerFormat, TestLog
from ctxkit.core.brief.runs.stack_paths import COMPILED, FOREIGN, match_path
from ctxkit.core.lazy_pattern import compile_lazily

NAME = "ctest"
TYPES: Sequence[str] = ()
CLUES = Clues(("% tests passed", "No tests were found", " Test "))
RESULT = compile_lazily(
    r" *\d+/\d+ Test +#(\d+): (\S.{0,300}?)(?<=\S) \.*"
    r"(\*\*\*.{0,80}?(?<! )|   Passed|\*{1,3}.{0,80}?(?<! ))?(?<! ) ++[\d.]+ sec.*"
)
BAD = compile_lazily(r" *\d+/\d+ Test +#\d+: (\S.*?) \.*(\*\*\*\S.*)")
LISTED = compile_lazily(
    r"\s++\d+ - (\S.{0,300}?) \((?:Failed|SEGFAULT|Timeout|Not Run|Child aborted|ILLEGAL|NUMERICAL|OTHER_FAULT|"
    r"Exception.*|Bad.*|Required.*|.*)\).*"
)
CLOSING = compile_lazily(r"\d+% tests passed, \d+ tests? failed out of \d+|No tests were found!!!|100% tests passed.*")
NOTE = compile_lazily(
    r"Errors while running CTest|CMake Error.*|Unable to find executable: .*|Could not find executable .*"
)
MARK = compile_lazily(
    r"\n(?: *\d+/\d+ Test +#|test \d+$|test \d+(?=\n)| +Start +\d+: |\d+% tests passed|No tests were found|"
    r"The following tests|Total Test time|"
    r"Errors while running|CMake Error|Unable to find|Could not find|\t *\d+ - | {2,}\d+ - )[^\n]*"
)


def _classify_line(text: str) -> tuple[str, str]:
    """Return the class of a line and the name or text in it."""
    if text.endswith("sec") and "***" not in text:
        return "end", ""
    bad = BAD.fullmatch(text)
    if bad:
        return "title", bad[1]
    if CLOSING.fullmatch(text):
        return "verdict", text
    if NOTE.match(text):
        return "note", text
    listed = LISTED.fullmatch(text)
    if listed:
        return "named", listed[1]
    return "end", ""


def _find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the error lines and the last line, or the last line alone."""
    bad = [row for row in body if is_error_line(row[1])]
    return [*bad, *body[-1:]] if bad else list(body[-1:])


READING = FailureReading(_find_message, partial(match_path, COMPILED), FOREIGN.search)
FORMAT = RunnerFormat(NAME, MARK, _classify_line, READING)


def _postprocess(test_log: TestLog, document: InputDocument) -> None:
    """Extend a block without output to the lines that ctest -V prints before the result."""
    names = {failure.name for failure in test_log.failures}
    test_log.named = [mark for mark in test_log.named if mark.text not in names]
    for failure in test_log.failures:
        failure.name += _read_outcome(document.lines.at(failure.start))
        failure.short_name = failure.name
        number = re.match(r" *\d+/\d+ Test +#(\d+)", document.lines.at(failure.start).replace("\r", ""))
        if failure.end == failure.start and number:
            start = failure.start
            rows = list(document.lines.enumerate_lines(max(start - 500, 1), start - 1))
            while rows and rows[-1][1].startswith(f"{number[1]}: "):
                start = rows.pop()[0]
            failure.start = start


def _read_outcome(text: str) -> str:
    """Return the outcome in brackets if it is more than a failure, such as a crash or a timeout."""
    bad = BAD.fullmatch(text.replace("\r", "").rstrip())
    outcome = re.sub(r"(?<! ) ++[\d.]+ sec.*", "", bad[2]).strip("* ") if bad else ""
    return f" ({outcome})" if outcome and outcome != "Failed" else ""


def _line_score(row: str) -> float:
    if CLOSING.fullmatch(row):
        return 0.9
    return 0.85 if re.match(r" *\d+/\d+ Test +#\d+: ", row) else 0.0


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text contains results as ctest prints them."""
    return score_document(document, _line_score)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the summary and failing tests, from the most detailed to the shortest."""
    return outline_test_output(document, FORMAT, _postprocess)
