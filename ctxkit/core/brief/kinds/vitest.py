"""Output of vitest: its summary and failing tests, each with its line range and message."""

import re
from functools import partial

from ctxkit.core.brief.document import Clues
from ctxkit.core.brief.runs.failures import FOREIGN, SCRIPT, FailureReading, match_path, take_until
from ctxkit.core.brief.runs.runner import Runner
from ctxkit.core.brief.runs.runner_log import END, FAILURE, NAMED, NOTE, SUMMARY

TITLE = r" ?FAIL +(?:\|[^|\n]*\| |\S+ )?(\S+\.[cm]?[jt]sx?(?: > .*| \[ .* \])?)"
CLOSING = (
    r" *(?:Test Files|Tests|Type Errors|Errors|Snapshots) {2,}(?:\d++ \w++(?: \| )?)+(?: \(\d+\))?"
    r"|No test files found.*| *Tests {2,}no tests"
)
RUNNER = Runner(
    name="vitest",
    clues=Clues(("Tests ", "Test Files ", "FAIL", "Snapshots ", "Errors ", "\u23af", "No test files")),
    rows=(
        (FAILURE, TITLE),
        (NOTE, r"\u23af+ (?:Unhandled|Uncaught|Startup).*"),
        (END, r"\u23af{2}.*"),
        (SUMMARY, CLOSING),
        (NAMED, r"[ \t]+[\u00d7\u2717] (.*?)(?: \(retry .*\))?(?: +[\d.]+m?s)?"),
        (NOTE, r"(?:Vitest caught \d+ unhandled|Error: |(?:Serialized )?Error: ).*"),
    ),
    scores=(
        (0.93, CLOSING),
        (0.9, r"\u23af+(?: Failed (?:Tests|Suites|Benchmarks) \d+ \u23af+|\[\d+/\d+\]\u23af+)"),
        (0.72, rf"(?=.* > ){TITLE}"),
    ),
    reading=FailureReading(
        take_until(r" \u276f |\s+\d+\|| \u2502", TITLE),
        partial(match_path, SCRIPT),
        FOREIGN.search,
        re.compile(r"\s*[-+] ").match,
    ),
    split=r"(?P<group>.*?) > (?P<name>.*)",
    unsplit_is_error=True,
    shared=True,
)
NAME, TYPES, CLUES = RUNNER.name, RUNNER.types, RUNNER.clues
sniff, outline = RUNNER.sniff, RUNNER.outline
