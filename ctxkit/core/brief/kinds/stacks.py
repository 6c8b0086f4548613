"""Stacks of many threads, and reports of sanitizers and memory checkers: in groups, the rare ones first."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.builds.build_evidence import FENCE, SUFFIXES, reports_tests
from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.brief.stacks.stack_reader import (
    GO_PLACE,
    PID,
    NotableLine,
    Stack,
    StackCollection,
    StackGroup,
    StackReader,
    read_stacks,
)
from ctxkit.core.text.quantity import pluralize

_RANGE_LINES = 120
"""Maximum number of lines in a range that a reader is pointed to."""
_MAX_NAMED_SPANS = 4
"""Maximum number of similar stacks that are listed by line."""
_MAX_TRACE_LINES = 12
"""Maximum number of lines quoted from a stack."""
_MAX_GAPS = 400
"""Maximum number of ranges of other output."""
_MAX_READ_LINES = 600
"""Maximum number of lines of a range that are read for quotations."""
NAME = "stacks"
TYPES: Sequence[str] = ("threads", "sanitizer", "valgrind")
CLUES = Clues(
    (
        *("Sanitizer", "hread ", "hread #", "goroutine ", "DATA RACE", "runtime error", "Invalid ", " tid="),
        *(" lost in ", "TID ", "all Trace", "all trace", "uninit"),
    ),
    unless_log=True,
)
ROWS = 1_500
"""Number of lines read from the beginning."""
_RUNNERS = ("[ RUN ", "[==========]", "Test project ", "=== RUN", "\n$ ", "TAP version")
"""Text of the logs of test runners, whose own kinds state which test crashed."""
_CRASHES = ("Fatal Python error", "received signal", "Program terminated with signal", "all goroutines are asleep")
_CHECKERS = (", a memory error detector", ", a thread error detector")
"""Text beside the stacks of a crash."""


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text is stacks of threads, or has reports of sanitizers."""
    head = document.head
    if document.suffix not in SUFFIXES or "\0" in head or head.startswith(("#!", "{", "[{", "<")):
        return 0.0
    if reports_tests(head) or any(word in head for word in _RUNNERS):
        return 0.0
    rows = head.split("\n")[:ROWS]
    early = _find_stacks(rows)
    late = _find_stacks(document.tail.split("\n")[1:]) if document.lines.size > len(head) else []
    if FENCE.search(head) and not early:
        return 0.0
    return max(_score_stacks(early, rows, document), _score_stacks(late, document.tail.split("\n"), document))


def _score_stacks(stacks: list[Stack], rows: list[str], document: InputDocument) -> float:
    """Return the confidence by the share of lines that stacks take."""
    threads, reports = _find_framed(stacks, "thread"), _find_framed(stacks, "report")
    covered = sum(stack.end - stack.start + 1 for stack in (*threads, *reports))
    share = covered / max(sum(1 for row in rows if row.strip()), 1)
    if share < 0.1:
        return 0.0
    if any("Sanitizer" in stack.title or "DATA RACE" in stack.title for stack in reports):
        return 0.9
    if share >= 0.4 and len(threads) + len(reports) >= 3:
        return 0.9
    if share >= 0.3 and max(len(threads), len(reports)) >= 2:
        return 0.85
    return 0.8 if _states_crash(threads, reports, document) else 0.0


def _find_framed(stacks: list[Stack], kind: str) -> list[Stack]:
    return [stack for stack in stacks if stack.kind == kind and stack.frames]


def _states_crash(threads: list[Stack], reports: list[Stack], document: InputDocument) -> bool:
    """Return whether the text beside the stacks is that of a memory checker, or of the crash of a program."""
    if any(word in document.head for word in _CHECKERS):
        return bool(reports)
    return len(threads) >= 2 and any(word in document.head or word in document.tail for word in _CRASHES)


