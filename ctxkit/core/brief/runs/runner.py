"""Test runners as tables: which lines of a log have which role, and how names, messages and places are cut out."""

import re
from collections.abc import Callable, Sequence
from functools import cached_property

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import score_document
from ctxkit.core.brief.runs.failures import FailedTest, FailureReading, merge_repeated
from ctxkit.core.brief.runs.results import outline_test_log
from ctxkit.core.brief.runs.runner_log import Rows, TestLog, parse_test_log
from ctxkit.core.quick_dataclass import dataclass, replace

Scores = Sequence[tuple[float, str]]
"""Confidences, each with the pattern of a whole line that shows them; the first that matches counts."""


@dataclass(frozen=True)
class Runner:
    """Describe the output of a test runner: all that the engine needs to detect it and to map it.

    ``clues`` are those of the kind, ``rows`` give lines their roles, and ``scores`` say how much a line shows that a
    log is of this runner. ``reading`` reads the blocks of failures. ``split`` is the pattern of a full name, with the
    groups ``group``, ``name`` and, if something follows the name, ``rest``. A name that it does not match is that of
    a file which could not run if ``unsplit_is_error``. If any summary matches ``bad``, only those are quoted.
    ``strict`` and ``shared`` are those of ``TestLogParser``. ``finish`` adjusts the parsed log for what no row
    describes.
    """

    name: str
    rows: Rows
    scores: Scores
    reading: FailureReading
    clues: Clues = Clues()
    types: Sequence[str] = ()
    split: str = ""
    unsplit_is_error: bool = False
    bad: str = ""
    strict: bool = False
    shared: bool = False
    finish: Callable[[TestLog, InputDocument], None] | None = None

    @cached_property
    def _match_scores(self) -> Callable[[str], re.Match[str] | None]:
        return re.compile("|".join(f"(?P<s{at}>{pattern})" for at, (_, pattern) in enumerate(self.scores))).fullmatch

    def score_line(self, row: str) -> float:
        """Return the confidence that a line is output of the runner, from 0 to 1."""
        match = self._match_scores(row)
        return self.scores[int((match.lastgroup or "s0")[1:])][0] if match else 0.0

    def sniff(self, document: InputDocument) -> float:
        """Return the confidence that the text is output of the runner."""
        return score_document(document, self.score_line)

    def outline(self, document: InputDocument) -> Sequence[Outline] | None:
        """Return outlines of the results and failing tests, from the most detailed to the shortest, or None."""
        test_log = parse_test_log(document.lines, self.rows, strict=self.strict, shared=self.shared)
        self._split_names(test_log.failures)
        if self.bad:
            bad = [marker for marker in test_log.summaries if re.match(self.bad, marker.text)]
            test_log.summaries = bad or test_log.summaries
        if self.finish:
            self.finish(test_log, document)
        if test_log.is_empty:
            return None
        test_log.failures = merge_repeated(test_log.failures)
        return outline_test_log(document, self.name, self.reading, test_log, closed=_is_complete(test_log))

    def without_sections(self) -> "Runner":
        """Return the runner for logs that lack the line above the failures."""
        return replace(self, strict=False)

    def _split_names(self, failures: Sequence[FailedTest]) -> None:
        pattern = re.compile(self.split) if self.split else None
        for failure in failures:
            match = pattern.fullmatch(failure.name) if pattern else None
            if match:
                parts = match.groupdict()
                failure.group, failure.short_name = parts["group"], parts["name"] + parts.get("rest", "")
            elif pattern:
                failure.group = failure.name if self.unsplit_is_error else ""
                failure.is_error = self.unsplit_is_error


def _is_complete(test_log: TestLog) -> bool:
    """Return whether a summary precedes or follows all failures."""
    last = max((failure.start for failure in test_log.failures), default=0)
    early = test_log.summaries and test_log.failures and test_log.summaries[0].number < test_log.failures[0].start
    return bool(test_log.summaries) and (test_log.summaries[-1].number > last or bool(early))
