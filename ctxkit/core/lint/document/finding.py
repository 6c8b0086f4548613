"""What a rule finds, and how it could be mended."""

from typing import NamedTuple

from ctxkit.core.lint.document.rule import Severity


class LineRange(NamedTuple):
    """Name lines of a file, 1-based and inclusive."""

    path: str
    line: int
    end_line: int

    def __str__(self) -> str:
        """Return the place as the table of findings names it."""
        lines = f"L{self.line}" if self.line == self.end_line else f"L{self.line}-{self.end_line}"
        return f"{self.path} {lines}"


class TextEdit(NamedTuple):
    """Replace the characters ``start`` to ``end`` (exclusive) of a document's text."""

    path: str
    start: int
    end: int
    replacement: str = ""


class Fix(NamedTuple):
    """Hold the edits that mend a finding: all of them, or none. A safe one loses no statement."""

    edits: tuple[TextEdit, ...]
    safe: bool
    description: str


class LintFinding(NamedTuple):
    """Say what is wrong where.

    ``related`` are the other places that it is about, in order. ``tokens`` is what it costs in the load set in
    which it costs most; ``wasted`` gives (name of the load set, tokens) of each in which it costs any. ``concept``
    is the short title for the table, ``score`` the likeness for near duplicates. ``essence`` is what identifies
    the finding when lines move (the normalised text that it is about; the reported lines where empty), and
    ``fingerprint`` what comes of that: check() fills it in.
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
        """Return where the finding is reported."""
        return LineRange(self.path, self.line, self.end_line)