def _find_stacks(rows: list[str]) -> list[Stack]:
    stacks: list[Stack] = []
    reader = StackReader(stacks.append)
    for number, row in enumerate(rows, 1):
        reader.read_line(number, row)
    reader.finish()
    return stacks


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return an outline of the stacks in groups, with what happened and the end."""
    stacks = read_stacks(document)
    return [build_stack_outline(NAME, document, stacks)] if stacks.groups else None


def build_stack_outline(name: str, document: InputDocument, stacks: StackCollection) -> Outline:
    """Return the outline of the stacks; the stack that crashed and the rare ones rank first."""
    crash = _find_crash_thread(stacks)
    groups = sorted(stacks.groups.values(), key=lambda group: _make_sort_key(group, crash))
    listed = [entry for at, group in enumerate(groups) for entry in _make_group_entries(document, group, at)]
    sections = (
        Section("", tuple(_quote_notes(stacks)), noun="lines"),
        Section(_format_title(stacks), tuple(listed), noun="lines"),
        Section("Other output", tuple(_list_other_output(document, stacks.spans)), noun="parts"),
    )
    first = groups[0].first if groups else None
    example = (first.start, min(first.end, first.start + _RANGE_LINES - 1)) if first else None
    return Outline(name, tuple(section for section in sections if section.entries), example=example, urgent=True)


def _format_title(stacks: StackCollection) -> str:
    nouns = {"thread": "thread", "report": "report", "deadlock": "deadlock"}
    counted = " and ".join(pluralize(count, nouns[kind]) for kind, count in stacks.counts.items())
    total = sum(stacks.counts.values())
    grouped = sum(group.count for group in stacks.groups.values())
    return f"{counted}, {len(stacks.groups):,} different" if total > 1 and grouped == total else counted


def _find_crash_thread(stacks: StackCollection) -> str:
    """Return the beginning of the heading of the thread that received a signal, or an empty string."""
    for note in stacks.notes.values():
        if note.text.startswith("Thread ") and " received signal " in note.text:
            return " ".join(note.text.split(" ")[:2]) + " "
    return ""


def _make_sort_key(group: StackGroup, crash: str) -> tuple[bool, bool, int, int]:
    """Return the sort key: the deadlock and the thread that crashed, then threads in the program, the rare first."""
    stack = group.first
    crashed = stack.title.startswith("Current thread") or "Crashed" in stack.title or "+gil" in stack.title
    crashed = crashed or stack.kind == "deadlock" or bool(crash and stack.title.startswith(crash))
    crashed = crashed or any(name == "<signal" for name in stack.names) or "running]" in stack.title
    is_report = stack.kind == "report"
    return not crashed, stack.own is None and not is_report, 0 if is_report else group.count, stack.start


def _quote_notes(stacks: StackCollection) -> Iterator[Entry]:
    for note in sorted(stacks.notes.values(), key=lambda note: note.number):
        yield from _quote_note(note)


def _quote_note(note: NotableLine) -> Iterator[Entry]:
    yield quote(note.number, note.text, width=300)
    if note.count > 1:
        same = note.text == note.last_text
        label = f"{note.count:,}x {'the same line' if same else 'alike'}, the last at line {note.last}"
        yield Entry(label, rank=1)


def _make_group_entries(document: InputDocument, group: StackGroup, at: int) -> Iterator[Entry]:
    """Yield a group with the lines of its first stack, its heading, and its frames, those of the program first."""
    stack = group.first
    rank = 1 if at < 12 and (stack.own or stack.kind != "thread") else 2 if at < 40 else 4
    parts = [stack.state] if stack.state else []
    parts += [pluralize(stack.frames, "frame")] if stack.frames else []
    parts += [_describe_repeats(group)] if group.count > 1 else []
    label = "; ".join(parts) or stack.kind
    end = min(stack.end, stack.start + _RANGE_LINES - 1)
    yield Entry(label, stack.start, end, rank, children=tuple(_quote_stack(document, stack, rank)))
    for start in range(stack.start + _RANGE_LINES, min(stack.end, stack.start + 40 * _RANGE_LINES) + 1, _RANGE_LINES):
        yield Entry("the same stack goes on", start, min(stack.end, start + _RANGE_LINES - 1), rank + 3)


def _describe_repeats(group: StackGroup) -> str:
    """Return how often a stack comes, and at which lines it comes again."""
    again = ", ".join(f"{start}-{end}" for start, end in group.spans[1 : _MAX_NAMED_SPANS + 1])
    later = " and later" if group.count > _MAX_NAMED_SPANS + 1 else ""
    sizes = {last - first for first, last in group.spans}
    others = ", the others alike, at" if len(sizes) == 1 else " with the same key frames, also at"
    return f"{group.count:,}x{others} {again}{later}"


def _quote_stack(document: InputDocument, stack: Stack, rank: int) -> Iterator[Entry]:
    """Quote the heading of a stack, its first frame of the program, its last line, and then its other lines."""
    ranks = _rank_key_lines(stack, rank)
    last = min(stack.end, stack.start + (60 if stack.kind == "deadlock" else _MAX_TRACE_LINES))
    for number, text in document.lines.enumerate_lines(stack.start, last):
        ranks.setdefault(number, rank + 4)
        if text.strip(" \t="):
            yield quote(number, text.rstrip(), rank=ranks[number], width=240)
    for place in (stack.own, stack.summary):
        if place and place[0] > last:
            yield quote(place[0], place[1], rank=ranks[place[0]], width=240)


def _rank_key_lines(stack: Stack, rank: int) -> dict[int, int]:
    """Return the ranks of the heading, of the first frames with their places, and of the summary."""
    ranks = {stack.start: rank}
    if stack.kind == "deadlock":
        ranks.update(dict.fromkeys(range(stack.start, min(stack.end, stack.start + 60) + 1), rank))
    for place, more in ((stack.own or stack.top, 0), (stack.top, 2)):
        if place:
            ranks.setdefault(place[0], rank + more)
            if GO_PLACE.fullmatch(place[1]):  # the function stands on the line above its place
                ranks.setdefault(place[0] - 1, rank + more)
    if stack.summary:
        ranks.setdefault(stack.summary[0], rank + 3)
    return ranks


def _list_other_output(document: InputDocument, spans: Sequence[tuple[int, int]]) -> Iterator[Entry]:
    """Yield the ranges without stacks, with the lines at which their form changes."""
    gaps, after = [], 1
    for start, end in [*spans, (document.lines.total + 1, 0)]:
        if start > after:
            gaps.append((after, start - 1))
        after = max(end + 1, after)
    for start, end in gaps[: _MAX_GAPS // 2] + gaps[_MAX_GAPS // 2 :][-_MAX_GAPS // 2 :]:
        quotes = tuple(_quote_changes(document, start, end))
        if quotes:
            edge = start == 1 or end >= document.lines.total
            label, first = f"from {quotes[0].label[:80]!r}", quotes[0].start  # lines before it hold nothing
            yield Entry(label, first, end, 2 if edge else 4, children=quotes[1:])


def _quote_changes(document: InputDocument, start: int, end: int) -> Iterator[Entry]:
    """Quote the first line of a range, and the lines whose indentation or number of columns differs from the last."""
    before: tuple[bool, bool] | None = None
    shown = 0
    for number, text in document.lines.enumerate_lines(start, min(end, start + _MAX_READ_LINES)):
        if not PID.sub("", text, count=1).strip(" \t="):
            continue
        shape = (text[:1] in " \t", "  " in text.strip())
        if shape != before and shown < _MAX_TRACE_LINES:
            yield quote(number, text, rank=4 + shown, width=160)
            shown += 1
        before = shape
