"""Test runners as tables: which lines of a log have which role, and how names, messages and places are cut out."""

import re
from collections.abc import Callable, Iterator, Sequence, Set
from functools import cached_property
from itertools import islice

from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.outline import Entry, Outline
from ctxkit.core.brief.runs.failures import (
    FAR,
    NEAR,
    FailedTest,
    FailureDetail,
    FailureReader,
    FailureReading,
    merge_repeated,
    quote_row,
)
from ctxkit.core.brief.runs.folded_names import choose_failures
from ctxkit.core.brief.runs.pytest_markers import Marker, strip_decorations
from ctxkit.core.brief.runs.report import (
    END_LINES,
    FailureLine,
    LogRange,
    Report,
    ReportContent,
    quote_ending,
    quote_notes,
    quote_summaries,
)
from ctxkit.core.brief.runs.runner_log import Rows, TestLog, clean_block, parse_test_log
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, replace
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.severity import find_error_lines

MAX_QUOTED_LINES = 12
"""Maximum number of error lines outside blocks that are quoted."""
_LEAST_SCORE = 0.5
"""Confidence of a line below which a document is not output of a runner."""
_MAX_SEARCHED_LINES = 4_000
"""Maximum number of lines before and after the blocks that are searched for error lines."""
LEVEL, WORD = re.compile(r" \u203a | > |::"), re.compile(r" \u203a | > |::| ")
"""Patterns of what stands between the parts of a test's full name, and between these or its words."""
_MAX_LEVELS = 8
_MANY = 12
"""Number of failures from which their files stand before them."""
_FILE_OR_MODULE = re.compile(r"\w[./\\]\w")
_SUFFIXES = (
    "py pyi js jsx ts tsx mjs cjs rs go rb php c h cc cpp hpp java kt swift "
    "cs md rst adoc html htm css scss lua sh yml yaml toml ipynb json jsonl patch diff sql tex"
)
SOURCE_SUFFIXES = frozenset(_SUFFIXES.split())
"""Suffixes of files that are not logs."""
CODE = compile_lazily(
    r"(?:import|from|package|use|using|#include|require|module|class|def|fn|pub|func|function|const|let|var|describe|"
    r"export|public|namespace|struct|enum|interface|impl|mod|@\w+|<\?php|#!/|\"\"\"|''')\b|[A-Z_]{3,} = "
)
"""Pattern of lines of source code at the margin; runners indent the code that they quote."""
FENCE = compile_lazily(r"\s*(?:```|~~~)")
HEADING = compile_lazily(r"#{1,4} [A-Z]")
_MIN_CODE_LINES = 3
"""Number of lines of code, or headings, before the first test output that make it a quotation."""
LineScore = Callable[[str], float]
"""Return the confidence that a line is output of the runner, from 0 to 1."""
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
        _read_blocks(document, self.reading, test_log.failures)
        return outline_test_log(document, self.name, test_log, closed=_is_complete(test_log))

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


