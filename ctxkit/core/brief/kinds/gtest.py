"""Output of GoogleTest: its closing lines and failing tests, each with its line range and message."""

import re
from collections.abc import Sequence

from ctxkit.core.brief.document import Clues
from ctxkit.core.brief.runs.failures import FailureReading, NumberedLine
from ctxkit.core.brief.runs.runner import Runner
from ctxkit.core.brief.runs.runner_log import BEGIN, FAILED, PASSED, SUMMARY

TEST = r"([\w/]++\.[\w./]++)(?:,.*?)?(?: \(\d+ ms\))?"
"""Pattern of a test's name, with its parameter and its time."""
PLACE = re.compile(r"(.*\.\w+)(?::\d+|\(\d+\)): (?:Failure|error)\b")
STATUS = re.compile(r"\s*\[ *(?:RUN|OK|FAILED|PASSED|SKIPPED|DISABLED|={10}|-{10}) *\] *.*")


def _find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the message of the first failed expectation, or the line with its place if the message is there."""
    at = next((at for at, (_, text) in enumerate(body) if PLACE.match(text.strip())), -1)
    if at < 0:
        return list(body[:1])
    if not body[at][1].rstrip().endswith("Failure"):
        return [body[at]]
    end = next((end for end in range(at + 1, len(body)) if PLACE.match(body[end][1].strip())), len(body))
    return [row for row in body[at + 1 : end] if not STATUS.fullmatch(row[1])] or [body[at]]


def _find_place(text: str) -> str:
    match = PLACE.match(text.strip())
    return match[1] if match else ""


RUNNER = Runner(
    name="gtest",
    clues=Clues(("[ RUN ", "[  FAILED ", "[==========]")),
    types=("googletest",),
    rows=(
        (SUMMARY, r"[ \t]*\d+ FAILED TESTS?"),
        (BEGIN, rf"[ \t]*\[ *RUN *\] *{TEST}"),
        (PASSED, rf"[ \t]*\[ *(?:OK|SKIPPED) *\] *{TEST}"),
        (FAILED, rf"[ \t]*\[ *FAILED *\] *{TEST}"),
        (SUMMARY, r"[ \t]*(\[ *(?:PASSED|FAILED) *\].*|\[ *={10} *\] .* ran\.(?: \(.*)?)"),
    ),
    scores=(
        (0.95, r"\s*\[ *={10} *\].* tests? from .*"),
        (0.8, rf"\s*\[ *(?:RUN|OK|SKIPPED|FAILED) *\] *{TEST}"),
    ),
    reading=FailureReading(_find_message, _find_place, re.compile(r"/(?:usr|include|gtest)/").search),
)
NAME, TYPES, CLUES = RUNNER.name, RUNNER.types, RUNNER.clues
sniff, outline = RUNNER.sniff, RUNNER.outline
