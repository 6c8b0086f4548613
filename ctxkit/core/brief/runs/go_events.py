"""A reader of the events of ``go test -json``: one object per line, for many concurrent tests."""

import re
from collections.abc import Iterator

from ctxkit.core.brief.runs.failures import NumberedLine
from ctxkit.core.brief.runs.pytest_markers import Marker, strip_decorations
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.lines import IndexedLines

TEXT = r'"([^"\\]*(?:\\.[^"\\]*)*)"'
KEY = compile_lazily(rf'"(Action|Package|ImportPath|Test|Output)":{TEXT}')
EVENT = compile_lazily(
    r'\{(?:"Time":"[^"]*",)?(?:"ImportPath":"([^"]*)",)?"Action":"([\w-]+)"(?:,"Package":"([^"]*)")?'
    rf'(?:,"Test":{TEXT})?(?:,"Output":{TEXT})?'
)
"""Pattern of an event, with its keys in the order of test2json."""
IDLE_ACTIONS = frozenset({"run", "start", "pause", "cont"})
"""Actions that say nothing about the result of a test."""
MAX_OTHER_LINES = 40
"""Maximum number of other lines kept; before Go 1.24, compiler errors are among them."""
KEPT_LINES = 40
"""Maximum number of output lines kept for each test."""
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class GoEvent(NamedTuple):
    """Hold one event: its line, its action, its test, and its output, still escaped."""

    number: int
    action: str
    package: str
    test: str
    output: str


@dataclass(slots=True)
class GoTestOutput:
    """Collect the output of one test or package: its first and last line, its lines, and the line of its failure."""

    start: int = 0
    end: int = 0
    lines: list[NumberedLine] = field(default_factory=list)
    failed: int = 0


def read_events(lines: IndexedLines, strays: list[Marker]) -> Iterator[GoEvent]:
    """Yield the events of a log, except those that only start or pause; append other lines to ``strays``."""
    number = 0
    match = EVENT.match
    for block in lines.blocks():
        for row in block.split("\n"):
            number += 1
            event_match = match(row)
            if event_match is not None:
                built, action, package, test, output = event_match.groups("")
                if action not in IDLE_ACTIONS:
                    yield GoEvent(number, action, package or built, test, output)
            elif '"Action":"' in row:
                yield _make_event(number, dict(KEY.findall(row)))
            elif row.strip() and len(strays) < MAX_OTHER_LINES:
                strays.append(Marker(number, "note", strip_decorations(row)))


def _make_event(number: int, fields: dict[str, str]) -> GoEvent:
    """Return the event of a line with its keys in another order."""
    package = fields.get("Package") or fields.get("ImportPath", "")
    return GoEvent(number, fields.get("Action", ""), package, fields.get("Test", ""), fields.get("Output", ""))


def collect_failures(lines: IndexedLines) -> tuple[dict[tuple[str, str], GoTestOutput], list[GoEvent], list[Marker]]:
    """Return the output of failed tests and packages, the events that end a package, and the other lines.

    Output of passed tests is dropped at once, so that memory contains only running and failed tests.
    """
    running: dict[tuple[str, str], GoTestOutput] = {}
    failed: dict[tuple[str, str], GoTestOutput] = {}
    ended: list[GoEvent] = []
    strays: list[Marker] = []
    for event in read_events(lines, strays):
        key = event.package, event.test
        action = event.action
        if action in ("output", "build-output"):
            _add_output(running.setdefault(key, GoTestOutput(event.number)), event)
            continue
        if action in ("pass", "skip"):
            running.pop(key, None)
        elif action in ("fail", "build-fail"):
            output = running.pop(key, GoTestOutput(event.number, event.number))
            output.failed = event.number
            if key not in failed or action == "build-fail" or output.lines:
                failed[key] = output
        if action in ("pass", "fail", "skip") and not event.test:
            ended.append(event)
    return failed, ended, strays


def _add_output(output: GoTestOutput, event: GoEvent) -> None:
    output.end = event.number
    text = event.output.removesuffix("\\n")
    begun = text.lstrip()
    if begun and not begun.startswith(("=== ", "--- ")):
        output.lines.append((event.number, text))
        if len(output.lines) > KEPT_LINES:
            del output.lines[KEPT_LINES // 2]


def unescape(text: str) -> str:
    """Return the text of a JSON string."""
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), text)
