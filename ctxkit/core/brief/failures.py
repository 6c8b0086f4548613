"""What a block of pytest says of one failure: its name, its message, where it happened."""

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ctxkit.core.brief.outline import Entry, shown
from ctxkit.core.brief.sessions import Part
from ctxkit.core.brief.signposts import NAMED, Mark, clean
from ctxkit.core.lines import Lines

READ = 2_000
"""Lines of a block that are read, its last before captured output: where the message stands."""
WHOLE = 60
"""Lines of a block that are told when there is room for everything."""
FIRST, VARIANT, FRAME, NEAR, SAME, FAR, REST = range(2, 9)
"""Ranks: messages, those that differ in numbers only, places, what explains them, and what remains."""
PLACE = re.compile(r"(?![>E] )(\S[^:]*\.\w+|\S[^:]*):\d+:(?: .*)?|\s+File \"([^\"]+)\", line \d+.*")
FOREIGN = re.compile(r"site-packages|dist-packages|lib/python\d|lib64/python\d|^<|[/\\]Lib[/\\]\w+\.py")
CLAIM = re.compile(r"E   +(?:assert |[\w.]*(?:Error|Exception|Failure|Warning)\b)")
"""Where a message of many lines comes to its point."""
GROUPED = re.compile(r"[ |]*\| +[\w.]*(?:Error|Exception|Group|Failure|Warning|Exit|Interrupt)\w*: ")
"""An exception of a group, as the traceback of the group has it."""
NEAREST = 6
"""Lines that explain a message and enter before the rest of it."""
NUMBERS = re.compile(r"0x[0-9a-f]+|\d+")
SETUP = re.compile(r"(ERROR at (?:setup|teardown) of |ERROR collecting )?(.*)", re.DOTALL)
Numbered = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Detail:
    """Say something more about a failure; details enter by rank, then by step, failure by failure."""

    rank: int
    step: int
    entry: Entry


@dataclass(slots=True)
class Failure:
    """Hold one block: its title, the node id that the summary gives it, what it says.

    ``message`` is the number of the line where the message begins, 0 for none; ``like`` that of an
    earlier failure whose message differs in numbers only.
    """

    title: str
    start: int
    end: int
    node: str = ""
    message: int = 0
    like: int = 0
    details: list[Detail] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Return the title with the path of the test, where that is known."""
        before, test = _split(self.title)
        return f"{before}{self.node}" if self.node else f"{before}{test}"

    @property
    def test(self) -> str:
        """Return the title without what went wrong where."""
        return _split(self.title)[1]

    @property
    def path(self) -> str:
        """Return the file of the test, empty when the summary does not name it."""
        return self.node.partition("::")[0]

    @property
    def error(self) -> bool:
        """Tell whether it failed outside of the test itself."""
        return bool(_split(self.title)[0])


def _split(title: str) -> tuple[str, str]:
    found = SETUP.fullmatch(title)
    return (found[1] or "", found[2]) if found else ("", title)


def failures(
    blocks: Sequence[Part], named: Sequence[Mark], lines: Lines, most: int
) -> tuple[list[Failure], list[Mark]]:
    """Return a failure for each block, and the summary lines that no block belongs to.

    Only the first ``most`` blocks are read for what they say.
    """
    found = [Failure(block.title, block.start, block.end) for block in blocks]
    left = _name(found, named)
    seen: dict[str, tuple[str, int]] = {}
    for failure, block in list(zip(found, blocks, strict=True))[:most]:
        failure.details = list(_details(failure, block, lines, seen))
    return found, left


def _name(found: Sequence[Failure], named: Sequence[Mark]) -> list[Mark]:
    """Give each failure the node id of its summary line; return the lines left over."""
    waiting: dict[tuple[bool, str], deque[Failure]] = defaultdict(deque)
    for failure in found:
        before, test = _split(failure.title)
        waiting[bool(before), test.replace("::", ".")].append(failure)
    left = []
    for mark in named:
        line = NAMED.fullmatch(mark.text)
        if line and not _give(waiting, line[1] == "ERROR", line[2]):
            left.append(mark)
    return left


def _give(waiting: dict[tuple[bool, str], deque[Failure]], error: bool, said: str) -> bool:
    """Find the failure that a summary line is about: the longest name with a block wins."""
    for node in nodes(said):
        path, _, test = node.partition("::")
        for key in ((error, test.replace("::", ".")), (error, path if not test else "\0")):
            queue = waiting.get(key)
            if queue:
                queue.popleft().node = node
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


def _details(failure: Failure, block: Part, lines: Lines, seen: dict[str, tuple[str, int]]) -> Iterator[Detail]:
    """Yield what a block says: message, place, source line, captured output, the rest of it."""
    end = block.parts[0].start - 1 if block.parts else block.end
    body = [(n, clean(text)) for n, text in lines.numbered(max(block.start + 1, end - READ + 1), end)]
    body = [(number, text) for number, text in body if text.strip()]
    message = _message(body)
    taken = {number for number, _ in message}
    if message and message[0][1].startswith("E     File "):  # a syntax error says where before it says what
        message = [*message[-1:], *message[:-1]]
    if message:
        failure.message = message[0][0]
        yield Detail(_weigh(failure, message[0][1], seen), 0, quoted(message[0]))
    places = [row for row in body if PLACE.fullmatch(row[1]) and row[0] not in taken]
    own = [row for row in places if not FOREIGN.search(_path(row[1]))] or places
    if own:
        yield Detail(FRAME, 0, quoted(own[-1]))
    source = [row for row in body if row[1].startswith(">") and row[0] not in taken][-1:]
    near = [*source, *message[1:3], *(row for row in message[3:] if CLAIM.match(row[1])), *own[:1]]
    near = [row for row in dict.fromkeys(near) if row not in own[-1:]][:NEAREST]
    for step, row in enumerate(near):
        yield Detail(NEAR, step, quoted(row))
    for step, row in enumerate(row for row in message[1:WHOLE] if row not in near):
        yield Detail(FAR, step, quoted(row))
    for step, part in enumerate(block.parts):
        yield Detail(SAME, step, Entry(part.title, part.start, part.end))
    taken.update(number for number, _ in [*near, *own[-1:]])
    rest = [row for row in body if row[0] not in taken and row[1] != "E"]
    for step, row in enumerate(reversed(rest[-WHOLE:])):
        yield Detail(REST, step, quoted(row))


def _weigh(failure: Failure, text: str, seen: dict[str, tuple[str, int]]) -> int:
    """Return how early a message enters: one that says nothing new comes later."""
    masked = NUMBERS.sub("0", text)
    if masked not in seen:
        seen[masked] = (text, failure.message)
        return FIRST
    first, failure.like = seen[masked]
    return SAME if text == first else VARIANT


def _message(body: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines of the last exception, or what stands for them in a block without E lines."""
    run: list[Numbered] = []
    for number, text in body:
        if text == "E" or text.startswith("E   "):
            if run and number - run[-1][0] > 1:
                run = []
            run.append((number, text))
    run = [row for row in run if row[1] != "E"]
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


def _path(text: str) -> str:
    found = PLACE.fullmatch(text)
    return (found[1] or found[2] or "") if found else ""


def quoted(row: Numbered) -> Entry:
    """Quote a line with the blanks it begins with."""
    number, text = row
    return Entry(text if len(text) <= 240 else shown(text, 240), number, number, verbatim=True)


def ranked(detail: Detail) -> Entry:
    """Return the entry of a detail, with its rank."""
    return replace(detail.entry, rank=detail.rank)
