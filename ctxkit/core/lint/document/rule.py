"""What a rule is: the one source of what the linter, ``explain`` and the documentation say of it."""

from enum import IntEnum
from typing import Literal, NamedTuple


class Severity(IntEnum):
    """Say how much a finding matters; the higher, the more."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """Return how it is written in settings and output."""
        return self.name.lower()


INFO, WARNING, ERROR = Severity.INFO, Severity.WARNING, Severity.ERROR


class Rule(NamedTuple):
    """Describe one rule.

    ``fix`` is the best that the linter can do about a finding. ``bad`` and ``good`` are examples as they stand
    in a file. ``evidence`` says where the rule comes from, and what was measured.
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
