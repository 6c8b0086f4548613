"""Account for the tokens of a context window."""

from __future__ import annotations

from ctxkit.core.named_tuple import NamedTuple

RESERVE = 0.20
"""Share of the window reserved for the model's answer (seed: ContextBudget.output_reserve)."""
COMPACT_TRIGGER = 0.95
"""Share of the effective window from which a conversation should be compacted (seed: compact_trigger)."""
HARD_BLOCK = 0.98
"""Share of the effective window from which nothing more should enter (seed: hard_block)."""
LOW_WATER = 0.5
"""Share of the effective window that a compaction aims at, so that the next turn does not trigger another one."""
RESULT_CAP = 25_000
"""The most tokens of one output in an agent host, unless its own limit is smaller."""
BRIEFING_CAP = 8_000
"""Maximum tokens of a briefing: larger briefings are not better."""
ASSUMED_WINDOW, ASSUMED_LOCAL_WINDOW = 32_768, 8_192
"""Assumed tokens of an unknown window: most models have the first at least, local servers often the second."""


class Budget(NamedTuple):
    """The tokens of a context window; every count is in tokens.

    ``assumed`` is true if the window is unknown and an assumed size replaces it.
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
        """Return the part of the window that input may fill, in tokens."""
        return max(self.window - self.reserve, 0)

    @property
    def available(self) -> int:
        """Return the tokens available for new content, never negative."""
        return max(self.effective - self.used, 0)

    def with_added(self, tokens: int) -> Budget:
        """Return the budget with ``tokens`` added to the used tokens."""
        return self._replace(used=self.used + tokens)

    def with_used(self, used: int = 0) -> Budget:
        """Return the budget with ``used`` tokens in context, for example after a compaction."""
        return self._replace(used=used)

    def with_limit(self, limit: int | None) -> Budget:
        """Return the budget with at most ``limit`` tokens available, the budget itself without one."""
        return self if limit is None else self._replace(used=max(self.used, self.effective - limit))

    def allowance(self, limit: int | None = None) -> int:
        """Return how many tokens one call may admit, at most ``limit`` if it has one."""
        return self.available if limit is None else min(self.available, limit)

    def briefing_target(self, limit: int | None = None) -> int:
        """Return the maximum tokens of a briefing: half of the available tokens, within the cap and ``limit``."""
        half = min(self.available // 2, self.briefing_cap)
        return half if limit is None else min(half, limit)

    @property
    def compact_threshold(self) -> int:
        """Return the used tokens from which a conversation should be compacted."""
        return threshold_of(self.compact_trigger, self.effective)

    def is_tight(self, tokens: int) -> bool:
        """Return whether ``tokens`` more would reach the compaction trigger."""
        return self.used + tokens >= self.compact_threshold

    def is_blocked(self) -> bool:
        """Return whether the window is too full to accept content before a compaction."""
        return self.used >= threshold_of(self.hard_block, self.effective)


def find_cold_trigger(trigger: float, low_water: float) -> float:
    """Return the share from which a compaction is worth it while the provider's cache is cold: halfway to its goal.

    Below that it would remove less than half of what one in time removes.
    """
    return min((trigger + low_water) / 2, trigger)


def threshold_of(share: float, effective: int) -> int:
    """Return the smallest number of tokens that is at least ``share`` of a window.

    Compute in integer millionths, so that 0.95 of a window is not off by floating-point error.
    """
    return -(-round(share * 1_000_000) * effective // 1_000_000)