def _read_blocks(document: InputDocument, reading: FailureReading, failures: Sequence[FailedTest]) -> None:
    """Read the blocks of failures that have no details, as many as the target may hold."""
    reader = FailureReader(document.lines, reading)
    unread = [failure for failure in failures if not failure.details]
    read, compared = choose_failures(unread, document.target // 8)
    for failure in read:
        reader.read(failure)
    for failure in compared:
        reader.compare(failure)
    _group_by_file(failures)


def outline_test_log(document: InputDocument, name: str, test_log: TestLog, *, closed: bool) -> Sequence[Outline]:
    """Return outlines of a parsed log, whose blocks are read."""
    test_log.named = _drop_reported(test_log)
    named = [FailureLine(marker.number, marker.text, marker.text) for marker in test_log.named]
    left = test_log.failures_left_out
    content = ReportContent(
        name,
        [*quote_summaries(test_log.summaries, closed=closed), *quote_notes(test_log.notes)],
        test_log.failures,
        named,
        _list_ranges(document.lines, test_log),
        [] if closed else quote_ending(document.lines, END_LINES[not (test_log.failures or named)]),
        [Entry(f"{left:,} more failing tests", test_log.last, test_log.last, 1)] if left else [],
    )
    return Report(document, content).build_outlines()


def _group_by_file(failures: Sequence[FailedTest]) -> None:
    """Put the file that their blocks name before the suites of many failures, if all blocks name one and no suite does.

    Of few failures, the map quotes the place of each.
    """
    named = (failure.path and not _FILE_OR_MODULE.search(failure.group) for failure in failures)
    if len(failures) >= _MANY and all(named):
        for failure in failures:
            failure.group = ": ".join(filter(None, (failure.path, failure.group)))


def _drop_reported(test_log: TestLog) -> list[Marker]:
    """Return the first line that names each failing test without a block."""
    reported = {name for failure in test_log.failures for name in _list_name_parts(failure)}
    markers: dict[str, Marker] = {}
    for marker in test_log.named:
        if marker.text not in reported:
            markers.setdefault(marker.text, marker)
    return list(markers.values())


def _list_name_parts(failure: FailedTest) -> Iterator[str]:
    """Yield what a line may call a failing test: its name without some of its first or last parts."""
    yield from (failure.name, failure.short_name)
    ends = [match.start() for match in LEVEL.finditer(failure.name)][:_MAX_LEVELS]
    for match in WORD.finditer(failure.name):
        yield failure.name[match.end() :]
        yield from (failure.name[match.end() : end] for end in ends if end > match.end())
    yield from (failure.name[:end] for end in ends)
    test, _, parameters = failure.name.rpartition(") (")
    if test and parameters.endswith(")"):
        yield f"{test})"  # the test of a subtest of unittest: ``test_a (m.T.test_a) (i=1)``


def _list_ranges(lines: IndexedLines, test_log: TestLog) -> list[LogRange]:
    """Return the ranges before the first failing test and after the last one, with their error lines."""
    blocks = [(failure.start, failure.end) for failure in test_log.failures]
    blocks += [(marker.number, marker.number) for marker in (*test_log.named, *test_log.summaries)]
    first, last = min(blocks, default=(1, 0))[0], max((end for _, end in blocks), default=lines.total)
    known = {marker.number for marker in (*test_log.notes, *test_log.summaries, *test_log.named)}
    ranges = []
    what = "these failing tests and summaries" if test_log.failures or test_log.named else "the summaries"
    for title, start, end in (("before", 1, first - 1), ("after", last + 1, lines.total)):
        rows = list(islice(lines.enumerate_lines(start, min(end, start + 2)), 3)) if start <= end else []
        if any(text.strip() for _, text in rows):
            details = _quote_details(lines, start, end, rows, known)
            ranges.append(LogRange(f"output {title} {what}", start, end, details))
    return ranges


def _quote_details(
    lines: IndexedLines, start: int, end: int, rows: Sequence[tuple[int, str]], known: Set[int]
) -> list[FailureDetail]:
    """Return the error lines of a range, then its first ``rows``, without lines that are quoted elsewhere."""
    error_rows = islice(find_error_lines(lines, start, min(end, start + _MAX_SEARCHED_LINES)), MAX_QUOTED_LINES)
    trouble = [row for row in error_rows if row[0] not in known]
    quoted_lines = {number for number, _ in trouble} | known
    return [
        *(
            FailureDetail(NEAR, step, quote_row((n, strip_decorations(text))))
            for step, (n, text) in enumerate(trouble)
        ),
        *(
            FailureDetail(FAR, step, quote_row((n, strip_decorations(text))))
            for step, (n, text) in enumerate(rows)
            if text.strip() and n not in quoted_lines
        ),
    ]


def score_document(document: InputDocument, line_score: LineScore) -> float:
    """Return the confidence from the lines at both ends: that of the best line, and a little more for each other score.

    Return 0 if that is low, if the suffix is that of source or prose, or if the text quotes a run in code fences or
    below code.
    """
    if document.suffix in SOURCE_SUFFIXES:
        return 0.0
    score = max(
        _score_rows(_clean_rows(document.head), line_score), _score_rows(_clean_rows(document.tail), line_score)
    )
    return min(score, 0.97) if score >= _LEAST_SCORE else 0.0


def _clean_rows(text: str) -> list[str]:
    return [row.rstrip() for row in clean_block(text).split("\n")]


def _score_rows(rows: list[str], line_score: LineScore) -> float:
    """Return the confidence from the lines outside code fences and not below code."""
    best, seen, code = 0.0, set[float](), 0
    for row in _skip_fenced(rows):
        if code >= _MIN_CODE_LINES and not best:
            return 0.0
        score = line_score(row)
        if score:
            best = max(best, score)
            seen.add(score)
        elif not best and (CODE.match(row) or HEADING.match(row)):
            code += 1
    return best + 0.02 * (len(seen) - 1) if best else 0.0


def _skip_fenced(rows: list[str]) -> Iterator[str]:
    """Yield the lines outside Markdown code fences."""
    inside = False
    for row in rows:
        if FENCE.match(row):
            inside = not inside
        elif row and not inside:
            yield row
