"""When a conversation is compacted, how far, and what stays whatever happens."""

from typing import Literal, NamedTuple

from ctxkit.core.tokens.budget import COMPACT_TRIGGER, HARD_BLOCK, threshold_of

Stage = Literal["clear", "summarize", "truncate"]
STAGES: tuple[Stage, ...] = ("clear", "summarize", "truncate")
LOW_WATER = 0.5
"""Share of the effective window that a compaction aims at, so that the next turn does not ask for another."""
KEEP_RECENT, RECENT_SHARE = 20_000, 0.25
"""Tokens of the newest messages that stay, and the share of the window that they may take at most."""
MIN_PROGRESS = 0.10
"""Share of a conversation that a stage must save, else it is undone (OpenHands' minimum_progress)."""
SUMMARY_CAP, SUMMARY_SHARE = 4_000, 0.25
"""Tokens of a summary at most, and the share of the effective window that is kept for it."""
TURNS = 20
"""Turns over which a rewritten prompt cache must pay for itself, where nobody says how many are to come."""


class CachePrices(NamedTuple):
    """Say what a token costs that is written to a prompt cache, or read from one, where a plain one costs 1.

    The defaults are Anthropic's for five minutes ("Prompt caching", pricing: 1.25 and 0.1); OpenAI writes for 1 and
    reads for 0.1 to 0.5 ("Prompt caching").
    """

    write: float = 1.25
    read: float = 0.1


class CompactionPolicy(NamedTuple):
    """Hold the numbers of a compaction, in tokens where nothing else is said.

    ``overhead`` is in context beside the conversation. ``trigger``, ``block`` and ``low_water`` are shares of the
    effective window. ``recent`` is how much of the newest messages stays, ``last`` how many of them where that was
    asked for instead. ``role`` is that of the summary, empty for what the format takes. ``prices`` make it weigh
    what a rewritten prompt cache costs over ``turns``.
    """

    window: int
    reserve: int
    overhead: int = 0
    trigger: float = COMPACT_TRIGGER
    block: float = HARD_BLOCK
    low_water: float = LOW_WATER
    recent: int | None = None
    last: int | None = None
    force: bool = False
    stages: tuple[Stage, ...] = STAGES
    role: str = ""
    pins: tuple[str, ...] = ()
    prices: CachePrices | None = None
    turns: int = TURNS

    @property
    def effective(self) -> int:
        """Return what the conversation itself may take."""
        return max(self.window - self.reserve - self.overhead, 0)

    @property
    def goal(self) -> int:
        """Return the low-water mark: what a compaction aims at."""
        return int(self.low_water * self.effective)

    @property
    def trigger_size(self) -> int:
        """Return the size from which a conversation is compacted."""
        return threshold_of(self.trigger, self.window - self.reserve) - self.overhead

    @property
    def block_size(self) -> int:
        """Return the size from which it is compacted whatever that costs."""
        return threshold_of(self.block, self.window - self.reserve) - self.overhead

    @property
    def drop_threshold(self) -> int:
        """Return the size midway from the goal to the next compaction: messages are dropped only above it."""
        return (self.goal + self.trigger_size) // 2

    @property
    def recent_tokens(self) -> int:
        """Return how much of the newest messages stays."""
        return min(KEEP_RECENT, int(RECENT_SHARE * self.window)) if self.recent is None else self.recent

    @property
    def summary_limit(self) -> int:
        """Return how much is kept for a summary, which may take more where the newest messages leave room."""
        return min(SUMMARY_CAP, int(SUMMARY_SHARE * self.effective))
