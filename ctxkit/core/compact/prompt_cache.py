"""The effect of a compaction on a provider's prompt cache, and whether it pays."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from ctxkit.core.compact.policy import CachePrices, CompactionPolicy


class CacheRewrite(NamedTuple):
    """The first changed message, counted from 1 (0 for none), and the tokens to rewrite.

    ``kept_tokens`` remain in the cache; ``written_tokens`` must be written again.
    """

    first: int = 0
    kept_tokens: int = 0
    written_tokens: int = 0


def find_rewrite(
    before: Iterable[str], after: Iterable[str], costs: Sequence[int], total: int, fixed: int
) -> CacheRewrite:
    """Return the first difference between two conversations, given the raw text of their messages.

    ``costs`` are the tokens of each message after the change, ``total`` of the conversation, and ``fixed`` of the
    content before the first message.
    """
    pairs = enumerate(zip_longest(before, after))  # read one by one: all messages together may take 60 MB
    same = next((at for at, (old, new) in pairs if old != new), -1)
    if same < 0:
        return CacheRewrite(0, total, 0)
    kept_tokens = min(fixed + sum(costs[:same]), total)
    return CacheRewrite(same + 1, kept_tokens, total - kept_tokens)


def estimate_saving(before: int, after: int, rewrite: CacheRewrite, prices: CachePrices, turns: int) -> float:
    """Return the tokens that a compaction saves over ``turns``, at the uncached price; a loss is negative.

    Each turn reads the whole conversation from the cache. The first turn after a compaction writes the new part.
    """
    return (before - after) * prices.read * turns - rewrite.written_tokens * (prices.write - prices.read)


def is_worth_rewriting(before: int, after: int, rewrite: CacheRewrite, policy: CompactionPolicy) -> bool:
    """Return whether a compaction saves more than its cache rewrite costs, or True without prices."""
    return policy.prices is None or estimate_saving(before, after, rewrite, policy.prices, policy.turns) > 0
