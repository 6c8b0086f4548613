"""TAP (Test Anything Protocol), as written by node, tape, prove, bats and others."""

import re
from collections.abc import Sequence
from itertools import takewhile

from ctxkit.core.brief.document import Clues
from ctxkit.core.brief.runs.failures import COMPILED, FOREIGN, SCRIPT, FailureReading, NumberedLine, match_path
from ctxkit.core.brief.runs.runner import Runner
from ctxkit.core.brief.runs.runner_log import END, FAILURE, NOTE, SUMMARY

EXCUSED = r"(?!.*(?<!\\)# ?(?i:TODO|SKIP)\b)"
DIED = r"(?:syntax error|Can't|Undefined|Global symbol|BEGIN|Compilation failed|Died|Execution of)"
KEY = re.compile(r"\s*(message|error|found|got|wanted|expected|actual|operator|diag|diff): ?(.*)")
FRAME = re.compile(r"\s*(?:---|\+\+\+|@@|\.\.\.|\Z)")
END_OF_BLOCK = re.compile(r"\s*\.\.\.\Z")
"""Patterns of a line that frames a YAML block or a diff in it, and of the end of a block."""
ORDER = ("message:", "error:", "found:", "got:", "wanted:", "expected:", "actual:")
AT = re.compile(r"\s*(?:at|location|at line|file|stack): ")


def _find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the error lines of the YAML block, or else the comments below the test point."""
    rows: list[NumberedLine] = []
    for at, (number, text) in enumerate(body):
        match = KEY.match(text)
        if match and match[2] in ("|-", "|", ">-", ">"):
            rows.extend(_read_block_scalar(body[at + 1 : at + 8]))
        elif match:
            rows.append((number, text))
    if rows and KEY.match(rows[0][1]):
        rows.sort(key=_find_order)
    rows = list(dict.fromkeys(rows))
    if body and FRAME.match(body[0][1]):  # a YAML block that says only where the test stands
        return rows
    return rows or [row for row in body if row[1].lstrip().startswith("#")][1:6] or list(body[:1])


def _read_block_scalar(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the first lines of a text of several lines that begins above."""
    below = takewhile(lambda row: not END_OF_BLOCK.match(row[1]), body)
    return [row for row in below if not FRAME.match(row[1])][:4]


def _find_order(row: NumberedLine) -> int:
    return next((at for at, word in enumerate(ORDER) if row[1].lstrip().startswith(word)), 0)


def _find_place(text: str) -> str:
    """Return the path on a stack line, or on a line with a key such as ``location``."""
    if AT.match(text):
        match = re.search(r"(?<![^\s'\"(])([^\s'\"(]+):\d+(?::\d+)?", text)
        return match[1] if match else ""
    return match_path(SCRIPT, text) or (match_path(COMPILED, text) if text.lstrip()[:1] != "#" else "")


RUNNER = Runner(
    name="tap",
    clues=Clues(("TAP version", "ok ", "# tests", "# pass", "# fail")),
    rows=(
        (END, r"[ \t]*ok\b.*"),
        (FAILURE, rf"[ \t]*not ok\b{EXCUSED}(?: +\d+)?(?: +- +| +)?(?!\d+[ \t]*(?:\n|\Z))(\S.*?)(?: # time=.*)?"),
        (FAILURE, r"[ \t]*not ok +(\d+)"),
        (
            SUMMARY,
            r"# (?:tests|pass|fail|ok|cancelled|failed \d+ of .*|Looks like you .*|\{ total: .*\})(?: +\d+)?"
            r"|Result: \w+|Failed \d+/\d+ .*|Files=\d+, .*|\d+ tests?, \d+ failures?(?:, .*)?",
        ),
        # A file of tests that broke off, with Perl's errors.
        (NOTE, rf"[ \t]*Bail out!.*|Dubious, test returned .*|[ \t]*Parse errors?: .*|{DIED}\b.* line \d+.*"),
        (END, rf"(?:[ \t]*(?:not ok\b|# Subtest)|1\.\.\d|# (?:Looks|tests|pass|fail|ok|canc)|TAP version|{DIED}).*"),
    ),
    scores=(
        (0.95, r"TAP version 1[34]"),
        (0.87, r"\s*(?:not )?ok \d+(?: +- .*| .*)?"),
        (0.6, r"# (?:tests|pass|fail) +\d+"),
    ),
    reading=FailureReading(_find_message, _find_place, FOREIGN.search),
)
NAME, TYPES, CLUES = RUNNER.name, RUNNER.types, RUNNER.clues
sniff, outline = RUNNER.sniff, RUNNER.outline
