"""What an answer says of itself: the tokens that its request took, and why it ended."""

from typing import Any, Literal, NamedTuple

Reason = Literal[
    "end", "length", "tool", "stop_sequence", "content_filter", "refusal", "pause",
    "context_exceeded", "compaction", "error", "aborted", "unknown",
]  # fmt: skip
"""Why an answer ended: by itself, at its limit, to call a tool, and so on."""


class Usage(NamedTuple):
    """Hold what one request took, in tokens.

    What was read anew, from a cache, and into caches of five minutes and of an hour are apart, so that they add up
    to the input. ``reasoning`` is the part of the output that was thought, None where the provider does not say.
    """

    input_uncached: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    output: int = 0
    reasoning: int | None = None

    @property
    def input(self) -> int:
        """Return all that the request read."""
        return self.input_uncached + self.cache_read + self.cache_write_5m + self.cache_write_1h

    @property
    def context_total(self) -> int:
        """Return the tokens in context after the answer: all that was read, and what was written."""
        return self.input + self.output

    def plus(self, other: "Usage") -> "Usage":
        """Return what two requests took together; reasoning where either says."""
        reasoning, other_reasoning = self.reasoning, other.reasoning
        return Usage(
            self.input_uncached + other.input_uncached,
            self.cache_read + other.cache_read,
            self.cache_write_5m + other.cache_write_5m,
            self.cache_write_1h + other.cache_write_1h,
            self.output + other.output,
            None if reasoning is None and other_reasoning is None else (reasoning or 0) + (other_reasoning or 0),
        )


class Stop(NamedTuple):
    """Say why an answer ended, and in the provider's own word."""

    reason: Reason
    raw: str = ""


class Answer(NamedTuple):
    """Hold what one answer, or a piece of one in a stream, says of itself.

    Pieces with one ``key`` are of one answer, as are those without a key up to one that is ``closed``. ``calls``
    tells that it calls a tool of the caller. ``message`` is what the provider said of an error.
    """

    source: str
    usage: Usage | None = None
    stop: Stop | None = None
    key: str = ""
    model: str = ""
    message: str = ""
    calls: bool = False
    closed: bool = False

    def merge(self, other: "Answer") -> "Answer":
        """Return the answer with its next piece: counts in a stream are of all so far, a later one holds."""
        return Answer(
            self.source,
            _merge_usage(self.usage, other.usage),
            other.stop or self.stop,
            self.key or other.key,
            self.model or other.model,
            other.message or self.message,
            self.calls or other.calls,
            other.closed,
        )

    @property
    def final_stop(self) -> Stop:
        """Return why it ended: some providers say that it did, where it did to call a tool."""
        stop = self.stop or Stop("unknown")
        return Stop("tool", stop.raw) if stop.reason == "end" and self.calls else stop


def _merge_usage(before: Usage | None, after: Usage | None) -> Usage | None:
    """Return the usage of two pieces: a later one may say of the output alone."""
    if before is None or after is None:
        return after or before
    read = after if after.input else before
    reasoning = after.reasoning if after.reasoning is not None else before.reasoning
    return read._replace(output=max(before.output, after.output), reasoning=reasoning)


def subtract_parts(whole: int, *parts: int) -> tuple[int, ...]:
    """Return what is left of a whole, and its parts; parts that are more than the whole were never in it."""
    total = sum(parts)
    return (whole - total if total <= whole else whole, *parts)


def read_number(value: Any, *keys: str) -> int:
    """Return the first of some members that is a whole number above zero, 0 when none is."""
    fields = value if isinstance(value, dict) else {}
    values = (fields.get(key) for key in keys)
    return next(
        (number for number in values if isinstance(number, int) and not isinstance(number, bool) and number > 0), 0
    )


def read_optional_number(value: Any, key: str) -> int | None:
    """Return a member that is a whole number, None when it is absent or anything else."""
    number = value.get(key) if isinstance(value, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) and number >= 0 else None
