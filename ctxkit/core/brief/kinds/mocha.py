"""Output of mocha's human-readable reporters: counts and failing tests, each with its line range and message."""

import re
from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.failures import FOREIGN, SCRIPT, FailureReader, FailureReading, match_path, take_until
from ctxkit.core.brief.runs.runner import Runner
from ctxkit.core.brief.runs.runner_log import FAILURE, NAMED, NOTE, ON, SUMMARY, TestLog

FAILING = re.compile(r"^ {2}\d+ failing", re.MULTILINE)
BLOCK = re.compile(r"^ {2}\d+\) .*\n {7,}\S", re.MULTILINE)
"""Pattern of the beginning of a failure block: the suite, and below it the test."""
NAME_LINES = 12
"""Maximum number of lines in a test name: one for each suite around the test."""
READING = FailureReading(
    take_until(r"\s*at "), partial(match_path, SCRIPT), FOREIGN.search, re.compile(r"\s*[-+]\S").match
)


def _join_names(test_log: TestLog, document: InputDocument) -> None:
    """Join names of several lines, and read each block from the end of its name."""
    reader = FailureReader(document.lines, READING)
    for failure in test_log.failures[: max(document.target // 4, 8)]:
        last = min(failure.end, failure.start + NAME_LINES)
        name, after = [failure.name], failure.start + 1
        for number, text in document.lines.enumerate_lines(failure.start + 1, last):
            if name[-1].endswith(":") or not text.strip():
                after = number
                break
            name.append(text.strip())
        failure.group = name[0].removesuffix(":")
        failure.name = " ".join(name).removesuffix(":")
        failure.short_name = " ".join(name[1:]).removesuffix(":")
        reader.read(failure, begin=after)


RUNNER = Runner(
    name="mocha",
    clues=Clues((" passing", " failing", " pending", "Context.<anonymous>", "\u2714")),
    rows=(
        (ON, r"( {2}\d+ failing)"),
        (SUMMARY, r" {2}\d+ (?:passing(?: \([\d.]++\s?\w+\))?|pending)"),
        (FAILURE, r" {2}\d+\) (.*\S)"),
        (NAMED, r"[ \t]{3,}\d+\) (.*\S)"),
        (NOTE, r"(?:Error: |\u2716 ERROR).*"),
    ),
    scores=(
        (0.86, r" {2}\d+ passing \([\d.]++\s?\w+\)"),
        (0.8, r" {2}\d+ (?:passing|failing|pending)"),
        # A passed test, for logs cut before the counts; node's own runner adds a time with a fraction.
        (0.62, r" {4,}\u2714 (?!.*\(\d+\.\d+ms\)$)\S.*"),
        (0.84, r"      at Context\.<anonymous> \(.*"),
    ),
    reading=READING,
    strict=True,
    finish=_join_names,
)
NAME, TYPES, CLUES, sniff = RUNNER.name, RUNNER.types, RUNNER.clues, RUNNER.sniff


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the counts and failing tests, from the most detailed to the shortest."""
    # A log cut at its beginning has blocks, but not the line that counts them.
    headless = BLOCK.search(document.tail) and not FAILING.search(f"{document.head}\n{document.tail}")
    return (RUNNER.without_sections() if headless else RUNNER).outline(document)
