"""Compare the outcomes of tests in two runs, by the lines in which runners name them."""

import re
from collections.abc import Iterable
from typing import NamedTuple

MAX_LINE = 500
"""Bytes of the longest line that names a test."""
_PATTERNS = (
    re.compile(rb"^(?P<name>(?=\S*::)\S{1,300}(?: [^\n]{0,200}?)?) (?P<state>PASSED|FAILED|ERROR)\b"),  # pytest -v
    re.compile(rb"^(?P<state>PASSED|FAILED|ERROR) (?P<name>\S+::\S+)"),  # pytest's summary
    re.compile(rb"^test (?P<name>\S+) \.\.\. (?P<state>ok|FAILED)$"),  # cargo test
    re.compile(rb"^ *--- (?P<state>PASS|FAIL): (?P<name>\S+) \("),  # go test
    re.compile(rb"^(?P<name>test\w* \([\w.]+\)) \.\.\. (?P<state>ok|FAIL|ERROR)$"),  # unittest -v
    re.compile(rb"^(?P<state>ok|not ok) \d+ (?:- )?(?P<name>\S[^\n]{0,200})$"),  # TAP
)
_PASSED = (b"PASSED", b"ok", b"PASS")


class OutcomeChange(NamedTuple):
    """Tests that fail now and did not, that pass now and failed, and that are no longer named as failing."""

    failing: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()

    def describe(self) -> list[str]:
        """Return a sentence for each kind of change."""
        rows = (
            ("newly failing", self.failing),
            ("newly passing", self.passing),
            ("no longer named as failing", self.unnamed),
        )
        return [f"{title}: {', '.join(names)}" for title, names in rows if names]


def read_outcomes(lines: Iterable[bytes]) -> dict[str, bool]:
    """Return whether each test that a line names has passed; a failure outweighs a pass."""
    outcomes: dict[str, bool] = {}
    for line in lines:
        row = line.rstrip()
        if not row or len(row) > MAX_LINE:
            continue
        for pattern in _PATTERNS:
            if match := pattern.match(row):
                name = match["name"].decode("utf-8", "surrogateescape")
                outcomes[name] = outcomes.get(name, True) and match["state"] in _PASSED
                break
    return outcomes


def compare_outcomes(old: Iterable[bytes], new: Iterable[bytes]) -> OutcomeChange:
    """Return the tests whose outcome differs between two runs."""
    before, after = read_outcomes(old), read_outcomes(new)
    failed = [name for name, passed in before.items() if not passed]
    return OutcomeChange(
        tuple(name for name, passed in after.items() if not passed and before.get(name, True)),
        tuple(name for name in failed if after.get(name)),
        tuple(name for name in failed if name not in after),
    )
