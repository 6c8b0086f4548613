"""Failing tests of pytest: blocks of a log, the node ids of its summary, and what a block says."""

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.runs.failures import Failure, Numbered, Part, Reader, Reading
from ctxkit.core.brief.runs.places import FOREIGN
from ctxkit.core.brief.runs.sessions import Part as Block
from ctxkit.core.brief.runs.signposts import NAMED, Mark
from ctxkit.core.lines import Lines

PLACE = re.compile(r"(?![>E] )(\S[^:]*\.\w+|\S[^:]*):\d+:(?: .*)?|\s+File \"([^\"]+)\", line \d+.*")
CLAIM = re.compile(r"E   +(?:assert |[\w.]*(?:Error|Exception|Failure|Warning)\b)")
"""Where a message of many lines comes to its point."""
GROUPED = re.compile(r"[ |]*\| +[\w.]*(?:Error|Exception|Group|Failure|Warning|Exit|Interrupt)\w*: ")
"""An exception of a group, as the traceback of the group has it."""
SETUP = re.compile(r"(ERROR at (?:setup|teardown) of |ERROR collecting )?(.*)", re.DOTALL)


def failures(
    blocks: Sequence[Block], named: Sequence[Mark], lines: Lines, most: int
) -> tuple[list[Failure], list[Mark]]:
    """Return a failure for each block, and the summary lines that no block belongs to.

    Only the first ``most`` blocks are read for what they say.
    """
    found = [_failure(block) for block in blocks]
    left = _name(found, named)
    reader = Reader(lines, READING)
    for failure, block in list(zip(found, blocks, strict=True))[:most]:
        reader.read(failure, [Part(part.title, part.start, part.end) for part in block.parts])
    return found, left


def _failure(block: Block) -> Failure:
    before, _ = split(block.title)
    return Failure(block.title, block.start, block.end, short=block.title, error=bool(before))


def split(title: str) -> tuple[str, str]:
    """Return what went wrong outside of a test, if it did, and the title without that."""
    found = SETUP.fullmatch(title)
    return (found[1] or "", found[2]) if found else ("", title)


def _name(found: Sequence[Failure], named: Sequence[Mark]) -> list[Mark]:
    """Give each failure the node id of its summary line; return the lines left over."""
    waiting: dict[tuple[bool, str], deque[Failure]] = defaultdict(deque)
    for failure in found:
        before, test = split(failure.name)
        waiting[bool(before), test.replace("::", ".")].append(failure)
    left = []
    for mark in named:
        line = NAMED.fullmatch(mark.text)
        if line and not _give(waiting, line[1] == "ERROR", line[2]):
            left.append(mark)
    return left


def _give(waiting: dict[tuple[bool, str], deque[Failure]], error: bool, said: str) -> bool:
    """Find the failure that ``path::test - message`` names; both parts may hold ``::`` and ``-``."""
    for node in nodes(said):
        path, _, test = node.partition("::")
        for key in ((error, test.replace("::", ".")), (error, path if not test else "\0")):
            queue = waiting.get(key)
            if queue:
                failure = queue.popleft()
                failure.name = f"{split(failure.name)[0]}{node}"
                failure.group = path
                return True
    return False


def node_of(said: str) -> str:
    """Return the shortest node id that may be said, one whose brackets are closed."""
    for node in reversed(list(nodes(said))):
        if node.count("[") == node.count("]"):
            return node
    return said


def nodes(said: str) -> Iterator[str]:
    """Yield what the node id may be of ``path::test[a - b] - message``, the longest first."""
    yield said
    at = len(said)
    while (at := said.rfind(" - ", 0, at)) > 0:
        yield said[:at]


def _message(body: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines of the last exception, or what stands for them in a block without E lines."""
    run: list[Numbered] = []
    for number, text in body:
        if text == "E" or text.startswith("E   "):
            if run and number - run[-1][0] > 1:
                run = []
            run.append((number, text))
    run = [row for row in run if row[1] != "E"]
    if run and run[0][1].startswith("E     File "):  # a syntax error says where before it says what
        run = [*run[-1:], *run[:-1]]
    return run or _otherwise(body)


def _otherwise(body: Sequence[Numbered]) -> list[Numbered]:
    """Return what a doctest, a native traceback, a crash or a plugin says."""
    for at, (_, text) in enumerate(body):
        if text in ("Expected:", "Differences (unified diff with -expected +actual):", "Expected nothing"):
            return list(body[at:-1] if PLACE.fullmatch(body[-1][1]) else body[at:])
    grouped = [row for row in body if GROUPED.match(row[1])]
    if grouped:
        return grouped
    plain = [row for row in body if not row[1].startswith((" ", "[gw", ">")) and not PLACE.fullmatch(row[1])]
    plain = [row for row in plain if set(row[1]) - set("_ -=~+")]
    return plain[-1:] or list(body[-1:])


def path_of(text: str) -> str:
    """Return the path on a line that says where something happened, empty on others."""
    found = PLACE.fullmatch(text)
    return (found[1] or found[2] or "") if found else ""


READING = Reading(_message, path_of, FOREIGN.search, CLAIM.match)
"""How a block of pytest is read."""
