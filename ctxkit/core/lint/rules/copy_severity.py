"""Choose the rule that a copied run breaks, and its severity."""

from collections.abc import Sequence

from ctxkit.core.lint.document.finding import LineRange
from ctxkit.core.lint.document.normal import count_words
from ctxkit.core.lint.document.rule import INFO, WARNING, Severity
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.similarity.form_fields import is_parallel_pair, read_field_value
from ctxkit.core.lint.similarity.pair_comparison import SURE_SIMILARITY
from ctxkit.core.lint.similarity.paraphrase import points_to
from ctxkit.core.lint.similarity.runs import MIN_RUN, CopyRun
from ctxkit.core.lint.similarity.statement_traits import make_bag, read_label

SURE_RUN_SIMILARITY = 0.7
"""Minimum mean similarity of a copied run for a warning: a shared order of statements is evidence in itself."""
SURE_ROW_SIMILARITY = 0.85
"""Minimum similarity of a table row and a statement for a warning: an overview names what the text tells to do."""
MAX_SHORT_WORDS, MAX_FIELD_WORDS = 5, 7
"""Maximum words of a copied bullet, and of a labelled bullet, that may mean something else under another heading."""


def choose_code(run: CopyRun, places: Sequence[LineRange]) -> tuple[str, Severity]:
    """Return the rule and the severity of a run at its places, of which the first is kept."""
    if run.drifted_links:
        return "DUP006", INFO if _is_parallel(run) else WARNING
    if is_pointer_pair(run, places):
        return "DUP007", INFO
    sure = run.mean >= SURE_RUN_SIMILARITY if len(run.links) >= MIN_RUN else run.score >= SURE_SIMILARITY
    severity = WARNING if sure else INFO
    if len(places) > 2:
        return "DUP004", _adjust_severity(run, severity)
    if run.score < 1.0:
        return "DUP003", _adjust_severity(run, severity)
    if len(run.links) >= MIN_RUN:
        return "DUP005", WARNING
    return ("DUP001" if len({place.path for place in places}) == 1 else "DUP002"), _adjust_severity(run, severity)


def is_pointer_pair(run: CopyRun, places: Sequence[LineRange]) -> bool:
    """Return whether a statement is similar to one of a file that it refers to."""
    if len(run.links) > 1 or len(places) > 2 or run.score == 1.0 or places[0].path == places[1].path:
        return False
    pointer = next(unit for unit in run.links[0].units if LineRange(unit.path, unit.line, unit.end_line) == places[1])
    return points_to(pointer.text, places[0].path)


def _is_parallel(run: CopyRun) -> bool:
    """Return whether a short run under two titles of one file describes two things in the same form."""
    first, second, *_ = run.links[0].units
    return first.path == second.path and first.section != second.section and len(run.links) < 2 * MIN_RUN


def _adjust_severity(run: CopyRun, severity: Severity) -> Severity:
    """Return INFO for short statements under different headings of a file, which may have different subjects."""
    units = run.links[0].units
    if len(run.links) == 1 and is_parallel_pair(units[0], units[1]):
        return INFO
    if run.score < SURE_ROW_SIMILARITY and len({unit.kind == "row" for unit in units}) > 1:
        return INFO
    if len(run.links) > 1 or units[0].kind == "code" or len({unit.path for unit in units}) > 1:
        return severity
    apart = len({unit.section[-1:] for unit in units}) > 1
    labelled = run.score == 1.0 and all(read_label(unit.text) for unit in units)
    longer = labelled or any(_has_own_words(units[0], unit) for unit in units[1:])
    brief = count_words(units[0].normal) < (MAX_FIELD_WORDS if longer else MAX_SHORT_WORDS)
    return INFO if apart and brief else severity


def _has_own_words(first: Unit, second: Unit) -> bool:
    """Return whether each of two statements has a content word that the other lacks; a label is none."""
    value = read_field_value(first)
    if value and value == read_field_value(second):
        return False
    words, others = make_bag(first.normal), make_bag(second.normal)
    return not words <= others and not others <= words
