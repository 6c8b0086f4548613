"""How often the ends of a calibrated estimate hold the count, on files and parts of files of 2 KB and more.

    python -m bench.bands FILE...

Each vocabulary stands in for an unknown one: texts are estimated with the weights of all, times the median factor of
that vocabulary, as ctxkit does for Claude.
"""

import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

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


def scale_shares(estimates: Sequence[TokenEstimate], counts: Sequence[int]) -> list[tuple[bool, bool]]:
    """Return whether each count is within both ends, and below the high end, of its scaled estimate."""
    factor = median(count / max(guess.tokens, 1) for guess, count in zip(estimates, counts, strict=True))
    pairs = zip(estimates, counts, strict=True)
    return [(guess.low * factor <= n <= guess.high * factor, n <= guess.high * factor) for guess, n in pairs]


def main() -> None:
    """Print the coverage by size over all vocabularies."""
    texts = list(read_texts(sys.argv[1:]))
    sizes = [len(text.encode()) for text in texts]
    estimates = [estimate_tokens(text, UNKNOWN._replace(is_calibrated=True)) for text in texts]
    shares: list[tuple[int, bool, bool]] = []
    for name in NAMES:
        count = load_tokenizer(find_vocabulary(name))
        held = scale_shares(estimates, [count(text) for text in texts])
        shares += [(size, *ends) for size, ends in zip(sizes, held, strict=True)]
    for least, most in pairwise(STEPS):
        rows = [row for row in shares if least <= row[0] < most]
        if rows:
            within, below = (sum(row[at] for row in rows) / len(rows) for at in (1, 2))
            print(f"from {least:,} bytes: {len(rows):,} counts, within {within:.3f}, below the high end {below:.3f}")


if __name__ == "__main__":
    main()
