"""Define rules, the only source of their texts for the linter, ``explain`` and the documentation."""

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
