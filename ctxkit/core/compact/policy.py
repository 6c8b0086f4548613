"""The policy of a compaction: its trigger, its target, what it keeps, and whether it pays with a prompt cache."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Literal, NamedTuple

from ctxkit.core.session.history import MarkedMessages
from ctxkit.core.tokens.budget import COMPACT_TRIGGER, HARD_BLOCK, LOW_WATER, threshold_of

Stage = Literal["clear", "summarize", "truncate"]
STAGES: tuple[Stage, ...] = ("clear", "summarize", "truncate")
KEEP_RECENT, RECENT_SHARE = 20_000, 0.25
"""Tokens of recent messages to keep, and their maximum share of the window."""
MIN_PROGRESS = 0.10
"""Share of a conversation that a stage must save; otherwise it is undone (OpenHands' minimum_progress)."""
SUMMARY_CAP, _SUMMARY_SHARE = 4_000, 0.25
"""Maximum tokens of a summary, and the share of the effective window reserved for it."""
_REQUEST_SHARE, _MIN_REQUEST = 0.25, 512
"""Share of the effective window, and tokens, up to which a request of the user stays verbatim."""
_PAGE_SHARE = 0.15
"""Maximum share of the window for the page of a summary."""
_RECORD_FACTOR = 1.5
"""Tokens of a record for each token that a page may not use, since a record quotes in full."""
TURNS = 20
"""Default number of turns over which rewriting the prompt cache must pay."""


class CachePrices(NamedTuple):
    """The price of a token written to or read from a prompt cache, relative to an uncached token.

    The defaults are Anthropic's for five minutes ("Prompt caching", pricing: 1.25 and 0.1). OpenAI charges 1 for writes
    and 0.1 to 0.5 for reads ("Prompt caching").
    """

    write: float = 1.25
    read: float = 0.1


class CompactionPolicy(NamedTuple):
    """The limits of a compaction, in tokens unless stated otherwise.

    ``overhead`` counts the context outside the conversation. ``trigger``, ``block`` and ``low_water`` are shares of the
    effective window. ``recent`` is the number of recent tokens to keep; ``last`` is a number of messages and replaces
    it. ``role`` is the role of the summary, empty for the default of the format. ``prices`` enable the comparison of
    costs and savings of a rewritten prompt cache over ``turns``. ``page_tokens`` is the maximum size of a page, None
    for the default. ``marked`` are the messages that the model has marked:
    kept ones are not cleared, and removable ones are cleared first. ``hint_template`` is that of the hint that reads a
    cleared result, "" for the default. ``observations`` is the number of newest tool results to keep if all older ones
    are cleared and nothing else is changed, None otherwise. ``fixed`` are tokens of the conversation that no stage
    changes, such as long instructions: a summary gets a share of what they leave. ``summary_need`` is
    the size of a summary that says all of what it can, None to estimate it. ``is_in_loop`` means that the
    conversation is sent next and grows from request to request: what stays the same comes first, for the prompt cache,
    and no more messages stay than have to, so that the next compaction is not due sooner.
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
    page_tokens: int | None = None
    marked: MarkedMessages = MarkedMessages()
    hint_template: str = ""
    observations: int | None = None
    fixed: int = 0
    summary_need: int | None = None
    is_in_loop: bool = False

    @property
    def effective(self) -> int:
        """Return the tokens available to the conversation."""
        return max(self.window - self.reserve - self.overhead, 0)

    @property
    def goal(self) -> int:
        """Return the target size, the low-water mark."""
        return int(self.low_water * self.effective)

    @property
    def trigger_size(self) -> int:
        """Return the size at which compaction starts."""
        return threshold_of(self.trigger, self.window - self.reserve) - self.overhead

    @property
    def block_size(self) -> int:
        """Return the size at which compaction starts whatever it costs."""
        return threshold_of(self.block, self.window - self.reserve) - self.overhead

    @property
    def drop_threshold(self) -> int:
        """Return the size above which messages are dropped, halfway between the goal and the trigger."""
        return (self.goal + self.trigger_size) // 2

    def limit_record(self, size: int) -> int:
        """Return the size up to which a record may fill a conversation of a ``size``: the low-water mark.

        If what has to stay leaves less than a tenth of the mark, it is halfway to the trigger. The requests of a loop
        keep to the mark.
        """
        has_room = self.goal - size >= MIN_PROGRESS * self.goal
        return self.goal if has_room or self.is_in_loop else max(self.goal, (size + self.trigger_size) // 2)

    @property
    def recent_tokens(self) -> int:
        """Return the tokens of recent messages to keep."""
        return min(KEEP_RECENT, int(RECENT_SHARE * self.window)) if self.recent is None else self.recent

    @property
    def request_limit(self) -> int:
        """Return the tokens up to which a request of the user stays verbatim."""
        return max(_MIN_REQUEST, int(_REQUEST_SHARE * self.effective))

    @property
    def record_reserve(self) -> int:
        """Return the tokens that the record below a page needs for what the page may not hold."""
        return int(_RECORD_FACTOR * max(self.summary_limit - self.page_limit, 0)) if self.page_tokens is None else 0

    @property
    def page_limit(self) -> int:
        """Return the maximum tokens of a page."""
        most = min(SUMMARY_CAP, int(_PAGE_SHARE * (self.window - self.fixed)))
        return most if self.page_tokens is None else self.page_tokens

    @property
    def summary_limit(self) -> int:
        """Return the tokens reserved for a summary; it may use more if the recent messages are short."""
        return min(SUMMARY_CAP, int(_SUMMARY_SHARE * (self.effective - self.fixed)))


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
