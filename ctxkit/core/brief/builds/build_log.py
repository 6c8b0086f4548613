"""Collect the findings of a build, count them by code and file, and label ranges of them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from ctxkit.core.brief.builds.findings import ERROR, QUOTED, BuildEvent, BuildFinding
from ctxkit.core.brief.outline import Entry, clean_line, quote
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.severity import RUNTIME_ERROR_CODE, is_error_line

RANGE_LINES = 120
"""Maximum number of lines in a range that a reader is pointed to."""
MAX_PATHS = 400
"""Maximum number of distinct files in one range."""
MAX_LINE_LENGTH = 600
"""Maximum number of characters kept of a line."""
_MAX_MEASURED = 20_000
"""Maximum number of findings of a code whose measures are compared."""
_MEASURED = compile_lazily(
    r"\((\d{1,9}) ?[>/] ?\d|\b(?:is|of|has|too \w{3,9}) \(?(\d{1,9})\b.{0,60}(?:max|limit|allowed)", re.IGNORECASE
)
"""Pattern of a number with its limit: ``(128 > 80)``, ``complexity of 50. Maximum allowed is 20``."""


@dataclass(slots=True)
class CodeGroup:
    """Count the findings with the same code, or with the same message form if there is no code."""

    severity: str
    code: str
    message_form: str
    first: BuildFinding
    count: int = 1
    example: BuildFinding = field(init=False)

    def __post_init__(self) -> None:
        """Quote the first finding until a worse one follows."""
        self.example = self.first

    @property
    def is_runtime_error(self) -> bool:
        """Return whether a linter reports under the code what fails when the program runs."""
        return RUNTIME_ERROR_CODE.fullmatch(self.code) is not None

    def add(self, finding: BuildFinding) -> None:
        """Count another finding, and quote the one with the largest measure."""
        self.count += 1
        if self.count <= _MAX_MEASURED and _read_measure(finding) > _read_measure(self.example):
            self.example = finding


@dataclass(slots=True)
class Chunk:
    """Hold lines ``start`` to ``end`` with the counts of their findings by file and by code."""

    start: int
    end: int
    paths: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    errors: int = 0

    def add(self, finding: BuildFinding) -> None:
        """Count another finding and extend the range."""
        # Include only the beginning of a finding that is longer than one range, such as one that quotes a whole file.
        self.start = min(self.start, finding.start)
        self.end = max(self.end, min(finding.end, max(finding.number, finding.start + RANGE_LINES - 1)))
        if finding.path in self.paths or len(self.paths) < MAX_PATHS:
            self.paths[finding.path] += 1
        if finding.code in self.codes or len(self.codes) < MAX_PATHS:
            self.codes[finding.code] += 1
        self.errors += finding.severity == ERROR

    def fits_finding(self, finding: BuildFinding) -> bool:
        """Return whether the range still has an acceptable length with this finding."""
        return min(finding.end, finding.start + RANGE_LINES - 1) - self.start < RANGE_LINES


@dataclass(slots=True)
class OutputRange:
    """Hold a range of lines without findings, or of a step; ``rows`` are lines worth quoting."""

    title: str
    start: int
    end: int
    lines: int = 1
    rows: list[tuple[int, str]] = field(default_factory=list)


@dataclass(slots=True)
class ClosingLines:
    """Count closing lines with the same words, and hold the first and the last of them."""

    first: BuildEvent
    last: BuildEvent
    count: int = 1


MAX_CODES = 2_000
"""Maximum number of distinct codes; later codes are counted together."""
_MAX_CHUNKS = 20_000
"""Maximum number of ranges; later findings extend the last range."""
_MAX_FINDINGS = 1_000
"""Maximum number of findings whose text is kept for quotations."""
_ERROR_PARTS = ("rror", "ail", "atal", "xcept", "ERR", "FAIL", "FATAL", "EXCEPT", "anic", "bort", "raceback", "ritical")
"""Parts of the error words: every error line contains at least one of them."""
PASSED_TITLE = "checks that passed or were skipped"
_MAX_CLOSING_FORMS = 60
"""Maximum number of distinct closing lines."""


class BuildLog:
    """Collect findings and events in order, in bounded memory."""

    def __init__(self) -> None:
        self.groups: dict[tuple[str, str], CodeGroup] = {}
        self.files: dict[str, list[Chunk]] = {}
        self.windows: list[Chunk] = []
        self.kept: list[BuildFinding] = []
        self.closings: dict[str, ClosingLines] = {}
        self.steps: list[OutputRange] = []
        self.others: list[OutputRange] = []
        self.errors = 0
        self.warnings = 0
        self.unrated = 0
        self.grades: Counter[str] = Counter()
        self.first: BuildFinding | None = None
        self._chunks = 0
        self._open: OutputRange | None = None

    def add(self, item: BuildFinding | BuildEvent) -> None:
        """Count the next finding or event."""
        if isinstance(item, BuildFinding):
            self._open = None
            self._add_finding(item)
            return
        if self.steps and item.kind != "step":
            self.steps[-1].end = max(self.steps[-1].end, item.number)
        if item.kind == "step":
            self._open = None
            self._add_step(item)
        elif item.kind == "closing":
            self._add_closing(item)
            self._add_other(item)
            if item.text.startswith("Plan: ") and self.steps:
                self._add_step(BuildEvent("step", item.number, "the plan's last line and what follows it"))
        elif item.kind == "passed":
            self._add_passed(item.number)
        else:
            self._add_other(item)

    def add_skipped(self, number: int, rows: Sequence[str]) -> None:
        """Count lines that belong to no finding or event; ``number`` is the number of the first line."""
        if self.steps:
            self.steps[-1].end = number + len(rows) - 1
        at = 0
        while at < len(rows):
            output_range = self._get_range(number + at)
            room = output_range.start + RANGE_LINES - number - at if len(self.others) < _MAX_CHUNKS else len(rows)
            part = rows[at : at + room]
            output_range.end, output_range.lines = number + at + len(part) - 1, output_range.lines + len(part)
            if len(output_range.rows) < 3:
                _keep_rows(output_range, number + at, part)
            at += len(part)

    def _add_finding(self, finding: BuildFinding) -> None:
        finding.text = finding.text[:MAX_LINE_LENGTH]
        if finding.severity == ERROR:
            self.first = self.first or finding
        if not finding.rated:
            self.unrated += 1
            self.grades[finding.grade] += bool(finding.grade)
        elif finding.severity == ERROR:
            self.errors += 1
        else:
            self.warnings += 1
        self._count_group(finding)
        if self.steps:
            self.steps[-1].end = max(self.steps[-1].end, finding.end)
        if len(self.kept) < _MAX_FINDINGS:
            self.kept.append(finding)
        if not (self.windows and (self.windows[-1].fits_finding(finding) or len(self.windows) >= _MAX_CHUNKS)):
            self.windows.append(Chunk(finding.start, finding.start))
        self.windows[-1].add(finding)
        self._add_to_file(finding)

    def _count_group(self, finding: BuildFinding) -> None:
        key = (finding.severity, finding.code or finding.message_form)
        group = self.groups.get(key)
        if group is None and len(self.groups) >= MAX_CODES:
            key = (finding.severity, "\0")
            group = self.groups.get(key)
        if group is None:
            rest = key[1] == "\0"
            self.groups[key] = CodeGroup(
                finding.severity, "" if rest else finding.code, "others" if rest else finding.message_form, finding
            )
        else:
            group.add(finding)

    def _add_to_file(self, finding: BuildFinding) -> None:
        path = finding.path if finding.path in self.files or len(self.files) < _MAX_CHUNKS else ""
        chunks = self.files.setdefault(path, [])
        if not (chunks and (chunks[-1].fits_finding(finding) or self._chunks >= _MAX_CHUNKS)):
            chunks.append(Chunk(finding.start, finding.start))
            self._chunks += 1
        chunks[-1].add(finding)

    def _add_closing(self, event: BuildEvent) -> None:
        form = QUOTED.sub("\u2026", event.text[:200])
        form = form if form in self.closings or len(self.closings) < _MAX_CLOSING_FORMS else "\0"
        kept = self.closings.get(form)
        event.text = event.text[:MAX_LINE_LENGTH]
        if kept is None:
            self.closings[form] = ClosingLines(event, event)
        else:
            kept.last, kept.count = event, kept.count + 1

    def _add_step(self, event: BuildEvent) -> None:
        if len(self.steps) < _MAX_CHUNKS:
            self.steps.append(OutputRange(event.text[:200], event.number, event.number))
        else:
            self.steps[-1].end = event.number

    def _get_range(self, number: int) -> OutputRange:
        """Return the open range for a line without a finding, or a new range if the open one is long enough."""
        output_range = self._open
        full = output_range is not None and number - output_range.start >= RANGE_LINES
        if output_range is None or output_range.title or (len(self.others) < _MAX_CHUNKS and full):
            output_range = self._open = OutputRange("", number, number, 0)
            if len(self.others) < _MAX_CHUNKS:
                self.others.append(output_range)
        return output_range

    def _add_passed(self, number: int) -> None:
        """Count a line of a check that passed; consecutive checks form a range of any length."""
        output_range = self._open
        if output_range is None or output_range.title != PASSED_TITLE:
            output_range = self._open = OutputRange(PASSED_TITLE, number, number, 0)
            if len(self.others) < _MAX_CHUNKS:
                self.others.append(output_range)
        output_range.end, output_range.lines = number, output_range.lines + 1

    def _add_other(self, event: BuildEvent) -> None:
        """Count a line that belongs to no finding; consecutive lines form a range."""
        output_range = self._get_range(event.number)
        # A message whose place does not follow comes after the lines below it.
        output_range.start = min(output_range.start, event.number)
        output_range.end, output_range.lines = max(output_range.end, event.number), output_range.lines + 1
        if (
            event.kind == "other"
            and len(output_range.rows) < 3
            and (not output_range.rows or _is_likely_error(event.text))
        ):
            output_range.rows.append((event.number, event.text[:MAX_LINE_LENGTH]))


def _keep_rows(output_range: OutputRange, number: int, rows: Sequence[str]) -> None:
    """Keep the first line of a range and its first error lines, at most 3."""
    text = "\n".join(rows)
    if output_range.rows and not any(part in text for part in _ERROR_PARTS):
        return
    for here, row in enumerate(rows, number):
        if len(output_range.rows) < 3 and (not output_range.rows or _is_likely_error(row)):
            output_range.rows.append((here, row[:MAX_LINE_LENGTH]))


def _is_likely_error(text: str) -> bool:
    """Return whether a line is an error line, with a cheap check first."""
    for part in _ERROR_PARTS:
        if part in text:
            return is_error_line(text[:MAX_LINE_LENGTH])
    return False


def _read_measure(finding: BuildFinding) -> int:
    """Return the number that the message of a finding compares with a limit, or 0."""
    match = _MEASURED.search(finding.message, 0, MAX_LINE_LENGTH) if finding.code else None
    return int(match[1] or match[2]) if match else 0


_MAX_PATH_PARTS = 12
"""Maximum number of path parts compared to tell files apart."""
_MAX_LABEL_CODES = 4
"""Maximum number of codes listed for one range."""
_MANY_PARTS = 6
"""Number of ranges of one file behind each other from which they are stated as one."""
_MIN_LINES = 3
"""Minimum number of lines without findings that are listed as a range."""
_MAX_NAMED_LINES, _MAX_NAME_WIDTH = 8, 50
"""Number of lines among which the first words of a range are looked for, and maximum number of their characters."""
_MAX_MESSAGE_WIDTH = 70
"""Maximum number of characters of a message that replaces a code."""


def name_output(lines: IndexedLines, start: int, end: int) -> str:
    """Return the first words of a range of other output: ``linking a.o ...``."""
    for _, text in lines.enumerate_lines(start, min(end, start + _MAX_NAMED_LINES)):
        words = clean_line(text, MAX_LINE_LENGTH)
        if any(map(str.isalpha, words)):
            return f"{words[:_MAX_NAME_WIDTH].rstrip()} ..."
    return "other output"


def make_sort_key(group: CodeGroup) -> tuple[bool, int, int]:
    """Return the sort key of a code: what fails at run time first, and then the most frequent."""
    return not group.is_runtime_error, -group.count, group.first.number


def format_count(group: CodeGroup) -> str:
    """Return ``12x E501``, or the count with the common part of the messages if the findings have no code."""
    if group.code or group.message_form == "others":
        return f"{group.count:,}x {group.code or 'other messages'}"
    return f"{group.count:,}x {clean_line(group.message_form, _MAX_MESSAGE_WIDTH)!r}"


def join_counts(groups: Sequence[CodeGroup]) -> Iterator[Entry]:
    """Yield entries with several counts each."""
    for at in range(0, len(groups), 12):
        part = groups[at : at + 12]
        rank = 1 if part[0].code or at < 48 else 3
        yield Entry(", ".join(map(format_count, part)), rank=rank, hidden_count=len(part))


def quote_closing(closing: ClosingLines, rank: int) -> Iterator[Entry]:
    """Yield a closing line; of several with the same words, the first and the last."""
    yield quote(closing.first.number, closing.first.text, rank=rank, width=300)
    if closing.count > 2:
        between = f"{closing.count - 2:,} more like the one above"
        yield Entry(between, closing.first.number + 1, closing.last.number - 1, max(rank, 1))
    if closing.count > 1:
        yield quote(closing.last.number, closing.last.text, rank=rank, width=300)


def sort_by_line(files: dict[str, list[Chunk]]) -> list[Chunk]:
    """Return the ranges of all files in the order of the log."""
    return sorted((chunk for chunks in files.values() for chunk in chunks), key=lambda chunk: (chunk.start, chunk.end))


def join_chunks(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return ranges in which those of one file that follow each other are one if they are many: they are alike."""
    joined: list[Chunk] = []
    for _, group in groupby(chunks, lambda chunk: set(chunk.paths)):
        run = list(group)
        joined += run if len(run) <= _MANY_PARTS else [_join_run(run)]
    return joined


