"""What a compaction does to a provider's prompt cache: where the cached prefix ends, and whether that pays."""

from collections.abc import Sequence
from typing import NamedTuple

from ctxkit.core.compact.policy import Policy, Prices


class Rewrite(NamedTuple):
    """Say which message, counted from 1, is the first that is not as it was, 0 for none; and what must be rewritten.

    ``kept`` tokens still stand in the cache, ``written`` ones have to be read anew.
    """

    first: int = 0
    kept: int = 0
    written: int = 0


def rewrite_of(before: Sequence[str], after: Sequence[str], costs: Sequence[int], total: int, fixed: int) -> Rewrite:
    """Return where two conversations part, given their messages as they are written.

    ``costs`` are the tokens of those after, ``total`` of all, ``fixed`` of what stands in front of every message.
    """
    same = next((at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), -1)
    same = min(len(before), len(after)) if same < 0 else same
    if same == len(before) == len(after):
        return Rewrite(0, total, 0)
    kept = min(fixed + sum(costs[:same]), total)
    return Rewrite(same + 1, kept, total - kept)


def saving(before: int, after: int, rewrite: Rewrite, prices: Prices, turns: int) -> float:
    """Return what a compaction saves over so many turns, in tokens at their plain price; below 0 it costs.

    Each turn reads the whole conversation from the cache. The first one after a compaction has to write what is new.
    """
    return (before - after) * prices.read * turns - rewrite.written * (prices.write - prices.read)


def pays(before: int, after: int, rewrite: Rewrite, policy: Policy) -> bool:
    """Tell whether a compaction pays for the cache that it breaks, where somebody asked for that."""
    return policy.prices is None or saving(before, after, rewrite, policy.prices, policy.turns) > 0
