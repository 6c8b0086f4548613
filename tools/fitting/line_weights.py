"""Fit the model of the lines that an agent needs: ``python -m tools.fitting.line_weights [--check]`` prints weights.

The outputs are those of the halves that may be looked at, and those of the corpus `fresh`. A line is right if it states
a fact. The model is a conditional logit: of each fact, the lines that state it compete with all others of its output.
It is fitted twice: to the traits of each line, then also to its place among the lines as the first model rates them.
``--check`` fits both without each sixth of the outputs in turn, and measures them there.
"""

import argparse
import json
import os
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, log, sqrt
from pathlib import Path

from bench.brief.facts import AFTER, BEFORE, Fact, FreshCase, read_cases, read_facts
from bench.brief.fresh import FOLDER
from bench.claims import ESCAPE
from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.headings import DEEPEST, find_headings
from ctxkit.core.brief.generic.line_choice import list_candidates
from ctxkit.core.brief.generic.line_rating import CONTEXT_WEIGHTS, WEIGHTS, measure_context
from ctxkit.core.brief.generic.line_traits import LineTraits
from ctxkit.core.text.lines import lines_from_bytes

HALVES = ("dev", "dev2", "dev3", "dev4", "dev5", "dev6", "dev7", "dev8")
MAX_LINES = 600
"""Number of candidates for quotation that compete with the lines that state a fact."""
PENALTY = 20.0
"""Weight of the squared coefficients: the traits are scaled to variance 1, the loss is summed over all facts.

Chosen by cross-validation.
"""
STEPS, RATE, DECAYS = 80, 0.15, (0.9, 0.999)
"""Number of steps of the fit (Adam), their first size, and the decays of the averages of gradient and its square."""
FOLDS = 6
RANKS = (10, 20, 40)

CONTEXT_NAMES = tuple(name for name in CONTEXT_WEIGHTS if name not in WEIGHTS)
"""Names of the traits that only the second model has; in its table they follow those of the first."""

Row = list[tuple[int, float]]
"""The traits of a line by their places in the table of weights, without those that are 0."""


@dataclass(frozen=True)
class Example:
    """Hold an output: the traits and shapes of its lines, and for each fact the places of the lines that state it."""

    name: str
    rows: list[Row]
    facts: list[list[int]]
    shapes: list[int]


def read_outputs(corpora: str | None) -> Iterator[FreshCase]:
    """Yield the outputs with their facts; those of the corpora are left out if these are not here."""
    for half in HALVES:
        yield from read_cases(FOLDER / f"{half}.tar.xz")
    for path in sorted(Path(corpora, "fresh").glob("*/questions.json")) if corpora else ():
        facts = tuple(read_facts(json.loads(path.read_bytes())))
        yield FreshCase(path.parent.name, path.with_name("input").read_bytes(), facts)


def make_example(case: FreshCase, names: Sequence[str]) -> Example:
    """Return an output as lines and facts."""
    forms = LineForms(lines_from_bytes(case.data))
    texts = [ESCAPE.sub("", text) for _, text in forms.lines.enumerate_lines()]
    stated = [set(_find_lines(fact, texts)) for fact in case.facts]
    right = {number for numbers in stated for number in numbers if forms.form_of(number)}
    numbers = sorted(right.union(list_candidates(forms, MAX_LINES)))
    places = {number: place for place, number in enumerate(numbers)}
    columns = {name: column for column, name in enumerate(names)}
    traits = LineTraits(forms, numbers, find_headings(forms, DEEPEST))
    rows = [[(columns[n], value) for n, value in traits.measure(number).items() if value] for number in numbers]
    facts = [sorted(places[number] for number in each if number in places) for each in stated]
    shapes = [forms.shapes[forms.form_of(number)] for number in numbers]
    return Example(case.name, rows, [fact for fact in facts if fact], shapes)


def add_context(example: Example, weights: Sequence[float]) -> Example:
    """Return an output whose lines also have the traits of their place among the others, rated by the first weights."""
    columns = {name: len(weights) + place for place, name in enumerate(CONTEXT_NAMES)}
    contexts = measure_context(_score(example, weights), example.shapes)
    places = [[(columns[name], value) for name, value in context.items() if value] for context in contexts]
    return replace(example, rows=[row + place for row, place in zip(example.rows, places, strict=True)])


