"""Output of unittest: its result and failing tests, each with its line range and message."""

from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import score_document
from ctxkit.core.brief.runs.failures import FailureReading, NumberedLine
from ctxkit.core.brief.runs.results import outline_test_output
from ctxkit.core.brief.runs.runner_log import RunnerFormat, TestLog, parse_test_log
from ctxkit.core.brief.runs.stack_paths import FOREIGN, PYTHON, match_path
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.lines import IndexedLines

NAME = "unittest"
TYPES: Sequence[str] = ()
CLUES = Clues(
    ("Ran ", "FAIL: ", "ERROR: ", "UNEXPECTED SUCCESS: ", "OK", "FAILED", "NO TESTS RAN", " ... ")
)
TITLE = compile_lazily(r"(FAIL|ERROR|UNEXPECTED SUCCESS): (\S.*)")
RAN = compile_lazily(r"Ran \d+ tests? in \d[\d.]*s")
FAILED = compile_lazily(r"FAILED \((?:.*, )?(?:failures|errors)=\d.*\)")
"""Pattern of a result with failing tests, which stand above it."""
CLOSING = compile_lazily(r"(?:OK|FAILED|NO TESTS RAN)(?: \(\w[\w ]*=\d+(?:, \w[\w ]*=\d+)*\))?")
OUTCOME = compile_lazily(r"(.*\S) \.\.\. (?:FAIL|ERROR|unexpected success)")
VERBOSE = compile_lazily(r"\w+ \([\w.]+\) \.\.\. (?:ok|FAIL|ERROR|skipped .*|(?:un)?expected \w+)")
METHOD = compile_lazily(r"(?<!\S)(\S+) \(([\w.]+?)(?:\.(\w+))?\)(.*)")
"""Pattern of a test's name: method, module and class, the method again (since 3.11), and subtest parameters."""
MARK = compile_lazily(
    r"\n(?:={70}\n(?:FAIL|ERROR|UNEXPECTED SUCCESS): [^\n]*|={70}(?=\n|$)|Ran \d+ tests? in [^\n]*|"
    r"(?:OK|FAILED|NO TESTS RAN)(?: \([^\n]*\))?[ \t]*(?=\n|$))"
)


def _classify_line(text: str) -> tuple[str, str]:
    """Return the class of a line and the name or text in it."""
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
    """Return the last exception: the lines after the last traceback's frames, up to captured output."""
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
    """Start each block at the line of its name, and split the name into class and method."""
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
    """Return the confidence that the text has the closing lines or headings of unittest."""
    return score_document(document, _line_score)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the result and failing tests, from the most detailed to the shortest."""
    return outline_test_output(document, FORMAT, _postprocess, _parse_log)


def _parse_log(lines: IndexedLines, runner_format: RunnerFormat) -> TestLog:
    """Return the markers of a log; of none if it states failing tests in another form than unittest's."""
    test_log = parse_test_log(lines, runner_format)
    stated = any(FAILED.fullmatch(marker.text) for marker in test_log.summaries)
    is_foreign = stated and not (test_log.failures or test_log.named)
    return TestLog(lines.total) if is_foreign else test_log
