"""Failing tests of pytest: their blocks, matched with the node ids of the short summary."""

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.runs.failures import FailedTest, FailurePart, FailureReader, FailureReading, NumberedLine
from ctxkit.core.brief.runs.folded_names import choose_failures
from ctxkit.core.brief.runs.pytest_markers import NAMED_TEST, Marker
from ctxkit.core.brief.runs.sessions import SessionPart as Block
from ctxkit.core.brief.runs.stack_paths import FOREIGN
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.lines import IndexedLines

PLACE = compile_lazily(r"(?![>E] )(\S[^:]*\.\w+|\S[^:]*):\d+:(?: .*)?|\s+File \"([^\"]+)\", line \d+.*")
KEY_LINE = compile_lazily(r"E   +(?:assert |[\w.]*(?:Error|Exception|Failure|Warning)\b)")
"""Pattern of the main line of a long message."""
GROUPED = compile_lazily(r"[ |]*\| +[\w.]*(?:Error|Exception|Group|Failure|Warning|Exit|Interrupt)\w*: ")
"""Pattern of an exception in the traceback of an exception group."""
SETUP = compile_lazily(r"(ERROR at (?:setup|teardown) of |ERROR collecting )?(.*)", re.DOTALL)


def read_failures(
    blocks: Sequence[Block], named: Sequence[Marker], lines: IndexedLines, most: int
) -> tuple[list[FailedTest], list[Marker]]:
    """Return a failure for each block, and the summary lines without a block.

    At most ``most`` blocks are read for details.
    """
    failed_tests = [_make_failure(block) for block in blocks]
    left = _assign_node_ids(failed_tests, named)
    reader = FailureReader(lines, READING)
    parts = {
        block.start: [FailurePart(part.title, part.start, part.end) for part in block.parts] for block in blocks
    }
    read, compared = choose_failures(failed_tests, most)
    for failure in read:
        reader.read(failure, parts[failure.start])
    for failure in compared:
        reader.compare(failure, parts[failure.start])
    return failed_tests, left


def _make_failure(block: Block) -> FailedTest:
    before, _ = split_title(block.title)
    return FailedTest(block.title, block.start, block.end, short_name=block.title, is_error=bool(before))


def split_title(title: str) -> tuple[str, str]:
    """Return the phase of an error outside a test, or an empty string, and the rest of the title."""
    match = SETUP.fullmatch(title)
    return (match[1] or "", match[2]) if match else ("", title)


def _assign_node_ids(failed_tests: Sequence[FailedTest], named: Sequence[Marker]) -> list[Marker]:
    """Give each failure the node id of its summary line; return the lines left over."""
    waiting: dict[tuple[bool, str], deque[FailedTest]] = defaultdict(deque)
    for failure in failed_tests:
        before, test = split_title(failure.name)
        waiting[bool(before), test.replace("::", ".")].append(failure)
    left = []
    for marker in named:
        line = NAMED_TEST.fullmatch(marker.text)
        if line and not _assign_node_id(waiting, line[1] == "ERROR", line[3], line[2].strip()):
            left.append(marker)
    return left


def _assign_node_id(
    waiting: dict[tuple[bool, str], deque[FailedTest]], error: bool, text: str, subtest: str
) -> bool:
    """Assign a node id to the failure that ``path::test - message`` names; return whether such a failure exists.

    Both parts may contain ``::`` and ``-``. The title of a block has the ``subtest`` after the name of the test.
    """
    for node in list_node_ids(text):
        node = f"{node} {subtest}" if subtest else node
        path, _, test = node.partition("::")
        for key in ((error, test.replace("::", ".")), (error, path if not test else "\0")):
            queue = waiting.get(key)
            if queue:
                failure = queue.popleft()
                failure.name = f"{split_title(failure.name)[0]}{node}"
                failure.group = path
                return True
    return False


def find_node_id(text: str) -> str:
    """Return the shortest possible node id whose brackets are balanced."""
    for node in reversed(list(list_node_ids(text))):
        if node.count("[") == node.count("]"):
            return node
    return text


def list_node_ids(text: str) -> Iterator[str]:
    """Yield the possible node ids in ``path::test[a - b] - message``, the longest first."""
    yield text
    at = len(text)
    while (at := text.rfind(" - ", 0, at)) > 0:
        yield text[:at]


def _find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the lines of the last exception, or a replacement for it in a block without E lines."""
    run: list[NumberedLine] = []
    for number, text in body:
        if text == "E" or text.startswith("E   "):
            if run and number - run[-1][0] > 1:
                run = []
            run.append((number, text))
    run = [row for row in run if row[1] != "E"]
    if run and run[0][1].startswith("E     File "):  # a syntax error prints its place before its message
        run = [*run[-1:], *run[:-1]]
    return run or _find_other_message(body)


def _find_other_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the message of a doctest, a native traceback, a crash or a plugin."""
    for at, (_, text) in enumerate(body):
        if text in ("Expected:", "Differences (unified diff with -expected +actual):", "Expected nothing"):
            return list(body[at:-1] if PLACE.fullmatch(body[-1][1]) else body[at:])
    grouped = [row for row in body if GROUPED.match(row[1])]
    if grouped:
        return grouped
    plain = [row for row in body if not row[1].startswith((" ", "[gw", ">")) and not PLACE.fullmatch(row[1])]
    plain = [row for row in plain if set(row[1]) - set("_ -=~+")]
    return plain[-1:] or list(body[-1:])


def find_path(text: str) -> str:
    """Return the path on a line with a place, or an empty string."""
    match = PLACE.fullmatch(text)
    return (match[1] or match[2] or "") if match else ""


READING = FailureReading(_find_message, find_path, FOREIGN.search, KEY_LINE.match)
"""Functions that read a block of pytest."""
