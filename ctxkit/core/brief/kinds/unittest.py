"""Output of unittest and ``python -m test``: its result and failing tests, each with its line range and message."""

import re
from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.runs.failures import FOREIGN, PYTHON, FailureReading, NumberedLine, match_path
from ctxkit.core.brief.runs.pytest_run import GROUPED
from ctxkit.core.brief.runs.runner import Runner
from ctxkit.core.brief.runs.runner_log import CLOSED, END, FAILURE, NAMED, SUMMARY, TestLog

TITLE = r"(?:FAIL|ERROR|UNEXPECTED SUCCESS): "
RAN = r"Ran \d+ tests? in \d[\d.]*s"
PROGRESS = r"\d+:\d\d:\d\d load avg: "
RESULT = r"== Tests result: .* ==|Total test files: run=.*"
FAILED = re.compile(r"FAILED \((?:.*, )?(?:failures|errors)=\d.*\)")
"""Pattern of a result with failing tests, which stand above it."""
METHOD = r"(?<!\S)\S+ \([\w.]+\)"


def _find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the last exception: the lines after the last traceback's frames, up to captured output."""
    frames = ("  File ", "Traceback (most recent call last):")
    last = max((at for at, (_, text) in enumerate(body) if text.startswith(frames)), default=-1)
    grouped = [row for row in body if GROUPED.match(row[1])] if last < 0 else []
    if grouped:
        return grouped
    first = next((at for at in range(last + 1, len(body)) if not body[at][1].startswith(" ")), len(body))
    rows = list(body[first:])
    cut = next((at for at, (_, text) in enumerate(rows) if text in ("Stdout:", "Stderr:") or not text.strip("-")), None)
    if rows and rows[0][1].isidentifier():  # a bare exception: the line of code that raised it says more
        return [*[row for row in body[last + 1 : first] if row[1].strip("~^ ")][:1], *rows[:cut]]
    return rows[:cut] or rows[:1]


def _drop_foreign(test_log: TestLog, document: InputDocument) -> None:
    """Keep no marker of a log that states failing tests in another form than unittest's."""
    stated = any(FAILED.fullmatch(summary.text) for summary in test_log.summaries)
    if stated and not (test_log.failures or test_log.named):
        test_log.summaries.clear()
    del document


RUNNER = Runner(
    name="unittest",
    clues=Clues(
        ("Ran ", "FAIL: ", "ERROR: ", "UNEXPECTED SUCCESS: ", "OK", "FAILED", "NO TESTS RAN", " ... ", " load avg: ")
    ),
    rows=(
        (FAILURE, rf"(?<=\n={{70}}\n){TITLE}(\S.*)"),
        (END, r"={70}"),
        (SUMMARY, rf"{RAN}|(?:OK|FAILED|NO TESTS RAN)(?: \(\w[\w ]*=\d+(?:, \w[\w ]*=\d+)*\))?"),
        (NAMED, r"(?=[^\n]*\([^\n]* \.\.\. (?:FAIL|ERROR|u))([^\n]*\S) \.\.\. (?:FAIL|ERROR|unexpected success)"),
        # Lines of python -m test.
        (FAILURE, r"test (\S+) (?:failed|crashed) -- .*"),
        (CLOSED, rf"{PROGRESS}.*(?:\] | -- )(\S+) (?:failed|crashed|timed out|worker non-zero)\b.*"),
        (END, rf"{PROGRESS}.*|Re-running .*|\d+ tests? (?:failed|OK)\b.*"),
        (SUMMARY, rf"{RESULT}|Total tests: run=.*|Result: \w.*"),
    ),
    scores=(
        (0.9, rf"{RAN}|{RESULT}"),
        (0.85, rf"(?=.*{METHOD}){TITLE}\S.*"),
        (0.84, r"\w+ \([\w.]+\) \.\.\. (?:ok|FAIL|ERROR|skipped .*|(?:un)?expected \w+)"),
    ),
    reading=FailureReading(_find_message, partial(match_path, PYTHON), FOREIGN.search, source_mark="    ~"),
    # The method, its module and class, the method again (since 3.11), and subtest parameters.
    split=r"(?P<name>\S+) \((?P<group>[\w.]+?)(?:\.(?P=name))?\)(?P<rest>.*)",
    finish=_drop_foreign,
)
NAME, TYPES, CLUES = RUNNER.name, RUNNER.types, RUNNER.clues
sniff, outline = RUNNER.sniff, RUNNER.outline