def _join_run(run: Sequence[Chunk]) -> Chunk:
    paths, codes = Counter[str](), Counter[str]()
    for chunk in run:
        paths += chunk.paths
        codes += chunk.codes
    return Chunk(run[0].start, max(c.end for c in run), paths, codes, sum(c.errors for c in run))


def shorten_names(files: dict[str, list[Chunk]]) -> dict[str, str]:
    """Return the shortest unique end of each path."""
    names: dict[str, str] = {}
    left = [path for path in files if path]
    for parts in range(1, _MAX_PATH_PARTS + 1):
        ends = {path: "/".join(path.split("/")[-parts:]) for path in left}
        times = Counter(ends.values())
        names.update((path, end) for path, end in ends.items() if times[end] == 1)
        left = [path for path in left if path not in names]
    return names | {path: path for path in left}


def format_place(chunk: Chunk, form: str, names: dict[str, str]) -> str:
    """Return the files in a range, or the file and its codes if there is only one."""
    if form == "ends" and len(chunk.paths) > 2:
        labels = [names.get(path, path) for path in chunk.paths if path]
        return f"{labels[0]} ... {labels[-1]} ({len(chunk.paths)} files)" if labels else "no file named"
    if form in ("window", "names", "ends"):
        return _format_files(chunk, names, counted=form == "window")
    path = next(iter(chunk.paths), "") or "no file named"
    total = chunk.paths.total()
    if form == "file" or set(chunk.codes) <= {""}:
        return f"{path}: {total}"
    return f"{path}: {_format_codes(chunk.codes, total)}"


