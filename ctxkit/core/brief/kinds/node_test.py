"""Output of ``node --test`` in its form for readers: counts and failing tests, each with its line range and message."""

import re
from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.failures import FOREIGN, SCRIPT, FailureReading, match_path, take_until
from ctxkit.core.brief.runs.runner import Runner
from ctxkit.core.brief.runs.runner_log import END, FAILURE, GROUP, NAMED, ON, SUMMARY

HEADING = "\u2716 failing tests:"
COUNT = r"\u2139 (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+"
RUNNER = Runner(
    name="node test",
    clues=Clues(("\u2139 ", "\u2714 ", "\u2716 ")),
    rows=(
        (ON, rf"(){HEADING}"),
        (GROUP, r"test at (\S.*?):\d+:\d+"),
        (NAMED, r" *\u2716 (\S.*) \([\d.]+ms\)(?=\n(?! *(?:Error|\w+Error)\b))"),
        (FAILURE, r" *\u2716 (?!.*# TODO)(\S.*?)(?: \([\d.]+ms\))?"),
        (SUMMARY, r"\u2139 (?:tests|pass|fail|cancelled) \d+"),
        (END, r" *[\u2714\u25b6\ufe63\u2139\u2716] .*"),
    ),
    scores=((0.9, COUNT), (0.9, HEADING), (0.75, r" *[\u2714\u2716] \S.* \(\d+\.\d+ms\)")),
    reading=FailureReading(
        take_until(r"\s*at "), partial(match_path, SCRIPT), FOREIGN.search, re.compile(r"\s*[-+]\s*\S").match
    ),
    types=("node_test",),
    strict=True,
)
NAME, TYPES, CLUES, sniff = RUNNER.name, RUNNER.types, RUNNER.clues, RUNNER.sniff


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the counts and failing tests, from the most detailed to the shortest."""
    # A log cut before its end has results, but not the section that repeats the failing tests.
    has_section = any(HEADING in block for block in document.lines.blocks())
    return (RUNNER if has_section else RUNNER.without_sections()).outline(document)
