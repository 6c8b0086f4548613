"""Choose which copy of a statement to keep."""

from collections.abc import Mapping, Sequence

from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.fixes.repetition import repeats
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.paraphrase import is_pointer
from ctxkit.core.lint.similarity.runs import CopyRun

ROLE_ORDER = (
    *(
        FileRole.PROMPT,
        FileRole.INSTRUCTIONS,
        FileRole.TOOLS,
        FileRole.PERSONA,
        FileRole.RULES,
        FileRole.SKILL,
        FileRole.COMMAND,
        FileRole.DOCS,
    ),
    *(FileRole.CONTEXT, FileRole.MEMORY, FileRole.DAILY),
)
"""Roles in the order in which a copy is kept: instructions first, then files on one topic, then memory."""
MAX_KEEPERS = 16
"""Number of the longest near copies that are compared with all others: a text that repeats them is not short."""


def rank_places(
    run: CopyRun, documents: Mapping[str, MarkdownDocument], loads: LoadSetIndex
) -> tuple[int, list[int], list[int]]:
    """Return the number of the place to keep, those that may be removed, and those that belong to another run."""
    units = run.links[0].units

    def rank(number: int) -> tuple[bool, bool, int, int, int]:
        """Return the rank of a place: the lowest is kept."""
        unit = units[number]
        role = ROLE_ORDER.index(documents[unit.path].role)
        return (number >= run.shared_count, is_pointer(unit.text), role, unit.path.count("/"), number)

    keeper, *others = sorted(range(len(units)), key=rank)
    if len(run.links) == 1 and run.score < 1.0 and not run.shared_count:
        keeper, *others = _put_fullest_first([keeper, *others], units, loads)
    return (
        keeper,
        [other for other in others if other >= run.shared_count],
        [other for other in others if other < run.shared_count],
    )


def _put_fullest_first(order: Sequence[int], units: Sequence[Unit], loads: LoadSetIndex) -> list[int]:
    """Return an order of near copies in which the first that can replace all others comes first, if there is any."""

    def replaces(keeper: Unit, copy: Unit) -> bool:
        return repeats(keeper, copy) and loads.is_covered_by(copy.path, keeper.path)

    longest = sorted(order, key=lambda number: -len(units[number].normal))[:MAX_KEEPERS]
    candidates = [number for number in order if number in longest]
    fullest = (number for number in candidates if all(replaces(units[number], units[other]) for other in order))
    first = next(fullest, order[0])
    return [first, *(number for number in order if number != first)]