def _format_codes(codes: Counter[str], total: int) -> str:
    """Return the most frequent codes with their counts, and how many of all findings have others: ``2x E501``."""
    most = codes.most_common()
    named = [(count, code) for code, count in most[:_MAX_LABEL_CODES] if code]
    labels = [f"{count}x {code}" if count > 1 else code for count, code in named]
    if len(most) > len(named):
        labels.append(f"{total - sum(count for count, _ in named)} more")
    return ", ".join(labels)


def _format_files(chunk: Chunk, names: dict[str, str], *, counted: bool) -> str:
    """Return the files of a range, grouped by directory: ``lib/: a.js 2, b.js; c.js``."""
    folders: dict[str, list[str]] = {}
    for path, count in chunk.paths.items():
        folder, _, base = names.get(path, path).rpartition("/")
        folders.setdefault(folder, []).append(f"{base or 'no file'}{f' {count}' if counted and count > 1 else ''}")
    return "; ".join(
        f"{folder}/: {', '.join(files)}" if folder else ", ".join(files) for folder, files in folders.items()
    )


def split_parts(steps: Sequence[OutputRange], others: Sequence[OutputRange]) -> Iterator[OutputRange]:
    """Yield the steps, split into ranges of limited length; without steps, the ranges between findings."""
    if not steps:
        yield from (other for other in others if other.lines >= _MIN_LINES)
        return
    if others and others[0].start < steps[0].start:
        yield OutputRange("before the first step", others[0].start, steps[0].start - 1)
    for at, step in enumerate(steps):
        end = max(step.end, steps[at + 1].start - 1) if at + 1 < len(steps) else step.end
        parts = (end - step.start) // RANGE_LINES + 1
        yield OutputRange(step.title, step.start, min(end, step.start + RANGE_LINES - 1))
        for part in range(1, min(parts, 200)):
            start = step.start + part * RANGE_LINES
            yield OutputRange(
                f"{step.title[:40]} (part {part + 1} of {parts})",
                start,
                end if part == 199 else min(end, start + RANGE_LINES - 1),
            )


def merge_ranges(output_ranges: Sequence[OutputRange], lines: IndexedLines) -> Iterator[OutputRange]:
    """Yield merged neighbours, up to the maximum length of a range, if there are too many to list separately."""
    run: list[OutputRange] = []
    for output_range in output_ranges:
        if run and output_range.end - run[0].start >= RANGE_LINES:
            yield join_ranges(run, lines)
            run = []
        run.append(output_range)
    if run:
        yield join_ranges(run, lines)


def join_ranges(run: Sequence[OutputRange], lines: IndexedLines) -> OutputRange:
    """Return one range for several consecutive ones."""
    if len(run) == 1:
        return run[0]
    first, last = (
        clean_line(part.title, 45) if part.title else name_output(lines, part.start, part.end)
        for part in (run[0], run[-1])
    )
    title = f"{first} to {last} ({len(run)} parts)" if first != last else f"{first} ({len(run)} parts)"
    return OutputRange(title, run[0].start, run[-1].end)
