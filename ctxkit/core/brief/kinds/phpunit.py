"""Output of PHPUnit: its result and failing tests, each with its line range and message."""

import re
from collections.abc import Sequence

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import score_document
from ctxkit.core.brief.runs.failures import FailureReading, NumberedLine
from ctxkit.core.brief.runs.results import outline_test_output
from ctxkit.core.brief.runs.runner_log import RunnerFormat, TestLog
from ctxkit.core.brief.runs.stack_paths import FOREIGN, PHP, match_path
from ctxkit.core.lazy_pattern import compile_lazily

NAME = "phpunit"
TYPES: Sequence[str] = ()
CLUES = Clues(("PHPUnit", "Assertions: ", "OK (", "There was ", "There were "))
SECTION = compile_lazily(r"There (?:was|were) \d+ (?:\w+ ){0,3}?(failures?|errors?)(?: .*)?:")
OTHER = compile_lazily(r"There (?:was|were) \d+ .*:|\d+ .* triggered .*:")
TITLE = compile_lazily(r"(\d+)\) (\S.*)")
TESTDOX = compile_lazily(r" [\u2718\u2622] (\S.*?)(?: {2}\[.*\])?")
"""Pattern of a failing test with --testdox; its message is below, after a vertical bar."""
CLOSING = compile_lazily(
    r"Tests: \d+, Assertions: \d+.*|OK(?: \(\d+ tests?, \d+ assertions?\)|, but .*)|No tests executed!|"
    r"(?:FAILURES|ERRORS|WARNINGS)!"
)
NOTE = compile_lazily(
    r"(?:PHP )?(?:Fatal|Parse) error: .*|Test was run in child process and ended unexpectedly|"
    r"Error in bootstrap script.*"
)
MARK = compile_lazily(
    r"\n(?:There w|\d+ .{1,60} triggered |\d+\) |Tests: |OK|No tests executed|FAILURES!|ERRORS!|WARNINGS!|--$|"
    r"--(?=\n)| [\u2714\u2718\u2622\u21a9\u2205\u26a0] |(?:PHP )?(?:Fatal|Parse) error|"
    r"Test was run in|Error in bootstrap)[^\n]*"
)


def _classify_line(text: str) -> tuple[str, str]:
    """Return the class of a line and the name or text in it."""
    if SECTION.fullmatch(text) and "risky" not in text:
        return "on", ""
    if OTHER.fullmatch(text):
        return "off", ""
    if CLOSING.fullmatch(text):
        return "verdict", text
    if NOTE.match(text):
        return "note", text
    title = TITLE.fullmatch(text)
    if title:
        return "title", title[2]
    testdox = TESTDOX.fullmatch(text)
    if testdox:
        return "sure", testdox[1]
    return ("end", "") if text == "--" or text.startswith(" ") else ("", "")


def _find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the lines before the first place."""
    body = [row for row in body if row[1].strip(" \u2502\u250a\u251c\u2510\u2534\u2524")]
    cut = next((at for at, (_, text) in enumerate(body) if _find_place(text)), len(body))
    return list(body[:cut] or body[:1])


def _find_place(text: str) -> str:
    return match_path(PHP, text.lstrip(" \u2502\u250a"))


READING = FailureReading(_find_message, _find_place, FOREIGN.search, re.compile(r"[-+]").match)
FORMAT = RunnerFormat(NAME, MARK, _classify_line, READING, strict=True)


def _postprocess(test_log: TestLog, document: InputDocument) -> None:
    """Split the names into class and test."""
    del document
    for failure in test_log.failures:
        group, colons, failure.short_name = failure.name.partition("::")
        failure.group, failure.short_name = (group, failure.short_name) if colons else ("", failure.name)


def _line_score(row: str) -> float:
    if re.match(r"PHPUnit \d+\.\d++\S*+ by Sebastian Bergmann", row):
        return 0.95
    if re.fullmatch(r"Tests: \d+, Assertions: \d+.*|OK \(\d+ tests?, \d+ assertions?\)", row):
        return 0.9
    return 0.7 if SECTION.fullmatch(row) else 0.0


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text has the headline or the result of PHPUnit."""
    return score_document(document, _line_score)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the result and failing tests, from the most detailed to the shortest."""
    return outline_test_output(document, FORMAT, _postprocess)
