"""The model of the lines that an agent needs: the weight of each trait.

The weights are those of a conditional logit: among the lines of one output, a line is as likely to state a fact that an
agent needs as the exponential of the sum of its weighted traits. ``python -m bench.brief.line_fitting`` fits them to
outputs of tools and facts that were written down before any map of them was seen, and prints ``WEIGHTS``.
"""

from collections.abc import Mapping
from math import exp

WEIGHTS = {
    "advice": 0.46,
    "after blank": 0.81,
    "after ruler": 0.48,
    "after title": 0.40,
    "after trouble": 0.30,
    "arrow": 0.81,
    "before blank": 0.23,
    "before ruler": 0.21,
    "begins with capital": 0.61,
    "begins with digit": 0.46,
    "begins with small letter": 0.46,
    "capital share": -0.52,
    "capitals": 0.54,
    "code": -1.43,
    "colon": 0.35,
    "columns": -0.14,
    "date": 0.28,
    "deeper": 0.22,
    "depth": -0.36,
    "digit share": 0.80,
    "ends in brace": -0.24,
    "ends in colon": -0.47,
    "equals value": -0.20,
    "error": 1.03,
    "failure": 0.89,
    "first of form": 1.24,
    "first of shape": 0.82,
    "form count": -0.10,
    "hash": -0.62,
    "head distance": -0.16,
    "items": 0.20,
    "last of form": 0.54,
    "last of shape": 0.76,
    "length": -0.58,
    "lines of trouble": 0.01,
    "long": 0.23,
    "margin": 0.07,
    "mark share": -1.61,
    "mention": 0.65,
    "negation": 0.47,
    "no word": -0.78,
    "number": 0.49,
    "opens": 0.25,
    "path": 0.21,
    "percent": -0.40,
    "place": 0.89,
    "quotation": 0.32,
    "rarest word": -0.06,
    "result": 0.42,
    "ruler": -1.19,
    "shallower": 0.23,
    "shape count": -0.16,
    "shape share": -0.05,
    "short": -0.09,
    "single form": 1.31,
    "single shape": 0.84,
    "success": -0.28,
    "summary": 0.39,
    "tag": 0.52,
    "tail distance": -0.22,
    "title": 1.30,
    "unique word share": -0.78,
    "unique words": 0.24,
    "unit": 0.20,
    "url": -0.82,
    "warning": 0.11,
    "word count": -0.20,
    "word rarity": 0.74,
}


def rate_line(traits: Mapping[str, float]) -> float:
    """Return how likely an agent needs a line, relative to the other lines of its text."""
    return exp(sum(WEIGHTS[name] * value for name, value in traits.items()))
