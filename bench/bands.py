"""How often the ends of a calibrated estimate hold the count, on files and parts of files of 2 KB and more.

    python -m bench.bands FILE...

Each vocabulary stands in for an unknown one: texts are estimated with the weights of all, times the median factor of
that vocabulary, as ctxkit does for Claude. Then Gemma 3 stands in for Gemini, whose weights are Gemma's. What Claude
is known to count is in the suite `receipts`.
"""

import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from ctxkit.core.tokens.estimate import TokenEstimate, estimate_tokens
from ctxkit.core.tokens.vocabulary import UNKNOWN, find_vocabulary
from ctxkit.engines.tokens import load_tokenizer

NAMES = ("o200k", "cl100k", "llama3", "qwen3", "deepseek_v3", "mistral_v3", "glm4", "kimi_k2", "gemma3")
SMALLEST, LARGEST, PART = 2_000, 700_000, 3_000
STEPS = (2_000, 8_000, 30_000, 100_000, LARGEST * 4)
"""Limits of the sizes that are told apart."""


def read_texts(paths: Sequence[str]) -> Iterator[str]:
    """Yield the text of each file, and a part from its middle."""
    for path in paths:
        with open(path, encoding="utf-8", errors="ignore") as file:
            text = file.read(LARGEST)
        if len(text) >= SMALLEST:
            yield text
        if len(text) >= 2 * PART:
            yield text[len(text) // 2 :][:PART]


class Band(NamedTuple):
    """Hold whether a count is within both ends, and below the high end, which is ``width`` above the estimate."""

    size: int
    is_within: bool
    is_below: bool
    width: float


def scale_bands(estimates: Sequence[TokenEstimate], counts: Sequence[int], sizes: Sequence[int]) -> list[Band]:
    """Return the bands of estimates that are scaled by the median of their factors."""
    factor = median(count / max(guess.tokens, 1) for guess, count in zip(estimates, counts, strict=True))
    rows = zip(estimates, counts, sizes, strict=True)
    return [_judge(guess, count / factor, size) for guess, count, size in rows]


def _judge(guess: TokenEstimate, count: float, size: int) -> Band:
    return Band(size, guess.low <= count <= guess.high, count <= guess.high, guess.high / max(guess.tokens, 1) - 1)


def print_bands(bands: Sequence[Band]) -> None:
    """Print a row for each range of sizes: how often the ends hold the count, and how far the high end is away."""
    for least, most in pairwise(STEPS):
        rows = [band for band in bands if least <= band.size < most]
        if rows:
            within = sum(band.is_within for band in rows) / len(rows)
            below = sum(band.is_below for band in rows) / len(rows)
            widths = sorted(band.width for band in rows)
            print(
                f"from {least:,} bytes: {len(rows):,} counts, within {within:.3f}, below the high end {below:.3f}; "
                f"it is {widths[len(rows) // 2]:.3f} above the estimate at the median, {widths[-1]:.3f} at most"
            )


def main() -> None:
    """Print the coverage by size over all vocabularies, then that of Gemini."""
    texts = list(read_texts(sys.argv[1:]))
    sizes = [len(text.encode()) for text in texts]
    estimates = [estimate_tokens(text, UNKNOWN._replace(is_calibrated=True)) for text in texts]
    counts = {name: list(map(load_tokenizer(find_vocabulary(name)), texts)) for name in NAMES}
    print("All vocabularies, each with its factor:")
    print_bands([band for name in NAMES for band in scale_bands(estimates, counts[name], sizes)])
    print("Gemini, as counted by gemma3:")
    gemini = [estimate_tokens(text, find_vocabulary("gemini")) for text in texts]
    print_bands([_judge(*row) for row in zip(gemini, counts["gemma3"], sizes, strict=True)])


if __name__ == "__main__":
    main()
