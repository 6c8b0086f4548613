"""Build logs: findings by code and by file, closing lines, steps, and other output, in bounded memory."""

from collections import Counter
from collections.abc import Sequence

from ctxkit.core.brief.builds.build_counts import (
    MAX_LINE_LENGTH,
    RANGE_LINES,
    Chunk,
    ClosingLines,
    CodeGroup,
    OutputRange,
)
from ctxkit.core.brief.builds.findings import ERROR, QUOTED, BuildFinding
from ctxkit.core.brief.builds.reader_state import BuildEvent
from ctxkit.core.text.severity import is_error_line

MAX_CODES = 2_000
"""Maximum number of distinct codes; later codes are counted together."""
MAX_CHUNKS = 20_000
"""Maximum number of ranges; later findings extend the last range."""
MAX_FINDINGS = 1_000
"""Maximum number of findings whose text is kept for quotations."""
ERROR_PARTS = ("rror", "ail", "atal", "xcept", "ERR", "FAIL", "FATAL", "EXCEPT", "anic", "bort", "raceback", "ritical")
"""Parts of the error words: every error line contains at least one of them."""
PASSED_TITLE = "checks that passed or were skipped"
MAX_CLOSING_FORMS = 60
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
            room = output_range.start + RANGE_LINES - number - at if len(self.others) < MAX_CHUNKS else len(rows)
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
        if len(self.kept) < MAX_FINDINGS:
            self.kept.append(finding)
        if not (self.windows and (self.windows[-1].fits_finding(finding) or len(self.windows) >= MAX_CHUNKS)):
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
        path = finding.path if finding.path in self.files or len(self.files) < MAX_CHUNKS else ""
        chunks = self.files.setdefault(path, [])
        if not (chunks and (chunks[-1].fits_finding(finding) or self._chunks >= MAX_CHUNKS)):
            chunks.append(Chunk(finding.start, finding.start))
            self._chunks += 1
        chunks[-1].add(finding)

    def _add_closing(self, event: BuildEvent) -> None:
        form = QUOTED.sub("\u2026", event.text[:200])
        form = form if form in self.closings or len(self.closings) < MAX_CLOSING_FORMS else "\0"
        kept = self.closings.get(form)
        event.text = event.text[:MAX_LINE_LENGTH]
        if kept is None:
            self.closings[form] = ClosingLines(event, event)
        else:
            kept.last, kept.count = event, kept.count + 1

    def _add_step(self, event: BuildEvent) -> None:
        if len(self.steps) < MAX_CHUNKS:
            self.steps.append(OutputRange(event.text[:200], event.number, event.number))
        else:
            self.steps[-1].end = event.number

    def _get_range(self, number: int) -> OutputRange:
        """Return the open range for a line without a finding, or a new range if the open one is long enough."""
        output_range = self._open
        full = output_range is not None and number - output_range.start >= RANGE_LINES
        if output_range is None or output_range.title or (len(self.others) < MAX_CHUNKS and full):
            output_range = self._open = OutputRange("", number, number, 0)
            if len(self.others) < MAX_CHUNKS:
                self.others.append(output_range)
        return output_range

    def _add_passed(self, number: int) -> None:
        """Count a line of a check that passed; consecutive checks form a range of any length."""
        output_range = self._open
        if output_range is None or output_range.title != PASSED_TITLE:
            output_range = self._open = OutputRange(PASSED_TITLE, number, number, 0)
            if len(self.others) < MAX_CHUNKS:
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
    if output_range.rows and not any(part in text for part in ERROR_PARTS):
        return
    for here, row in enumerate(rows, number):
        if len(output_range.rows) < 3 and (not output_range.rows or _is_likely_error(row)):
            output_range.rows.append((here, row[:MAX_LINE_LENGTH]))


def _is_likely_error(text: str) -> bool:
    """Return whether a line is an error line, with a cheap check first."""
    for part in ERROR_PARTS:
        if part in text:
            return is_error_line(text[:MAX_LINE_LENGTH])
    return False
