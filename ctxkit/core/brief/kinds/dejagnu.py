"""Output of DejaGnu and of the test driver of Automake: counts and failing tests, each with its lines."""

from functools import partial

from ctxkit.core.brief.document import Clues
from ctxkit.core.brief.runs.failures import COMPILED, FOREIGN, FailureReading, match_path, take_until
from ctxkit.core.brief.runs.runner import Runner
from ctxkit.core.brief.runs.runner_log import END, FAILURE, NOTE, SUMMARY

COUNT = r"# of (?:un)?(?:expected|supported|resolved|tested)\b[a-z ]*\t+\d+|# (?:TOTAL|FAIL|ERROR|XPASS): +\d+"
RUNNER = Runner(
    name="dejagnu",
    clues=Clues(("# of ", " Summary ===", "# TOTAL:", "# PASS:", ".exp ...")),
    types=("automake",),
    rows=(
        (NOTE, r"ERROR: (?:tcl error|couldn't|could not|proc ).*|WARNING: program timed out\.?"),
        (FAILURE, r"(?:FAIL|XPASS|ERROR|UNRESOLVED): (\S.*)"),
        (SUMMARY, COUNT),
        (END, r"(?:PASS|XFAIL|KFAIL|KPASS|SKIP|UNSUPPORTED|UNTESTED|PATH|DUPLICATE|WARNING|NOTE): .*"),
        (END, r"(?:Running|Executing|spawn|Testing|\t\t===|={10,}|# |testcase) ?.*"),
    ),
    scores=((0.9, rf"{COUNT}|\t\t=== .* Summary ===|# PASS: +\d+"), (0.6, r"Running \S+\.exp \.\.\.")),
    reading=FailureReading(take_until(r"(?!)"), partial(match_path, COMPILED), FOREIGN.search),
    split=r"(?P<group>\S*[./]\S*?):? +(?P<name>\S.*)",
)
NAME, TYPES, CLUES = RUNNER.name, RUNNER.types, RUNNER.clues
sniff, outline = RUNNER.sniff, RUNNER.outline
