"""Output of cargo test: result lines and failing tests, each with its line range and message."""

import re
from functools import partial

from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.runs.failures import FOREIGN, RUST, FailureReading, find_panic, match_path
from ctxkit.core.brief.runs.pytest_markers import Marker
from ctxkit.core.brief.runs.runner import Runner
from ctxkit.core.brief.runs.runner_log import END, FAILURE, GROUP, NAMED, NOTE, SUMMARY, TestLog

LIST_LINES = 2_000
"""Maximum number of lines searched above a result line for the list of failed tests."""
TITLE = r"---- (.*\S) std(?:out|err) ----"
CLOSING = r"test result: (?:ok|FAILED)\. \d+ passed; .*"
FAILED = "test result: FAILED"


def _add_listed(test_log: TestLog, document: InputDocument) -> None:
    """Add the names in the list above a failed result; a log cut at its beginning may have only these."""
    for summary in test_log.summaries:
        if summary.text.startswith(FAILED):
            rows = list(document.lines.enumerate_lines(max(summary.number - LIST_LINES, 1), summary.number - 1))
            while rows and not rows[-1][1].strip():
                rows.pop()
            first = next((at for at in range(len(rows), 0, -1) if not rows[at - 1][1].startswith("    ")), 0)
            test_log.named += [Marker(number, NAMED, text.strip()) for number, text in rows[first:]]


RUNNER = Runner(
    name="cargo test",
    clues=Clues(("test result:", " stdout ----", " stderr ----", "... ok", "... FAILED", "... ignored", "... \x1b")),
    types=("cargo_test",),
    rows=(
        (FAILURE, TITLE),
        (SUMMARY, CLOSING),
        (GROUP, r" +(?:Running (?:unittests |tests[/\\])?(\S+) \(.*\)|Doc-tests (\S+))"),
        (NAMED, r"test (.*?\S)(?: - should panic)? \.\.\. FAILED(?: <[\d.]+s>)?"),
        (END, r"failures:|running \d.*"),
        (NOTE, r"error(?:\[E\d+\])?: .*"),
    ),
    scores=((0.9, f"{CLOSING}|{TITLE}"), (0.6, r"test \S+(?: - .*)? \.\.\. (?:ok|FAILED|ignored)")),
    reading=FailureReading(
        find_panic, partial(match_path, RUST), FOREIGN.search, re.compile(r"\s+(?:left|right): ").match
    ),
    bad=FAILED,
    finish=_add_listed,
)
NAME, TYPES, CLUES = RUNNER.name, RUNNER.types, RUNNER.clues
sniff, outline = RUNNER.sniff, RUNNER.outline
