"""Output of mocha's human-readable reporters: counts and failing tests, each with its line range and message."""

import re
from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import score_document
from ctxkit.core.brief.runs.failures import FailureReading, NumberedLine
from ctxkit.core.brief.runs.results import outline_test_output
from ctxkit.core.brief.runs.runner_log import RunnerFormat, TestLog
from ctxkit.core.brief.runs.stack_paths import FOREIGN, SCRIPT, match_path
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import replace

NAME = "mocha"
TYPES: Sequence[str] = ()
CLUES = Clues((" passing", " failing", " pending", "Context.<anonymous>", "\u2714"))
CLOSING = compile_lazily(r" {2}\d+ (?:passing(?: \([\d.]++\s?\w+\))?|failing|pending)")
TITLE = compile_lazily(r" {2}(\d+)\) (.*\S)")
OUTCOME = compile_lazily(r"\s{3,}\d+\) (.*\S)")
BLOCK = compile_lazily(r"^ {2}\d+\) .*\n {7,}\S", re.MULTILINE)
"""Pattern of the beginning of a failure block: the suite, and below it the test."""
PASSED = compile_lazily(r" {4,}\u2714 (?!.*\(\d+\.\d+ms\)$)\S.*")
"""Pattern of a passed test, for logs cut before the counts; node's own runner adds a time with a fraction."""
NAME_LINES = 12
"""Maximum number of lines in a test name: one for each suite around the test."""
MARK = compile_lazily(r"\n(?: {2}\d+ (?:passing|failing|pending)| {2,}\d+\) |Error: |\u2716 ERROR)[^\n]*")


def _classify_line(text: str) -> tuple[str, str]:
    """Return the class of a line and the name or text in it."""
    if CLOSING.fullmatch(text):
        return ("on" if text.endswith("failing") else "verdict"), text
    title = TITLE.fullmatch(text)
    if title:
        return "title", title[2]
    outcome = OUTCOME.fullmatch(text)
    if outcome:
        return "named", outcome[1]
    return ("note", text) if text.startswith(("Error: ", "\u2716 ERROR")) else ("", "")


def _find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the lines between the name and the stack."""
    cut = next((at for at, (_, text) in enumerate(body) if text.lstrip().startswith("at ")), len(body))
    return list(body[:cut] or body[:1])


READING = FailureReading(_find_message, partial(match_path, SCRIPT), FOREIGN.search, re.compile(r"\s*[-+]\S").match)
FORMAT = RunnerFormat(NAME, MARK, _classify_line, READING, strict=True)


def _postprocess(test_log: TestLog, document: InputDocument) -> None:
    """Join names of several lines, and read each block from the end of its name."""
    from ctxkit.core.brief.runs.failures import FailureReader

    reader = FailureReader(document.lines, READING)
    for failure in test_log.failures[: max(document.target // 4, 8)]:
        rows, name = (
            document.lines.enumerate_lines(failure.start + 1, min(failure.end, failure.start + NAME_LINES)),
            [failure.name],
        )
        after = failure.start + 1
        for number, text in rows:
            if name[-1].endswith(":") or not text.strip():
                after = number
                break
            name.append(text.strip())
        failure.group = name[0].removesuffix(":")
        failure.name = " ".join(name).removesuffix(":")
        failure.short_name = " ".join(name[1:]).removesuffix(":") or failure.name
        reader.read(failure, begin=after)
    known = {failure.short_name for failure in test_log.failures} | {failure.name for failure in test_log.failures}
    test_log.named = [mark for mark in test_log.named if not any(name.endswith(mark.text) for name in known)]


def _line_score(row: str) -> float:
    if CLOSING.fullmatch(row):
        return 0.86 if "passing (" in row else 0.8
    if PASSED.fullmatch(row):
        return 0.62
    return 0.84 if row.startswith("      at Context.<anonymous> (") else 0.0


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text has the counts of mocha."""
    return score_document(document, _line_score)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the counts and failing tests, from the most detailed to the shortest."""
    # A log cut at its beginning has blocks, but not the line that counts them.
    cut = not re.search(r"^ {2}\d+ failing", document.head + "\n" + document.tail, re.MULTILINE)
    headless = cut and BLOCK.search(document.tail) is not None
    return outline_test_output(document, replace(FORMAT, strict=False) if headless else FORMAT, _postprocess)
