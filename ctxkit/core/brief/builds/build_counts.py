"""Counts of the findings of a build log: by code, by range of lines, and closing lines by their words."""

import re
from collections import Counter

from ctxkit.core.brief.builds.findings import ERROR, BuildFinding
from ctxkit.core.brief.builds.reader_state import BuildEvent
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.severity import RUNTIME_ERROR_CODE

RANGE_LINES = 120
"""Maximum number of lines in a range that a reader is pointed to."""
MAX_PATHS = 400
"""Maximum number of distinct files in one range."""
MAX_LINE_LENGTH = 600
"""Maximum number of characters kept of a line."""
MAX_MEASURED = 20_000
"""Maximum number of findings of a code whose measures are compared."""
MEASURED = compile_lazily(
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
        if self.count <= MAX_MEASURED and _read_measure(finding) > _read_measure(self.example):
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


def _read_measure(finding: BuildFinding) -> int:
    """Return the number that the message of a finding compares with a limit, or 0."""
    match = MEASURED.search(finding.message, 0, MAX_LINE_LENGTH) if finding.code else None
    return int(match[1] or match[2]) if match else 0