def _find_lines(fact: Fact, texts: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of the lines that state a fact, or that lead to a place to read on."""
    if fact.pattern:
        yield from (number for number, text in enumerate(texts, 1) if re.search(fact.pattern, text))
    elif fact.line:
        first, last = max(fact.line - AFTER, 1), min(fact.line + BEFORE, len(texts))
        yield from (number for number in range(first, last + 1) if re.search(fact.label or "", texts[number - 1]))


def measure_scales(examples: Sequence[Example], size: int) -> list[float]:
    """Return the standard deviation of each trait over all lines."""
    total = sum(len(example.rows) for example in examples)
    sums, squares = [0.0] * size, [0.0] * size
    for example in examples:
        for row in example.rows:
            for column, value in row:
                sums[column] += value
                squares[column] += value * value
    return [sqrt(max(b / total - (a / total) ** 2, 0.0)) or 1.0 for a, b in zip(sums, squares, strict=True)]


def fit_both(examples: Sequence[Example], size: int) -> tuple[list[float], list[float]]:
    """Return the weights of the first model, which has ``size`` traits, and those of the second."""
    first = fit(examples, size)
    return first, fit([add_context(example, first) for example in examples], size + len(CONTEXT_NAMES))


def fit(examples: Sequence[Example], size: int) -> list[float]:
    """Return the weights with the least loss, found by a fixed number of steps."""
    scales = measure_scales(examples, size)
    weights, first, second = [0.0] * size, [0.0] * size, [0.0] * size
    for step in range(1, STEPS + 1):
        gradient = [PENALTY * weight for weight in weights]
        raw = [weight / scale for weight, scale in zip(weights, scales, strict=True)]
        for example in examples:
            for column, value in enumerate(_differentiate(example, raw)):
                gradient[column] += value / scales[column]
        rate = RATE * (1 - step / (STEPS + 1))
        for column, slope in enumerate(gradient):
            first[column] += (1 - DECAYS[0]) * (slope - first[column])
            second[column] += (1 - DECAYS[1]) * (slope * slope - second[column])
            mean, square = first[column] / (1 - DECAYS[0] ** step), second[column] / (1 - DECAYS[1] ** step)
            weights[column] -= rate * mean / (sqrt(square) + 1e-8)
    return [weight / scale for weight, scale in zip(weights, scales, strict=True)]


def predict(example: Example, weights: Sequence[float]) -> list[float]:
    """Return how likely each line of an output states a fact; the sum is 1."""
    scores = _score(example, weights)
    best = max(scores)
    odds = [exp(score - best) for score in scores]
    total = sum(odds)
    return [share / total for share in odds]


def _score(example: Example, weights: Sequence[float]) -> list[float]:
    return [sum(weights[column] * value for column, value in row) for row in example.rows]


def _differentiate(example: Example, weights: Sequence[float]) -> list[float]:
    """Return the gradient of the loss of an output."""
    shares = predict(example, weights)
    pulls = [len(example.facts) * share for share in shares]
    for fact in example.facts:
        total = sum(shares[place] for place in fact)
        for place in fact:
            pulls[place] -= shares[place] / total
    gradient = [0.0] * len(weights)
    for pull, row in zip(pulls, example.rows, strict=True):
        for column, value in row:
            gradient[column] += pull * value
    return gradient


def check(examples: Sequence[Example], size: int) -> Iterator[str]:
    """Yield how well models of the other outputs find the facts of each sixth."""
    order = list(examples)
    random.Random(1).shuffle(order)
    losses, ranks = list[float](), list[int]()
    for fold in range(FOLDS):
        first, second = fit_both([example for place, example in enumerate(order) if place % FOLDS != fold], size)
        for example in order[fold::FOLDS]:
            shares = predict(add_context(example, first), second)
            for fact in example.facts:
                losses.append(-log(sum(shares[place] for place in fact)))
                best = max(shares[place] for place in fact)
                ranks.append(sum(share > best for share in shares))
    yield f"loss {sum(losses) / len(losses):.3f} of {len(losses)} facts"
    for limit in RANKS:
        yield f"among the {limit} likeliest lines: {sum(rank < limit for rank in ranks) / len(ranks):.3f}"


def _format_table(title: str, names: Sequence[str], weights: Sequence[float]) -> Iterator[str]:
    yield f"{title} = {{"
    yield from (f'    "{name}": {weight:.2f},' for name, weight in sorted(zip(names, weights, strict=True)))
    yield "}"


def main() -> int:
    """Print the weights, or with --check how well they do on outputs that they were not fitted on."""
    parser = argparse.ArgumentParser("tools.fitting.line_weights", description="Fit the model of needed lines.")
    parser.add_argument("--check", action="store_true", help="fit without each sixth of the outputs, and measure it")
    args = parser.parse_args()
    names = list(WEIGHTS)
    examples = [make_example(case, names) for case in read_outputs(os.environ.get("CTXKIT_CORPORA"))]
    facts = sum(len(example.facts) for example in examples)
    print(f"{len(examples)} outputs, {facts} facts, {sum(len(example.rows) for example in examples)} lines")
    if args.check:
        print("\n".join(check(examples, len(names))))
        return 0
    first, second = fit_both(examples, len(names))
    print("\n".join(_format_table("WEIGHTS", names, first)))
    print("\n".join(_format_table("CONTEXT_WEIGHTS", [*names, *CONTEXT_NAMES], second)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
