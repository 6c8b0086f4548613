"""A run of pytest: its sections, failure blocks matched with node ids, and the ranges around them."""

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import islice

from ctxkit.core.brief.runs.failures import (
    FAR,
    FIRST,
    FOREIGN,
    NEAR,
    REST,
    SAME,
    FailedTest,
    FailureDetail,
    FailurePart,
    FailureReader,
    FailureReading,
    NumberedLine,
    quote_row,
)
from ctxkit.core.brief.runs.folded_names import choose_failures
from ctxkit.core.brief.runs.pytest_markers import DASHED_HEADING, NAMED_TEST, Marker, strip_decorations
from ctxkit.core.brief.runs.report import LogRange
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.severity import find_error_lines

START_HEADING = "test session starts"
_SUMMARY_HEADING = "short test summary info"
_FAILURE_HEADINGS = ("FAILURES", "ERRORS")
_KNOWN_HEADING = compile_lazily(
    r"test session starts|FAILURES|ERRORS|X?PASSES|XFAILURES|warnings summary|short test summary info|"
    r"slowest .*|.*coverage.*|rerun test summary info|Hypothesis Statistics|.*summary.*"
)
"""Pattern of headings of pytest and its plugins; other headings may be output of a test."""
_BLOCK_HEADINGS = (*_FAILURE_HEADINGS, "PASSES", "XFAILURES", "XPASSES", "SKIPPED")


@dataclass(slots=True)
class SessionPart:
    """Hold lines ``start`` to ``end``: a section, a failure block, or captured output in it.

    ``width`` is that of its heading, which all rules of the session share.
    """

    title: str
    start: int
    end: int = 0
    width: int = 0
    parts: list["SessionPart"] = field(default_factory=list)


@dataclass(slots=True)
class PytestRun:
    """Hold the content of all pytest sessions in one log, in order."""

    starts: list[int] = field(default_factory=list)
    summaries: list[Marker] = field(default_factory=list)
    sections: list[SessionPart] = field(default_factory=list)
    named: list[Marker] = field(default_factory=list)
    outcomes: list[Marker] = field(default_factory=list)
    notes: list[Marker] = field(default_factory=list)

    @property
    def blocks(self) -> list[SessionPart]:
        """Return the blocks of failures and errors."""
        return [block for section in self.sections if section.title in _FAILURE_HEADINGS for block in section.parts]

    @property
    def is_closed(self) -> bool:
        """Return whether the last session has its closing line."""
        return bool(self.summaries) and self.summaries[-1].number > max(self.starts, default=0)


def build_run(markers: Sequence[Marker], total: int) -> PytestRun:
    """Return the run in a log of ``total`` lines, without inner runs in captured output."""
    run = PytestRun()
    section: SessionPart | None = _find_headless_section(markers)
    if section is not None:
        run.sections.append(section)
    place = 0
    while place < len(markers):
        after = _skip_output(markers, place, section) if section else place
        if after > place:
            place = after
            continue
        marker = markers[place]
        ends = marker.kind in ("heading", "verdict", "banner") and not _is_captured(markers, place, section)
        if ends and section is not None:
            _close_section(section, marker.number - 1)
            section = None
        if marker.kind == "heading" and ends:
            section = SessionPart(marker.text, marker.number, width=marker.width)
            run.sections.append(section)
        _add_marker(run, section, marker, ends)
        place += 1
    if section is not None:
        _close_section(section, total)
    return run


def _begins_run(marker: Marker) -> bool:
    return marker.kind == "heading" and START_HEADING in marker.text


def _find_headless_section(markers: Sequence[Marker]) -> SessionPart | None:
    """Return a section for the blocks of a log whose beginning is missing, before any heading."""
    for marker in markers:
        if marker.kind == "title":
            return SessionPart(_FAILURE_HEADINGS[0], 1, width=marker.width)
        if marker.kind in ("heading", "verdict", "outcome"):
            return None
    return None


def _add_marker(run: PytestRun, section: SessionPart | None, marker: Marker, ends: bool) -> None:
    """Add a marker to the run or to its section."""
    if _begins_run(marker):
        run.starts.append(marker.number)
    elif marker.kind == "verdict" and ends:
        run.summaries.append(marker)
    elif marker.kind == "banner" and ends:
        run.notes.append(marker)
    elif marker.kind in ("title", "captured") and section is not None:
        _add_part(section, marker)
    elif marker.kind == "named" and section is not None and _SUMMARY_HEADING in section.title:
        run.named.append(marker)
    elif not _has_parts(section):
        {"note": run.notes, "outcome": run.outcomes}.get(marker.kind, []).append(marker)


