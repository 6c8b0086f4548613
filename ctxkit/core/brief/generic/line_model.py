"""The model of the lines that an agent needs: the weight of each trait.

The weights are those of a conditional logit: among the lines of one output, a line is as likely to state a fact that an
agent needs as the exponential of the sum of its weighted traits. ``python -m bench.brief.line_fitting`` fits them to
outputs of tools and facts that were written down before any map of them was seen, and prints ``WEIGHTS``.
"""

from collections.abc import Mapping
from math import exp

WEIGHTS = {
    "advice": 0.51,
    "after blank": 0.81,
    "after ruler": 0.55,
    "after title": 0.44,
    "after trouble": 0.19,
    "arrow": 0.79,
    "before blank": 0.23,
    "before ruler": 0.15,
    "begins with capital": 0.56,
    "begins with digit": 0.49,
    "begins with small letter": 0.42,
    "capital share": -0.48,
    "capitals": 0.52,
    "code": -1.39,
    "colon": 0.22,
    "columns": -0.11,
    "date": 0.26,
    "deeper": 0.26,
    "depth": -0.38,
    "digit share": 0.87,
    "ends in brace": -0.32,
    "ends in colon": -0.38,
    "equals value": -0.13,
    "error": 0.93,
    "failure": 0.93,
    "first of form": 1.28,
    "first of shape": 0.77,
    "form count": -0.12,
    "hash": -0.63,
    "head distance": -0.18,
    "items": 0.19,
    "last of form": 0.54,
    "last of shape": 0.78,
    "length": -0.68,
    "lines of trouble": 0.04,
    "long": 0.37,
    "margin": 0.06,
    "mark share": -1.70,
    "mention": 0.55,
    "negation": 0.43,
    "no word": -0.83,
    "number": 0.51,
    "opens": 0.29,
    "path": 0.22,
    "percent": -0.50,
    "place": 0.86,
    "quotation": 0.30,
    "rarest word": -0.05,
    "result": 0.42,
    "ruler": -1.20,
    "shallower": 0.19,
    "shape count": -0.17,
    "shape share": -0.03,
    "short": -0.12,
    "single form": 1.28,
    "single shape": 0.79,
    "success": -0.26,
    "summary": 0.33,
    "tag": 0.50,
    "tail distance": -0.25,
    "title": 1.29,
    "unique word share": -0.67,
    "unique words": 0.22,
    "unit": 0.19,
    "url": -0.87,
    "warning": -0.11,
    "word count": -0.18,
    "word rarity": 0.72,
}


def rate_line(traits: Mapping[str, float]) -> float:
    """Return how likely an agent needs a line, relative to the other lines of its text."""
    return exp(sum(WEIGHTS[name] * value for name, value in traits.items()))
