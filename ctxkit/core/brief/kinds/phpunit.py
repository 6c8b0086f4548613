"""Output of PHPUnit: its result and failing tests, each with its line range and message."""

import re

from ctxkit.core.brief.document import Clues
from ctxkit.core.brief.runs.failures import FOREIGN, PHP, FailureReading, match_path, take_until
from ctxkit.core.brief.runs.runner import Runner
from ctxkit.core.brief.runs.runner_log import END, FAILURE, NOTE, OFF, ON, SUMMARY, SURE

SECTION = r"There (?:was|were) \d+ (?:\w+ ){0,3}?(?:failures?|errors?)(?: .*)?:"
FRAME = " \u2502\u250a\u251c\u2510\u2534\u2524"
"""Characters of the frame that --testdox draws around messages."""


def _find_place(text: str) -> str:
    return match_path(PHP, text.lstrip(FRAME[:3]))


RUNNER = Runner(
    name="phpunit",
    clues=Clues(("PHPUnit", "Assertions: ", "OK (", "There was ", "There were ")),
    rows=(
        (ON, rf"()(?!.*risky){SECTION}"),
        (OFF, r"()There (?:was|were) \d+ .*:|\d+ .{1,60} triggered .*:"),
        (
            SUMMARY,
            r"Tests: \d+, Assertions: \d+.*|OK(?: \(\d+ tests?, \d+ assertions?\)|, but .*)|No tests executed!"
            r"|(?:FAILURES|ERRORS|WARNINGS)!",
        ),
        (
            NOTE,
            r"(?:(?:PHP )?(?:Fatal|Parse) error: |Test was run in child process and ended unexpectedly"
            r"|Error in bootstrap script).*",
        ),
        (FAILURE, r"\d+\) (\S.*)"),
        # A failing test with --testdox; its message is below, after a vertical bar.
        (SURE, r" [\u2718\u2622] (\S.*?)(?: {2}\[.*\])?"),
        (END, r"--| [\u2714\u2718\u2622\u21a9\u2205\u26a0] .*"),
    ),
    scores=(
        (0.95, r"PHPUnit \d+\.\d++\S*+ by Sebastian Bergmann.*"),
        (0.9, r"Tests: \d+, Assertions: \d+.*|OK \(\d+ tests?, \d+ assertions?\)"),
        (0.7, SECTION),
    ),
    reading=FailureReading(
        take_until(rf"[{FRAME[:3]}]*+{PHP.pattern}", rf"[{FRAME}]*"),
        _find_place,
        FOREIGN.search,
        re.compile(r"[-+]").match,
    ),
    split=r"(?P<group>.*?)::(?P<name>.*)",
    strict=True,
)
NAME, TYPES, CLUES = RUNNER.name, RUNNER.types, RUNNER.clues
sniff, outline = RUNNER.sniff, RUNNER.outline
