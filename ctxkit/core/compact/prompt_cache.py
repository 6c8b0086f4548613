"""What a compaction does to a provider's prompt cache: where the cached prefix ends, and whether that pays."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from ctxkit.core.compact.policy import CachePrices, CompactionPolicy


class CacheRewrite(NamedTuple):
    """Say which message, counted from 1, is the first that is not as it was, 0 for none; and what must be rewritten.

    ``kept_tokens`` tokens still stand in the cache, ``written_tokens`` ones have to be read anew.
    """

    first: int = 0
    kept_tokens: int = 0
    written_tokens: int = 0


def find_rewrite(
    before: Iterable[str], after: Iterable[str], costs: Sequence[int], total: int, fixed: int
) -> CacheRewrite:
    """Return where two conversations part, given their messages as they are written.

    ``costs`` are the tokens of those after, ``total`` of all, ``fixed`` of what stands in front of every message.
    """
    pairs = enumerate(zip_longest(before, after))  # read one by one: all messages together may take 60 MB
    same = next((at for at, (old, new) in pairs if old != new), -1)
    if same < 0:
        return CacheRewrite(0, total, 0)
    kept_tokens = min(fixed + sum(costs[:same]), total)
    return CacheRewrite(same + 1, kept_tokens, total - kept_tokens)


def estimate_saving(before: int, after: int, rewrite: CacheRewrite, prices: CachePrices, turns: int) -> float:
    """Return what a compaction saves over so many turns, in tokens at their plain price; below 0 it costs.

    Each turn reads the whole conversation from the cache. The first one after a compaction has to write what is new.
    """
    return (before - after) * prices.read * turns - rewrite.written_tokens * (prices.write - prices.read)


def is_worth_rewriting(before: int, after: int, rewrite: CacheRewrite, policy: CompactionPolicy) -> bool:
    """Tell whether a compaction pays for the cache that it breaks, where somebody asked for that."""
    return policy.prices is None or estimate_saving(before, after, rewrite, policy.prices, policy.turns) > 0
