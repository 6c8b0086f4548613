"""Define rules, the only source of their texts for linter, ``explain`` and documentation; findings; and fixes."""

from enum import IntEnum
from typing import Literal, NamedTuple


class Severity(IntEnum):
    """The severity of a finding; a higher value is more severe."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """Return the name in settings and output."""
        return self.name.lower()


INFO, WARNING, ERROR = Severity.INFO, Severity.WARNING, Severity.ERROR


class Rule(NamedTuple):
    """A lint rule.

    ``fix`` is the best fix that the linter offers. ``bad`` and ``good`` are examples of file contents. ``evidence`` is
    the origin of the rule and what was measured.
    """

    code: str
    name: str
    severity: Severity
    fix: Literal["none", "safe", "unsafe"]
    summary: str
    rationale: str
    bad: str
    good: str
    evidence: str


class LineRange(NamedTuple):
    """A range of lines of a file, 1-based and inclusive."""

    path: str
    line: int
    end_line: int

    def __str__(self) -> str:
        """Return the range as in the table of findings."""
        lines = f"L{self.line}" if self.line == self.end_line else f"L{self.line}-{self.end_line}"
        return f"{self.path} {lines}"


class TextEdit(NamedTuple):
    """Replaces the characters ``start`` to ``end`` (exclusive) of a document's text."""

    path: str
    start: int
    end: int
    replacement: str = ""


class Fix(NamedTuple):
    """The edits that fix a finding, applied all or none; a safe fix loses no statement."""

    edits: tuple[TextEdit, ...]
    safe: bool
    description: str


class LintFinding(NamedTuple):
    """A problem in a range of lines.

    ``related`` are its other places, in order. ``tokens`` is its cost in the load set in which it costs most;
    ``wasted`` lists (load set name, tokens) for each affected load set. ``concept`` is the short title for the table,
    ``score`` the similarity of near duplicates. ``essence`` identifies the finding when lines move: normalized text, by
    default that of the reported lines. ``add_fingerprints`` computes ``fingerprint`` from it.
    """

    code: str
    severity: Severity
    path: str
    line: int
    end_line: int
    message: str
    column: int | None = None
    end_column: int | None = None
    related: tuple[LineRange, ...] = ()
    tokens: int = 0
    wasted: tuple[tuple[str, int], ...] = ()
    fix: Fix | None = None
    concept: str = ""
    score: float | None = None
    essence: str = ""
    fingerprint: str = ""

    @property
    def location(self) -> LineRange:
        """Return the lines of the finding."""
        return LineRange(self.path, self.line, self.end_line)