def _add_part(section: SessionPart, marker: Marker) -> None:
    """Begin the block of a test in a section, or a part of its last block."""
    if marker.kind == "title" and section.title in _BLOCK_HEADINGS:
        _end_part(section, marker.number - 1)
        section.parts.append(SessionPart(marker.text, marker.number))
    elif marker.kind == "captured" and section.parts:
        _end_part(section.parts[-1], marker.number - 1)
        section.parts[-1].parts.append(SessionPart(marker.text, marker.number))


def _has_parts(section: SessionPart | None) -> bool:
    """Return whether lines of a section may be output of its tests."""
    return section is not None and START_HEADING not in section.title and bool(section.parts)


def _skip_output(markers: Sequence[Marker], place: int, section: SessionPart) -> int:
    """Return the index after what a test in a section printed, from ``place``, or ``place`` if it printed nothing."""
    marker = markers[place]
    if _is_stray(marker, section):
        return place + 1
    if section.parts and _begins_run(marker):
        return _skip_inner_run(markers, place) or place + 1
    return place


def _is_stray(marker: Marker, section: SessionPart) -> bool:
    """Return whether a line has rules of another width than its session, so that a test must have printed it."""
    if section.title not in _BLOCK_HEADINGS or abs(marker.width - section.width) <= 1:
        return False
    return bool(marker.width and section.width) and not DASHED_HEADING.match(marker.text)


def _skip_inner_run(markers: Sequence[Marker], place: int) -> int:
    """Return the index after the inner run that begins at ``place`` in captured output, or 0 if it has no end.

    The last result line of a log never ends an inner run.
    """
    depth = 0
    for here in range(place, len(markers)):
        marker = markers[here]
        if marker.kind == "heading" and START_HEADING in marker.text:
            depth += 1
        elif marker.kind == "verdict" and marker.text.startswith("="):
            depth -= 1
            if not depth:
                later = any(marker.kind == "verdict" for marker in markers[here + 1 :])
                return here + 1 if later else 0
    return 0


def _is_captured(markers: Sequence[Marker], place: int, section: SessionPart | None) -> bool:
    """Return whether a marker is output of a failing test, not a marker of this run."""
    if section is None or not section.parts:
        return False
    marker = markers[place]
    if marker.kind == "verdict" and place + 1 < len(markers):
        after = markers[place + 1]
        return after.kind in ("title", "captured") or (after.kind == "heading" and START_HEADING not in after.text)
    if marker.kind == "banner" or (marker.kind == "heading" and not _is_known(marker)):
        return _precede_block(markers[place + 1 :])
    return False


def _precede_block(markers: Sequence[Marker]) -> bool:
    """Return whether a block follows, after no more than headings in output of a test, not in that of pytest itself."""
    after = next((marker for marker in markers if marker.kind != "heading" or _is_known(marker)), None)
    return after is not None and after.kind in ("title", "captured")


def _is_known(marker: Marker) -> bool:
    return bool(_KNOWN_HEADING.fullmatch(marker.text) or DASHED_HEADING.match(marker.text))


def _close_section(section: SessionPart, end: int) -> None:
    _end_part(section, end)
    section.end = end


def _end_part(part: SessionPart, end: int) -> None:
    """End the last part, and the parts in it, with line ``end``."""
    if part.parts:
        _end_part(part.parts[-1], end)
        part.parts[-1].end = end


PLACE = compile_lazily(r"(?![>E] )(\S[^:]*\.\w+|\S[^:]*):\d+:(?: .*)?|\s+File \"([^\"]+)\", line \d+.*")
_KEY_LINE = compile_lazily(r"E   +(?:assert |[\w.]*(?:Error|Exception|Failure|Warning)\b)")
"""Pattern of the main line of a long message."""
GROUPED = compile_lazily(r"[ |]*\| +[\w.]*(?:Error|Exception|Group|Failure|Warning|Exit|Interrupt)\w*: ")
"""Pattern of an exception in the traceback of an exception group."""
_SETUP = compile_lazily(r"(ERROR at (?:setup|teardown) of |ERROR collecting )?(.*)", re.DOTALL)


