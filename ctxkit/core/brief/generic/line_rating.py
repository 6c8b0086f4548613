"""Rate lines by a fitted model of their traits and of the lines around them."""

from collections.abc import Iterable, Mapping, Sequence
from math import exp, log2

from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.headings import HeadingGroup
from ctxkit.core.brief.generic.line_traits import LineTraits

WEIGHTS = {
    "advice": 0.37,
    "after blank": 0.37,
    "after header": 0.12,
    "after ruler": 0.39,
    "after title": 0.30,
    "after trouble": 0.27,
    "arrow": 0.74,
    "before blank": 0.24,
    "before long run": 0.29,
    "before ruler": -0.19,
    "begins with capital": 0.31,
    "begins with digit": -0.09,
    "begins with small letter": 0.22,
    "block after": -0.00,
    "block before": -0.13,
    "capital share": -0.11,
    "capitals": 0.31,
    "code": -1.72,
    "colon": 0.45,
    "columns": -0.25,
    "date": 0.10,
    "decimal": 0.29,
    "deeper": 0.29,
    "depth": -0.36,
    "digit share": 1.03,
    "ends in brace": -0.58,
    "ends in colon": -0.60,
    "equals value": -0.05,
    "error": 1.07,
    "failure": 0.80,
    "first of form": 0.84,
    "first of run": 0.47,
    "first of shape": 0.41,
    "form count": -0.14,
    "hash": -0.38,
    "head distance": -0.09,
    "header": 0.29,
    "heading": 0.28,
    "heading count": -0.04,
    "items": 0.33,
    "key value": 0.24,
    "largest number": 0.54,
    "last lines": 0.66,
    "last of form": 0.52,
    "last of run": 0.34,
    "last of shape": 0.16,
    "length": -0.59,
    "lines of trouble": -0.02,
    "long": 0.29,
    "margin": 0.19,
    "mark share": -1.60,
    "mention": 0.73,
    "negation": 0.51,
    "new shapes": 0.36,
    "no word": -0.48,
    "number": 0.46,
    "odd between": -0.02,
    "opens": 0.10,
    "path": 0.27,
    "percent": 0.03,
    "place": 0.54,
    "quotation": 0.38,
    "rare cell": 0.28,
    "rare cells": 0.18,
    "rarest word": -0.04,
    "result": 0.13,
    "ruler": -1.47,
    "run above": 0.05,
    "run below": -0.02,
    "shallower": 0.15,
    "shape change": 0.15,
    "shape count": -0.16,
    "shape share": -0.33,
    "short": -0.10,
    "single form": 1.07,
    "single in run": 0.39,
    "single shape": 0.42,
    "strong heading": 0.88,
    "success": 0.04,
    "summary": 0.60,
    "tag": -0.01,
    "tail distance": -0.10,
    "title": 0.56,
    "unique word share": -0.73,
    "unique words": 0.31,
    "unit": 0.09,
    "url": -0.48,
    "warning": 0.28,
    "word count": -0.22,
    "word rarity": 0.73,
}
CONTEXT_WEIGHTS = {
    "advice": 0.17,
    "after blank": 0.17,
    "after header": 0.03,
    "after ruler": 0.21,
    "after title": 0.15,
    "after trouble": 0.14,
    "arrow": 0.36,
    "before blank": 0.13,
    "before long run": 0.09,
    "before ruler": -0.12,
    "begins with capital": 0.17,
    "begins with digit": -0.07,
    "begins with small letter": 0.10,
    "below best of shape": -0.15,
    "best score near": 0.16,
    "block after": -0.01,
    "block before": -0.06,
    "capital share": -0.12,
    "capitals": 0.15,
    "code": -1.15,
    "colon": 0.25,
    "columns": -0.11,
    "date": 0.04,
    "decimal": 0.14,
    "deeper": 0.20,
    "depth": -0.22,
    "digit share": 0.58,
    "ends in brace": -0.36,
    "ends in colon": -0.32,
    "equals value": -0.03,
    "error": 0.64,
    "failure": 0.39,
    "first of form": 0.54,
    "first of run": 0.19,
    "first of shape": 0.10,
    "form count": -0.10,
    "hash": -0.18,
    "head distance": -0.03,
    "header": 0.18,
    "heading": 0.13,
    "heading count": -0.03,
    "items": 0.15,
    "key value": 0.16,
    "largest number": 0.21,
    "last lines": 0.34,
    "last of form": 0.34,
    "last of run": 0.15,
    "last of shape": -0.05,
    "length": -0.30,
    "lines of trouble": -0.02,
    "long": 0.14,
    "margin": 0.07,
    "mark share": -0.90,
    "mention": 0.42,
    "negation": 0.26,
    "new shapes": 0.17,
    "no word": -0.32,
    "number": 0.24,
    "odd between": -0.01,
    "opens": 0.02,
    "path": 0.13,
    "percent": 0.05,
    "place": 0.33,
    "quotation": 0.16,
    "rank in shape": -0.12,
    "rank near": -0.27,
    "rare cell": 0.10,
    "rare cells": 0.06,
    "rarest word": -0.02,
    "result": 0.05,
    "ruler": -1.38,
    "run above": 0.03,
    "run below": -0.02,
    "score": 0.11,
    "score rank": -0.09,
    "shallower": 0.11,
    "shape change": 0.01,
    "shape count": -0.07,
    "shape share": 0.06,
    "short": -0.08,
    "single form": 0.65,
    "single in run": 0.15,
    "single shape": 0.09,
    "strong heading": 0.43,
    "success": 0.04,
    "summary": 0.47,
    "tag": -0.05,
    "tail distance": -0.04,
    "title": 0.30,
    "unique word share": -0.32,
    "unique words": 0.16,
    "unit": 0.07,
    "url": -0.21,
    "warning": 0.22,
    "word count": -0.11,
    "word rarity": 0.34,
}
NEAR = 20
"""Number of lines that may be quoted, before and after a line, whose scores are compared with its own."""
LEAST = -20.0
"""Score relative to the best line that stands for a line that does not exist."""


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


def score_line(traits: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return the logarithm of how likely an agent needs a line, up to a term that all lines of its text share."""
    return sum([weights[name] * value for name, value in traits.items()])


def measure_context(scores: Sequence[float], shapes: Sequence[int]) -> list[dict[str, float]]:
    """Return traits of lines by their first scores, the logarithms of how likely they are needed, and their shapes.

    Lines are in the order of the text. The time is linear in the number of lines, but for sorting the scores.
    """
    best = max(scores, default=0.0)
    relative = [score - best for score in scores]
    contexts: list[dict[str, float]] = [{} for _ in relative]
    shape_best: dict[int, float] = {}
    shape_counts: dict[int, int] = {}
    for rank, place in enumerate(sorted(range(len(relative)), key=lambda place: -relative[place])):
        score, shape = relative[place], shapes[place]
        before = shape_counts.get(shape, 0)
        shape_counts[shape] = before + 1
        contexts[place] = {
            "score": score,
            "score rank": log2(1 + rank),
            "rank in shape": log2(1 + before),
            "below best of shape": score - shape_best.setdefault(shape, score),
        } | _measure_near(relative, place)
    return contexts


def _measure_near(scores: Sequence[float], place: int) -> dict[str, float]:
    """Return the best score near a line, and the rank of the line there."""
    score = scores[place]
    near = [*scores[max(place - NEAR, 0) : place], *scores[place + 1 : place + 1 + NEAR]]
    return {
        "best score near": max(near, default=LEAST),
        "rank near": log2(1 + sum(map(score.__le__, near))),
    }
