"""Fit the model of near pairs: ``python -m bench.lint.fitting [--clones DIR] [--check] [--test]`` prints its weights.

The pairs are the `dev` half of ``pairs.jsonl``, and ``training.jsonl``: pairs of the same repositories and of some more
that a first model had drawn, so that many are hard. Two annotators labelled them by ``guide.md``. ``--check`` fits the
model without each repository in turn and measures it there; ``--test`` measures the model on the `test` half.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import exp, sqrt

from bench.lint import CLONES
from bench.lint.labelled import Row, group_rows, is_instruction_file, lay_out, rows
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.similarity.compared_statements import is_significant
from ctxkit.core.lint.similarity.pair_model import PairProperties, measure_pair
from ctxkit.core.lint.similarity.pairs import compute_weights
from ctxkit.core.lint.similarity.statement_conflict import find_conflict
from ctxkit.core.lint.similarity.statement_traits import extract_traits, make_bag
from ctxkit.core.lint.similarity.vocabulary import strip_filler
from ctxkit.engines.workspace.gather import read_workspace

PENALTY = 20.0
"""Weight of the squared coefficients: the properties are scaled to variance 1, the loss is summed over all pairs."""
STEPS = 12
"""Newton steps: from the sixth on, nothing changes any more."""
THRESHOLDS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)


@dataclass(frozen=True)
class Example:
    """Hold a labelled pair: its repository and set, its properties, and whether it is a duplicate."""

    repo: str
    values: tuple[float, ...]
    is_duplicate: bool
    set: str = "dev"


def collect_examples(corpora: str | None, clones: str | None) -> Iterator[Example]:
    """Yield the labelled pairs that differ in more than format and whose repositories are here, no doubtful ones.

    Their sets are `dev`, `test` and `training`.
    """
    items = rows("pairs.jsonl") + [item | {"split": "training"} for item in rows("training.jsonl")]
    for (repo, commit, kind), group in group_rows(items, "repo", "commit", "from"):
        with tempfile.TemporaryDirectory() as scratch:
            root = os.path.join(scratch, "workspace")
            if lay_out(root, kind, repo, commit, corpora, clones, is_instruction_file):
                yield from _read_examples(repo, root, group)
            else:
                print(f"{repo} is not here", file=sys.stderr)


def _read_examples(repo: str, root: str, items: Sequence[Row]) -> Iterator[Example]:
    units = [unit for document in read_workspace(root, len).documents for unit in document.units]
    bags = {unit.normal: make_bag(unit.normal) for unit in units if is_significant(unit) and unit.kind != "code"}
    weights = compute_weights(bags)
    rare = max(weights.values(), default=1.0)
    for item in items:
        pair = [_find_unit(units, item[side]["path"], item[side]["lines"]) for side in ("one", "other")]
        if item["label"] != "doubtful" and pair[0] and pair[1] and pair[0].normal != pair[1].normal:
            first, second = pair[0], pair[1]
            traits = extract_traits(first), extract_traits(second)
            texts = first.normal, second.normal
            conflict = find_conflict(*traits, (strip_filler(texts[0]), strip_filler(texts[1])))
            values = measure_pair((first, second), traits, texts, conflict, lambda word: weights.get(word, rare))
            yield Example(repo, tuple(map(float, values)), item["label"] == "dup", item["split"])


def _find_unit(units: Sequence[Unit], path: str, lines: Sequence[int]) -> Unit | None:
    """Return the statement at some lines; the bench and the linter may divide text differently."""
    first, last = lines
    near = [u for u in units if u.path == path and u.line <= last and u.end_line >= first and u.kind != "heading"]
    return min(near, key=lambda unit: abs(unit.line - first) + abs(unit.end_line - last), default=None)


def fit(examples: Sequence[Example]) -> tuple[float, ...]:
    """Return the intercept and the weights of a logistic regression with a penalty (Newton's method)."""
    columns = list(zip(*(example.values for example in examples), strict=True))
    means = [sum(column) / len(column) for column in columns]
    scales = [
        sqrt(sum((value - mean) ** 2 for value in column) / len(column)) or 1.0
        for column, mean in zip(columns, means, strict=True)
    ]
    table = [
        (1.0, *((v - m) / s for v, m, s in zip(example.values, means, scales, strict=True))) for example in examples
    ]
    weights = [0.0] * (len(columns) + 1)
    for _ in range(STEPS):
        weights = _step(weights, table, [example.is_duplicate for example in examples])
    raw = [weight / scale for weight, scale in zip(weights[1:], scales, strict=True)]
    return (weights[0] - sum(weight * mean for weight, mean in zip(raw, means, strict=True)), *raw)


def _step(weights: list[float], table: Sequence[Sequence[float]], labels: Sequence[bool]) -> list[float]:
    size = range(len(weights))
    gradient = [0.0, *(PENALTY * weight for weight in weights[1:])]
    curvature = [[PENALTY * (a == b and a > 0) for b in size] for a in size]
    for row, label in zip(table, labels, strict=True):
        share = 1 / (1 + exp(-sum(weight * value for weight, value in zip(weights, row, strict=True))))
        for a in size:
            gradient[a] += (share - label) * row[a]
            factor = share * (1 - share) * row[a]
            for b in range(a + 1):
                curvature[a][b] += factor * row[b]
    for a in size:
        for b in range(a):
            curvature[b][a] = curvature[a][b]
    change = solve(curvature, gradient)
    return [weight - step for weight, step in zip(weights, change, strict=True)]


def solve(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Return the solution of a positive definite system of equations, by elimination."""
    rows_left = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for place, pivot in enumerate(rows_left):
        for row in rows_left[place + 1 :]:
            factor = row[place] / pivot[place]
            for column in range(place, len(row)):
                row[column] -= factor * pivot[column]
    values = [0.0] * len(rows_left)
    for place in reversed(range(len(rows_left))):
        known = sum(rows_left[place][column] * values[column] for column in range(place + 1, len(values)))
        values[place] = (rows_left[place][-1] - known) / rows_left[place][place]
    return values


def predict(weights: Sequence[float], example: Example) -> float:
    """Return the probability that a pair is a duplicate."""
    return 1 / (1 + exp(-sum(w * value for w, value in zip(weights, (1.0, *example.values), strict=True))))


Prediction = tuple[str, float, bool]
"""The set of a pair, the probability that it is a duplicate, and whether it is."""


def predict_by_others(examples: Sequence[Example]) -> Iterator[Prediction]:
    """Yield the predictions for the pairs of each repository by a model of all others."""
    for repo in sorted({example.repo for example in examples}):
        weights = fit([example for example in examples if example.repo != repo])
        yield from ((e.set, predict(weights, e), e.is_duplicate) for e in examples if e.repo == repo)


def describe_curves(predictions: Iterable[Prediction]) -> Iterator[str]:
    """Yield the precision and the recall of each set at some thresholds."""
    by_set: dict[str, list[tuple[float, bool]]] = {}
    for name, share, is_duplicate in predictions:
        by_set.setdefault(name, []).append((share, is_duplicate))
    for name, pairs in sorted(by_set.items()):
        duplicates = sum(label for _, label in pairs)
        for threshold in THRESHOLDS:
            selected = [label for share, label in pairs if share >= threshold]
            right = sum(selected)
            yield f"{name} from {threshold}: precision {right}/{len(selected)}, recall {right}/{duplicates}"


def main() -> int:
    """Print the weights, and with --check and --test how well they do on pairs that they were not fitted on."""
    parser = argparse.ArgumentParser("bench.lint.fitting", description="Fit the model of near pairs.")
    parser.add_argument("--clones", metavar="DIR", default=CLONES, help="clones of the repositories, owner+name each")
    parser.add_argument("--check", action="store_true", help="fit without each repository in turn, and measure it")
    parser.add_argument("--test", action="store_true", help="measure the pairs that are kept apart")
    args = parser.parse_args()
    everything = list(collect_examples(os.environ.get("CTXKIT_CORPORA"), os.path.abspath(args.clones)))
    examples = [example for example in everything if example.set != "test"]
    duplicates = sum(example.is_duplicate for example in examples)
    print(f"{len(examples)} pairs, {duplicates} duplicates, {len({e.repo for e in examples})} repositories")
    weights = fit(examples)
    print(f"INTERCEPT = {weights[0]:.2f}")
    for name, weight in zip(PairProperties._fields, weights[1:], strict=True):
        print(f"    {name}={weight:.2f},")
    if args.check:
        print("\n".join(describe_curves(predict_by_others(examples))))
    if args.test:
        apart = [example for example in everything if example.set == "test"]
        print("\n".join(describe_curves((e.set, predict(weights, e), e.is_duplicate) for e in apart)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
