"""Evidence that text is the output of a test runner, and not a quotation of such output."""

from collections.abc import Callable, Iterator

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.runs.runner_log import clean_block
from ctxkit.core.lazy_pattern import compile_lazily

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
MIN_CODE_LINES = 3
"""Number of lines of code, or headings, before the first test output that make it a quotation."""
LineScore = Callable[[str], float]
"""Return the confidence that a line is output of the runner, from 0 to 1."""


def score_document(document: InputDocument, line_score: LineScore, enough: float = 0.5) -> float:
    """Return the confidence from the lines at both ends: that of the best line, and a little more for each other score.

    Return 0 if the suffix is that of source or prose, or if the text quotes a run in code fences or below code.
    """
    if document.suffix in SOURCE_SUFFIXES:
        return 0.0
    score = max(
        _score_rows(_clean_rows(document.head), line_score), _score_rows(_clean_rows(document.tail), line_score)
    )
    return min(score, 0.97) if score >= enough else 0.0


def _clean_rows(text: str) -> list[str]:
    return [row.rstrip() for row in clean_block(text).split("\n")]


def _score_rows(rows: list[str], line_score: LineScore) -> float:
    """Return the confidence from the lines outside code fences and not below code."""
    best, seen, code = 0.0, set[float](), 0
    for row in _skip_fenced(rows):
        if code >= MIN_CODE_LINES and not best:
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