def read_failures(
    blocks: Sequence[SessionPart], named: Sequence[Marker], lines: IndexedLines, most: int
) -> tuple[list[FailedTest], list[Marker]]:
    """Return a failure for each block, and the summary lines without a block.

    At most ``most`` blocks are read for details.
    """
    failed_tests = [_make_failure(block) for block in blocks]
    left = _assign_node_ids(failed_tests, named)
    reader = FailureReader(lines, READING)
    parts = {block.start: [FailurePart(part.title, part.start, part.end) for part in block.parts] for block in blocks}
    read, compared = choose_failures(failed_tests, most)
    for failure in read:
        reader.read(failure, parts[failure.start])
    for failure in compared:
        reader.compare(failure, parts[failure.start])
    return failed_tests, left


def _make_failure(block: SessionPart) -> FailedTest:
    before, _ = split_title(block.title)
    return FailedTest(block.title, block.start, block.end, short_name=block.title, is_error=bool(before))


def split_title(title: str) -> tuple[str, str]:
    """Return the phase of an error outside a test, or an empty string, and the rest of the title."""
    match = _SETUP.fullmatch(title)
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


def _assign_node_id(waiting: dict[tuple[bool, str], deque[FailedTest]], error: bool, text: str, subtest: str) -> bool:
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


READING = FailureReading(_find_message, find_path, FOREIGN.search, _KEY_LINE.match)
"""Functions that read a block of pytest."""
MAX_READ_LINES = 200
"""Maximum number of lines of a range that are read for quotations."""
_MAX_FAILURE_LINES = 5_000
"""Maximum number of lines of --tb=line that are read."""
MAX_QUOTED_LINES = 15
"""Maximum number of lines quoted from a range."""
_HEADER = compile_lazily(r"collect(?:ed|ing) .*|scheduling tests.*|gw\d+ .*|created: .*|\d+ workers? \[.*")
"""Pattern of the last line of a session's header."""
_MAX_PROGRESS_WIDTH = 1_000
"""Maximum number of characters read from a line of progress."""
_SHORT_REST = 3
"""Number of lines after the progress that are not worth a range of their own."""
PROGRESS = compile_lazily(
    r"^(?:\S+(?: <- \S+)? )?[.FEsxXRurpSP,]+(?: *\[ *(?:\d+%|\d+/\d+)\])?$|\[ *\d+%\]|::"
    r"|\b(?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|RERUN)\b"
)
"""Pattern of a line that pytest prints while it runs: characters for tests, a percentage, or a test and its outcome."""
TOTAL = compile_lazily(r"TOTAL\s.*|Required test coverage.*|FAIL Required.*|Coverage failure.*")


def list_surroundings(run: PytestRun, lines: IndexedLines) -> Iterator[LogRange]:
    """Yield the ranges around the failure blocks, in order."""
    after = 1
    for section in run.sections:
        if section.start > after:
            yield from _list_outside_ranges(run, lines, after, section.start - 1)
        after = section.end + 1
        if START_HEADING in section.title:
            yield from _list_session_ranges(run, lines, section)
        elif section.title in _FAILURE_HEADINGS and not section.parts:
            yield _make_failure_range(lines, section)
        elif section.title not in _FAILURE_HEADINGS:
            yield _make_section_range(lines, section)
    if after <= lines.total:
        yield from _list_outside_ranges(run, lines, after, lines.total)


def _list_outside_ranges(run: PytestRun, lines: IndexedLines, start: int, end: int) -> Iterator[LogRange]:
    """Yield ranges outside all sections: before a session, after its result, or everything with -q."""
    noted = {note.number for note in run.notes}
    verdicts = [verdict.number for verdict in run.summaries if start <= verdict.number <= end]
    for number in verdicts:
        if start < number:
            yield from _list_other_output(lines, noted, "before the closing line", start, number - 1)
        start = number + 1
    if start <= end:
        title = "after the closing line" if verdicts else "progress and other output"
        yield from _list_other_output(lines, noted, title, start, end)


