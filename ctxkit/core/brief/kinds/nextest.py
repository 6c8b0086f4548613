"""Output of cargo nextest: its summary and failing tests, each with its line range and message."""

import re
from functools import partial

from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.runs.failures import FOREIGN, RUST, FailureReading, find_panic, match_path
from ctxkit.core.brief.runs.runner import Runner
from ctxkit.core.brief.runs.runner_log import END, FAILURE, NOTE, SUMMARY, TestLog

BAD = r"(?:TRY \d+ )?(?:FAIL|SIG\w+|ABORT|TIMEOUT|XFAIL|LEAK-FAIL|FAIL \+ LEAK|TMT|EXECFAIL)"
TITLE = rf" +{BAD} \[ *>?[\d.]+s\] (?:\([\s\d/]+\) )?(\S+ \S.*)"
CLOSING = r" +Summary \[ *[\d.]+s\] .*"


def _drop_repeated(test_log: TestLog, document: InputDocument) -> None:
    """Drop the tests that the list below the summary repeats."""
    del document
    last = max((summary.number for summary in test_log.summaries), default=0)
    above = {failure.name for failure in test_log.failures if failure.start < last}
    test_log.failures = [failure for failure in test_log.failures if failure.start < last or failure.name not in above]


RUNNER = Runner(
    name="cargo nextest",
    clues=Clues(("Summary", "PASS", "FAIL", "SIG", "ABORT", "TIMEOUT", "TMT", "TRY ")),
    types=("nextest",),
    rows=(
        (FAILURE, TITLE),
        (SUMMARY, CLOSING),
        (NOTE, r"error(?:\[E\d+\])?: .*| +Cancel\w* due to .*"),
        (END, r"[\u2500\u2501-]{8,}| +(?:PASS|SLOW|SKIP|LEAK|FLAKY|START|RETRY|CANCEL\w*) (?:.* )?\[.*"),
    ),
    scores=((0.92, f"{CLOSING}|{TITLE}"), (0.7, r" +PASS \[ *[\d.]+s\] .*")),
    reading=FailureReading(
        find_panic, partial(match_path, RUST), FOREIGN.search, re.compile(r"\s+(?:left|right): ").match
    ),
    split=r"(?P<group>\S+) (?P<name>.*)",
    finish=_drop_repeated,
)
NAME, TYPES, CLUES = RUNNER.name, RUNNER.types, RUNNER.clues
sniff, outline = RUNNER.sniff, RUNNER.outline
