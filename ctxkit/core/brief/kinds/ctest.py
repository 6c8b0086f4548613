"""Output of ctest: its summary and the failing tests, each with its line range and output."""

import re
from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.runs.failures import COMPILED, FOREIGN, FailureReading, NumberedLine, match_path
from ctxkit.core.brief.runs.runner import Runner
from ctxkit.core.brief.runs.runner_log import END, FAILURE, NAMED, NOTE, SUMMARY, TestLog
from ctxkit.core.text.severity import is_error_line

CLOSING = r"\d+% tests passed, \d+ tests? failed out of \d+|No tests were found!!!|100% tests passed.*"
RESULT = re.compile(r" *\d+/\d+ Test +#(\d+): \S.{0,300}? \.*\*\*\*(\S.{0,80}?)(?<! ) *+[\d.]+ sec.*")
OUTPUT_LINES = 500
"""Maximum number of lines searched above a result for the output that ctest -V prints there."""


def _find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the error lines and the last line, or the last line alone."""
    bad = [row for row in body if is_error_line(row[1])]
    return [*bad, *body[-1:]] if bad else list(body[-1:])


def _add_output(test_log: TestLog, document: InputDocument) -> None:
    """Name outcomes such as a crash, and extend a block without output to the lines that ctest -V prints above it."""
    reported = {failure.name for failure in test_log.failures}
    test_log.named = [marker for marker in test_log.named if marker.text not in reported]
    for failure in test_log.failures:
        result = RESULT.match(document.lines.at(failure.start))
        if result is None:
            continue
        if result[2] != "Failed":
            failure.name += f" ({result[2]})"
        rows = list(document.lines.enumerate_lines(max(failure.start - OUTPUT_LINES, 1), failure.start - 1))
        while failure.end == failure.start and rows and rows[-1][1].startswith(f"{result[1]}: "):
            rows.pop()
        if rows:
            failure.start = rows[-1][0] + 1


RUNNER = Runner(
    name="ctest",
    clues=Clues(("% tests passed", "No tests were found", " Test ")),
    rows=(
        (END, r" *\d+/\d+ Test +#\d+: (?!.*\*\*\*).*"),
        (FAILURE, r" *\d+/\d+ Test +#\d+: (\S.*?) \.*\*\*\*\S.*"),
        (SUMMARY, CLOSING),
        (NOTE, r"(?:Errors while running CTest|CMake Error|Unable to find executable: |Could not find executable ).*"),
        (NAMED, r"(?:\t *| {2,})\d+ - (\S.{0,300}?) \(.*\).*"),
        (END, r"(?:\t *| {2,})\d+ - .*|test \d+|(?: +Start +\d+: |The following tests|Total Test time).*"),
    ),
    scores=((0.9, CLOSING), (0.85, r" *\d+/\d+ Test +#\d+: .*")),
    reading=FailureReading(_find_message, partial(match_path, COMPILED), FOREIGN.search),
    finish=_add_output,
)
NAME, TYPES, CLUES = RUNNER.name, RUNNER.types, RUNNER.clues
sniff, outline = RUNNER.sniff, RUNNER.outline
