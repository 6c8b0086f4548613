"""Byte pair encoding of single words."""

from collections.abc import Callable

from ctxkit.core.tokens.rank_table import ABSENT

RankFinder = Callable[[bytes], int]
"""Returns the rank of a token, ``ABSENT`` if the bytes are no token."""


def count_merged(word: bytes, find_rank: RankFinder) -> int:
    """Return the tokens of a word: merge the pair of the lowest rank, the first of several, until no pair is a token.

    The time grows with the square of the length; callers bound the length.
    """
    parts = [word[at : at + 1] for at in range(len(word))]
    ranks = [find_rank(word[at : at + 2]) for at in range(len(word) - 1)]
    while ranks and (lowest := min(ranks)) < ABSENT:
        at = ranks.index(lowest)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        del ranks[at]
        if at < len(ranks):
            ranks[at] = find_rank(parts[at] + parts[at + 1])
        if at:
            ranks[at - 1] = find_rank(parts[at - 1] + parts[at])
    return len(parts)
