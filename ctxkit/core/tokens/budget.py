"""The tokens of one context window, and what is left of them."""

from typing import NamedTuple

RESERVE = 0.20
"""Share of the window kept for the model's answer (seed: ContextBudget.output_reserve)."""
COMPACT_TRIGGER = 0.95
"""Share of the effective window from which a conversation is to be compacted (seed: compact_trigger)."""
HARD_BLOCK = 0.98
"""Share of the effective window from which nothing more should enter (seed: hard_block)."""
BRIEFING_CAP = 8_000
"""Most tokens a briefing may take, however much room there is: maps stop improving there."""
ASSUMED_WINDOW, ASSUMED_LOCAL_WINDOW = 32_768, 8_192
"""Tokens of a window of unknown size: what most models have at least, and what local servers are often set to."""


class Budget(NamedTuple):
    """Account for the tokens of one context window; every count is in tokens.

    ``assumed`` says that nobody knows how large the window is, so that a usual size stands in for it.
    """

    window: int
    reserve: int
    used: int = 0
    compact_trigger: float = COMPACT_TRIGGER
    hard_block: float = HARD_BLOCK
    briefing_cap: int = BRIEFING_CAP
    assumed: bool = False

    @property
    def effective(self) -> int:
        """Return the part of the window that input may fill."""
        return max(self.window - self.reserve, 0)

    @property
    def available(self) -> int:
        """Return the room left for new content, never below zero."""
        return max(self.effective - self.used, 0)

    def with_added(self, tokens: int) -> "Budget":
        """Return the budget after ``tokens`` more have entered."""
        return self._replace(used=self.used + tokens)

    def with_used(self, used: int = 0) -> "Budget":
        """Return the budget with ``used`` tokens in context, as after a compaction."""
        return self._replace(used=used)

    def allowance(self, limit: int | None = None) -> int:
        """Return how many tokens one call may admit, under its own ``limit`` if it has one."""
        return self.available if limit is None else min(self.available, limit)

    def briefing_target(self, limit: int | None = None) -> int:
        """Return how many tokens a briefing may take: half the room, within the cap and ``limit``."""
        half = min(self.available // 2, self.briefing_cap)
        return half if limit is None else min(half, limit)

    def is_tight(self, tokens: int) -> bool:
        """Tell whether ``tokens`` more would reach the compaction trigger."""
        return self.used + tokens >= threshold_of(self.compact_trigger, self.effective)

    def is_blocked(self) -> bool:
        """Tell whether the window is too full to accept anything before a compaction."""
        return self.used >= threshold_of(self.hard_block, self.effective)


def threshold_of(share: float, effective: int) -> int:
    """Return the fewest tokens that are at least ``share`` of a window.

    Millionths are whole numbers, so that 0.95 of a window is where people expect it and not where floats put it.
    """
    return -(-round(share * 1_000_000) * effective // 1_000_000)


def parse_reserve(text: str, window: int) -> int:
    """Return the reserve in tokens that ``text`` asks for: ``4096`` or ``20%`` of the window.

    Raises ValueError when it is neither, negative, or leaves no window.
    """
    try:
        tokens = round(window * float(text[:-1]) / 100) if text.endswith("%") else int(text)
    except OverflowError:
        raise ValueError(f"{text!r} is not a share of a window") from None
    if not 0 <= tokens < window:
        raise ValueError(f"a reserve of {tokens} leaves nothing of a window of {window}")
    return tokens
