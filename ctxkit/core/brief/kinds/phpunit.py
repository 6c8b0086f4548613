"""Output of PHPUnit: its verdict, every failing test with its lines and message."""

import re
from collections.abc import Sequence

from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import claim
from ctxkit.core.brief.runs.failures import Numbered, Reading
from ctxkit.core.brief.runs.places import FOREIGN, PHP, path_on
from ctxkit.core.brief.runs.results import mapped
from ctxkit.core.brief.runs.trials import Format, Trials

NAME = "phpunit"
TYPES: Sequence[str] = ()
SECTION = re.compile(r"There (?:was|were) \d+ (?:\w+ ){0,3}?(failures?|errors?)(?: .*)?:")
OTHER = re.compile(r"There (?:was|were) \d+ .*:|\d+ .* triggered .*:")
TITLE = re.compile(r"(\d+)\) (\S.*)")
SPELLED = re.compile(r" [\u2718\u2622] (\S.*?)(?: {2}\[.*\])?")
"""A failing test as --testdox has it; what it says is below, behind a line."""
CLOSING = re.compile(
    r"Tests: \d+, Assertions: \d+.*|OK(?: \(\d+ tests?, \d+ assertions?\)|, but .*)|No tests executed!|"
    r"(?:FAILURES|ERRORS|WARNINGS)!"
)
NOTE = re.compile(
    r"(?:PHP )?(?:Fatal|Parse) error: .*|Test was run in child process and ended unexpectedly|"
    r"Error in bootstrap script.*"
)
MARK = re.compile(
    r"\n(?:There w|\d+ .{1,60} triggered |\d+\) |Tests: |OK|No tests executed|FAILURES!|ERRORS!|WARNINGS!|--$|"
    r"--(?=\n)| [\u2714\u2718\u2622\u21a9\u2205\u26a0] |(?:PHP )?(?:Fatal|Parse) error|"
    r"Test was run in|Error in bootstrap)[^\n]*"
)


def _sort(text: str) -> tuple[str, str]:
    """Return what a line is and what it names."""
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
    spelled = SPELLED.fullmatch(text)
    if spelled:
        return "sure", spelled[1]
    return ("end", "") if text == "--" or text.startswith(" ") else ("", "")


def _message(body: Sequence[Numbered]) -> list[Numbered]:
    """Return what stands before the first place."""
    body = [row for row in body if row[1].strip(" \u2502\u250a\u251c\u2510\u2534\u2524")]
    cut = next((at for at, (_, text) in enumerate(body) if _place(text)), len(body))
    return list(body[:cut] or body[:1])


def _place(text: str) -> str:
    return path_on(PHP, text.lstrip(" \u2502\u250a"))


READING = Reading(_message, _place, FOREIGN.search, re.compile(r"[-+]").match)
FORMAT = Format(NAME, MARK, _sort, READING, strict=True)


def _amend(trials: Trials, document: Document) -> None:
    """Put tests below their classes."""
    del document
    for failure in trials.failures:
        group, colons, failure.short = failure.name.partition("::")
        failure.group, failure.short = (group, failure.short) if colons else ("", failure.name)


def _proof(row: str) -> float:
    if re.match(r"PHPUnit \d+\.\d++\S*+ by Sebastian Bergmann", row):
        return 0.95
    if re.fullmatch(r"Tests: \d+, Assertions: \d+.*|OK \(\d+ tests?, \d+ assertions?\)", row):
        return 0.9
    return 0.7 if SECTION.fullmatch(row) else 0.0


def sniff(document: Document) -> float:
    """Claim text with the headline or the verdict of PHPUnit."""
    return claim(document, _proof)


def outline(document: Document) -> Sequence[Outline] | None:
    """Return the verdict, failing tests, and as much of messages as there is room for."""
    return mapped(document, FORMAT, _amend)
