"""The events of ``go test -json``: one object a line, of many tests at once."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ctxkit.core.brief.runs.failures import Numbered
from ctxkit.core.brief.runs.signposts import Mark, clean
from ctxkit.core.lines import Lines

TEXT = r'"([^"\\]*(?:\\.[^"\\]*)*)"'
KEY = re.compile(rf'"(Action|Package|ImportPath|Test|Output)":{TEXT}')
EVENT = re.compile(
    r'\{(?:"Time":"[^"]*",)?(?:"ImportPath":"([^"]*)",)?"Action":"([\w-]+)"(?:,"Package":"([^"]*)")?'
    rf'(?:,"Test":{TEXT})?(?:,"Output":{TEXT})?'
)
"""The keys of an event in the order in which test2json writes them."""
IDLE = frozenset({"run", "start", "pause", "cont"})
"""What happens that says nothing of how a test went."""
STRAYS = 40
"""Lines that are no events and are kept: what the compiler says stands among them, before Go 1.24."""
SAID = 40
"""Lines of output that are kept for each test."""
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class Event(NamedTuple):
    """Hold one line: what happened to which test, what it wrote as the line has it, escaped."""

    number: int
    action: str
    package: str
    test: str
    output: str


@dataclass(slots=True)
class Ran:
    """Gather what one test or package wrote: its first and last line, its words, how it ended."""

    start: int = 0
    end: int = 0
    said: list[Numbered] = field(default_factory=list)
    failed: int = 0


def events(lines: Lines, strays: list[Mark]) -> Iterator[Event]:
    """Yield the events of a log, leaving out those that only say what began or paused; ``strays`` takes other lines."""
    number = 0
    match = EVENT.match
    for block in lines.blocks():
        for row in block.split("\n"):
            number += 1
            found = match(row)
            if found is not None:
                built, action, package, test, output = found.groups("")
                if action not in IDLE:
                    yield Event(number, action, package or built, test, output)
            elif '"Action":"' in row:
                yield _otherwise(number, dict(KEY.findall(row)))
            elif row.strip() and len(strays) < STRAYS:
                strays.append(Mark(number, "note", clean(row)))


def _otherwise(number: int, found: dict[str, str]) -> Event:
    """Return the event of a line with its keys in another order."""
    package = found.get("Package") or found.get("ImportPath", "")
    return Event(number, found.get("Action", ""), package, found.get("Test", ""), found.get("Output", ""))


def gathered(lines: Lines) -> tuple[dict[tuple[str, str], Ran], list[Event], list[Mark]]:
    """Return what failing tests and packages wrote, the events that end a package, and lines that are no events.

    What passed is forgotten at once, so that memory holds only what is running.
    """
    running: dict[tuple[str, str], Ran] = {}
    failed: dict[tuple[str, str], Ran] = {}
    ended: list[Event] = []
    strays: list[Mark] = []
    for event in events(lines, strays):
        key = event.package, event.test
        action = event.action
        if action in ("output", "build-output"):
            _take(running.setdefault(key, Ran(event.number)), event)
            continue
        if action in ("pass", "skip"):
            running.pop(key, None)
        elif action in ("fail", "build-fail"):
            ran = running.pop(key, Ran(event.number, event.number))
            ran.failed = event.number
            if key not in failed or action == "build-fail" or ran.said:
                failed[key] = ran
        if action in ("pass", "fail", "skip") and not event.test:
            ended.append(event)
    return failed, ended, strays


def _take(ran: Ran, event: Event) -> None:
    ran.end = event.number
    text = event.output.removesuffix("\\n")
    begun = text.lstrip()
    if begun and not begun.startswith(("=== ", "--- ")):
        ran.said.append((event.number, text))
        if len(ran.said) > SAID:
            del ran.said[SAID // 2]


def unescaped(text: str) -> str:
    """Return the text that a JSON string stands for."""
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), text)
