"""How likely an agent needs each line that may be quoted: rated by itself first, then beside the others."""

from collections.abc import Iterable, Sequence
from math import exp

from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.headings import HeadingGroup
from ctxkit.core.brief.generic.line_context import measure_context
from ctxkit.core.brief.generic.line_model import CONTEXT_WEIGHTS, WEIGHTS, score_line
from ctxkit.core.brief.generic.line_traits import LineTraits


def rate_lines(forms: LineForms, numbers: Sequence[int], groups: Iterable[HeadingGroup]) -> dict[int, float]:
    """Return how likely an agent needs each of the lines ``numbers``, relative to the others; they are in order."""
    traits = LineTraits(forms, numbers, groups)
    rows = [traits.list_parts(number) for number in numbers]
    parts = {id(part): part for row in rows for part in row}
    first = {key: score_line(part, WEIGHTS) for key, part in parts.items()}
    second = {key: score_line(part, CONTEXT_WEIGHTS) for key, part in parts.items()}
    scores = [sum([first[id(part)] for part in row]) for row in rows]
    contexts = measure_context(scores, [forms.shapes[forms.form_of(number)] for number in numbers])
    return {
        number: exp(sum([second[id(part)] for part in row]) + score_line(context, CONTEXT_WEIGHTS))
        for number, row, context in zip(numbers, rows, contexts, strict=True)
    }
