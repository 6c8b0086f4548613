"""Traits of a line beside the other lines that may be quoted: a better line near it, or of its shape, says as much."""

from collections.abc import Sequence
from math import log2

NEAR = 20
"""Number of lines that may be quoted, before and after a line, whose scores are compared with its own."""
LEAST = -20.0
"""Score relative to the best line that stands for a line that does not exist."""


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
