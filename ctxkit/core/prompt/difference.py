"""Where two prompts begin to differ, and what that costs with a prompt cache."""

from collections.abc import Sequence
from typing import NamedTuple

from ctxkit.core.compact.policy import CachePrices
from ctxkit.core.text.search import measure_common_prefix
from ctxkit.core.tokens.token_count import find_safe_cut
from ctxkit.core.tokens.vocabulary import Tokenizer

WINDOW = 200
"""Characters before the first difference in which the last common boundary of tokens is searched."""


class PromptDifference(NamedTuple):
    """The first difference of two prompts, and the tokens of the new one that stay cached or are written again.

    ``characters`` is the offset of the first different character, -1 if the prompts are the same. ``token`` is the
    number of the first different token, ``line`` that of its line, both counted from 1; 0 if the prompts are the same.
    """

    characters: int
    token: int
    line: int
    cached_tokens: int
    rewritten_tokens: int

    def cost(self, prices: CachePrices) -> float:
        """Return the price of the new prompt, in uncached tokens."""
        return self.cached_tokens * prices.read + self.rewritten_tokens * prices.write

    def cost_ratio(self, prices: CachePrices) -> float:
        """Return the price of the new prompt as a multiple of what it costs while nothing changes."""
        total = (self.cached_tokens + self.rewritten_tokens) * prices.read
        return self.cost(prices) / total if total else 1.0


def find_difference(
    old: str, new: str, count: Tokenizer, *, breakpoints: Sequence[int] | None = None, minimum: int = 0
) -> PromptDifference:
    """Return the first difference of two prompts, and its cost for the new one.

    ``breakpoints`` are offsets in characters of the old prompt, up to which it is cached; without them every token
    before the difference is. A prefix of fewer than ``minimum`` tokens is not cached.
    """
    total = count(new)
    common = measure_common_prefix(old, new)
    is_same = common == len(old) == len(new)
    end = common if is_same else _find_boundary(old, new, common, count)
    same_tokens = total if is_same else count(new[:end])
    cached = same_tokens
    if breakpoints is not None:
        reached = max((point for point in breakpoints if point <= common), default=0)
        cached = count(new[:reached])
    cached = cached if cached >= minimum else 0
    if is_same:
        return PromptDifference(-1, 0, 0, cached, total - cached)
    return PromptDifference(common, same_tokens + 1, new.count("\n", 0, common) + 1, cached, max(total - cached, 0))


def _find_boundary(old: str, new: str, common: int, count: Tokenizer) -> int:
    """Return the last offset in the common prefix at which a token ends in both prompts.

    A text may be cut between two tokens if its parts have as many tokens as the whole.
    """
    start = max(find_safe_cut(new[:common]) if common else 0, common - WINDOW)
    for end in range(common, start, -1):
        if all(_is_boundary(text[start : common + WINDOW], end - start, count) for text in (old, new)):
            return end
    return start


def _is_boundary(text: str, at: int, count: Tokenizer) -> bool:
    return at >= len(text) or count(text[:at]) + count(text[at:]) == count(text)