def _list_other_output(lines: IndexedLines, noted: set[int], title: str, start: int, end: int) -> Iterator[LogRange]:
    """Yield a range of lines that pytest may not have written, unless all are blank or already quoted."""
    first = islice(lines.enumerate_lines(start, end), MAX_READ_LINES)
    if not any(text.strip() and number not in noted for number, text in first):
        return
    log_range = LogRange(title, start, end)
    trouble = [row for row in islice(find_error_lines(lines, start, end), MAX_QUOTED_LINES) if row[0] not in noted]
    log_range.details = [
        FailureDetail(NEAR, step, quote_row((n, strip_decorations(text)))) for step, (n, text) in enumerate(trouble)
    ]
    taken = {number for number, _ in trouble} | noted
    last = [(n, strip_decorations(text)) for n, text in lines.enumerate_lines(max(start, end - 4), end)]
    rows = [row for row in last if row[1].strip() and row[0] not in taken]
    log_range.details += [FailureDetail(FAR, step, quote_row(row)) for step, row in enumerate(reversed(rows))]
    yield log_range


def _list_session_ranges(run: PytestRun, lines: IndexedLines, section: SessionPart) -> Iterator[LogRange]:
    """Yield the header of a session, its progress, and what else was printed after it, such as a crash."""
    rows = _read_section(lines, section)
    cut = next((number for number, text in rows if _HEADER.fullmatch(text)), 0)
    header = LogRange("session header", section.start, cut or min(section.end, section.start + 4))
    for step, (number, text) in enumerate(rows):
        if number <= header.end:
            header.details.append(FailureDetail(SAME if number == cut else REST, step, quote_row((number, text))))
    yield header
    end = _find_progress_end(lines, header.end + 1, section.end)
    if header.end < end:
        yield LogRange("progress, a character or a line for each test", header.end + 1, end)
    if max(header.end, end) < section.end:
        noted = {note.number for note in run.notes}
        yield from _list_other_output(lines, noted, "other output", max(header.end, end) + 1, section.end)


def _find_progress_end(lines: IndexedLines, start: int, end: int) -> int:
    """Return the last line of progress, or 0 if most lines up to it are something else."""
    last = progress = others = 0
    kept = (0, 0)
    for number, text in lines.enumerate_lines(start, end):
        bare = strip_decorations(text[:_MAX_PROGRESS_WIDTH])
        if PROGRESS.search(bare):
            progress += 1
            last = number
            kept = (progress, others)
        elif bare.strip():
            others += 1
    if not last or end - last <= _SHORT_REST:
        last, kept = end, (progress, others)
    return last if kept[0] >= kept[1] else 0


def _make_section_range(lines: IndexedLines, section: SessionPart) -> LogRange:
    """Return the range of another section with its first lines as details; blocks that pass have no details."""
    log_range = LogRange(section.title, section.start, section.end)
    if section.title in _BLOCK_HEADINGS:
        return log_range
    rank = REST if _SUMMARY_HEADING in section.title else FAR
    for step, row in enumerate(_read_section(lines, section)[:MAX_QUOTED_LINES]):
        log_range.details.append(FailureDetail(rank, step, quote_row(row)))
    if "coverage" in section.title:
        _move_totals_first(lines, log_range)
    return log_range


def _move_totals_first(lines: IndexedLines, log_range: LogRange) -> None:
    """Rank the totals of a coverage report before its rows."""
    rows = [
        (n, strip_decorations(text))
        for n, text in lines.enumerate_lines(max(log_range.end - MAX_READ_LINES, log_range.start + 1), log_range.end)
    ]
    totals = {number: text for number, text in rows if TOTAL.fullmatch(text)}
    log_range.details = [detail for detail in log_range.details if detail.entry.start not in totals]
    log_range.details += [FailureDetail(NEAR, step, quote_row(row)) for step, row in enumerate(totals.items())]


def _make_failure_range(lines: IndexedLines, section: SessionPart) -> LogRange:
    """Return the range of a failure section without blocks, as --tb=line prints it."""
    log_range = LogRange("lines for each failure", section.start, section.end)
    for step, row in enumerate(_read_section(lines, section, _MAX_FAILURE_LINES)):
        log_range.details.append(FailureDetail(FIRST if PLACE.fullmatch(row[1]) else FAR, step, quote_row(row)))
    return log_range


def _read_section(lines: IndexedLines, section: SessionPart, most: int = MAX_READ_LINES) -> list[NumberedLine]:
    """Return the first lines below a section's heading that are not blank."""
    end = min(section.end, section.start + most)
    rows = ((number, strip_decorations(text)) for number, text in lines.enumerate_lines(section.start + 1, end))
    return [row for row in rows if row[1].strip()]
