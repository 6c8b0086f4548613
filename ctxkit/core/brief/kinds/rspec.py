"""Output of RSpec: its summary and failing examples, each with its line range and message."""

import re
from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.document import Clues
from ctxkit.core.brief.runs.failures import FOREIGN, RUBY, FailureReading, NumberedLine, match_path
from ctxkit.core.brief.runs.runner import Runner
from ctxkit.core.brief.runs.runner_log import FAILURE, NAMED, OFF, ON, SUMMARY, SURE

CLOSING = r"\d+ examples?, \d+ failures?(?:, \d+ \w+)*(?:, \d+ errors? occurred outside of examples)?"
OUTSIDE = r"An error occurred (?:while loading (?:\S+?)\.?|in an? .*)"
CODE = "Failure/Error:"
ERROR_CLASS = re.compile(r"\s*[\w:]+:")


def _find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the lines between the failing code and the stack, or the code if there are none."""
    cut = next((at for at, (_, text) in enumerate(body) if match_path(RUBY, text)), len(body))
    rows = list(body[:cut])
    code = next((at for at, (_, text) in enumerate(rows) if CODE in text), -1)
    message = rows[code + 1 :]
    while code >= 0 and message and message[0][0] == rows[code][0] + 1 and rows[code][1].rstrip().endswith(CODE):
        code, message = code + 1, message[1:]
    if len(message) > 1 and ERROR_CLASS.fullmatch(message[0][1]):  # the class of an exception, its message below
        message[:2] = message[1::-1]
    return [*message, rows[code]] if message else rows[code:] or rows[:1]


RUNNER = Runner(
    name="rspec",
    clues=Clues(
        (" examples, ", " example, ", "Failed examples:", "Failures:", "Failure/Error: ", "An error occurred ")
    ),
    rows=(
        (ON, r"()Failures:"),
        (OFF, r"()(?:Pending: |Failed examples:|Top \d+ slowest|Finished in ).*"),
        (SUMMARY, CLOSING),
        (FAILURE, r" {2}\d+\) (.*\S)"),
        (SURE, OUTSIDE),
        (NAMED, r"rspec \S+?(?::\d+|\[[\d:,]+\]) # (.*)|rspec (\S+)|[ \t]++(.*\S) \(FAILED - \d+\)"),
    ),
    scores=(
        (0.92, CLOSING),
        (0.55, r"Failed examples:|Failures:"),
        (0.8, rf"     {CODE} .*|{OUTSIDE}"),
    ),
    reading=FailureReading(_find_message, partial(match_path, RUBY), FOREIGN.search, source_mark=CODE),
    strict=True,
)
NAME, TYPES, CLUES = RUNNER.name, RUNNER.types, RUNNER.clues
sniff, outline = RUNNER.sniff, RUNNER.outline
