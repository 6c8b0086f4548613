"""The effect of a compaction on a provider's prompt cache, and whether it pays."""

from collections.abc import Sequence
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
    before: Sequence[str], after: Sequence[str], costs: Sequence[int], total: int, fixed: int
) -> CacheRewrite:
    """Return the first difference between two conversations, given the raw text of their messages.

    ``costs`` are the tokens of each message after the change, ``total`` of the conversation, and ``fixed`` of the
    content before the first message.
    """
    same = next((at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new), -1)
    same = min(len(before), len(after)) if same < 0 else same
    if same == len(before) == len(after):
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
