"""The metadata of an answer: the tokens of its request, its stop reason, and the report of answers and their sum."""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Literal, NamedTuple

from ctxkit.core.models.offers import find_cache_seconds
from ctxkit.core.text.json_value import JsonValue

Reason = Literal[
    "end", "length", "tool", "stop_sequence", "content_filter", "refusal", "pause",
    "context_exceeded", "compaction", "error", "aborted", "unknown",
]  # fmt: skip
"""Why an answer ended: complete, at its limit, with a tool call, and so on."""
StopReason = Literal[
    "max_tokens", "error", "abort", "stop", "tool_use", "content_filter", "refusal", "pause", "unknown"
]
"""Why an answer ended, in the terms of seed 002, with more terms where it has none."""
STOP_REASONS: dict[Reason, StopReason] = {
    "end": "stop",
    "stop_sequence": "stop",
    "length": "max_tokens",
    "context_exceeded": "max_tokens",
    "tool": "tool_use",
    "content_filter": "content_filter",
    "refusal": "refusal",
    "pause": "pause",
    "compaction": "pause",
    "error": "error",
    "aborted": "abort",
    "unknown": "unknown",
}


class Usage(NamedTuple):
    """The tokens of one request.

    Uncached input, cache reads, and cache writes for five minutes and for an hour are separate and add up to the input.
    ``reasoning`` is a part of the output, None if the provider does not report it.
    """

    input_uncached: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    output: int = 0
    reasoning: int | None = None

    @property
    def input(self) -> int:
        """Return the total input tokens of the request."""
        return self.input_uncached + self.cache_read + self.cache_write_5m + self.cache_write_1h

    @property
    def context_total(self) -> int:
        """Return the tokens in context after the answer: input and output."""
        return self.input + self.output

    @property
    def cache_seconds(self) -> int:
        """Return for how many seconds the provider keeps the prompt in its cache, 0 if the usage does not say."""
        return find_cache_seconds(self.cache_write_5m, self.cache_write_1h)

    def plus(self, other: "Usage") -> "Usage":
        """Return the sum of two usages; reasoning is None only if neither reports it."""
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
    """The stop reason of an answer, and the provider's own term."""

    reason: Reason
    raw: str = ""

    @property
    def stop_reason(self) -> StopReason:
        """Return the stop reason in the terms of seed 002."""
        return STOP_REASONS[self.reason]


def name_stop(raw: str, reasons: Mapping[str, Reason]) -> Stop | None:
    """Return the stop that a provider reports in its own term, None for an empty one."""
    return Stop(reasons.get(raw, "unknown"), raw) if raw else None


class CompactionReceipt(NamedTuple):
    """A compaction by the host: the tokens that are in context after it, None if the host does not say."""

    context: int | None


class Answer(NamedTuple):
    """The metadata of one answer, or of a piece of one in a stream.

    Pieces with the same ``key`` belong to one answer, as do pieces without a key up to a ``closed`` one. ``calls``
    marks a call of a tool that the caller runs. ``message`` is the provider's error message. ``compaction`` stands for
    a compaction by the host instead of an answer.
    """

    source: str
    usage: Usage | None = None
    stop: Stop | None = None
    key: str = ""
    model: str = ""
    message: str = ""
    calls: bool = False
    closed: bool = False
    compaction: "CompactionReceipt | None" = None

    def merge(self, other: "Answer") -> "Answer":
        """Return the answer merged with its next piece; counts in a stream are cumulative, so later ones win."""
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
        """Return the stop reason; some providers report a normal end for a tool call."""
        stop = self.stop or Stop("unknown")
        return Stop("tool", stop.raw) if stop.reason == "end" and self.calls else stop


def _merge_usage(before: Usage | None, after: Usage | None) -> Usage | None:
    """Return the usage of two pieces; a later piece may report only the output."""
    if before is None or after is None:
        return after or before
    read = after if after.input else before
    reasoning = after.reasoning if after.reasoning is not None else before.reasoning
    return read._replace(output=max(before.output, after.output), reasoning=reasoning)


def subtract_parts(whole: int, *parts: int) -> tuple[int, ...]:
    """Return the rest of a whole, and its parts; a sum of parts above the whole was never included in it."""
    total = sum(parts)
    return (whole - total if total <= whole else whole, *parts)


def read_number(value: JsonValue, *keys: str) -> int:
    """Return the first member that is a positive integer, 0 if none is."""
    fields = value if isinstance(value, dict) else {}
    values = (fields.get(key) for key in keys)
    return next(
        (number for number in values if isinstance(number, int) and not isinstance(number, bool) and number > 0), 0
    )


def read_optional_number(value: JsonValue, key: str) -> int | None:
    """Return a member that is a nonnegative integer, None for any other value."""
    number = value.get(key) if isinstance(value, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) and number >= 0 else None


_FAILED_REASONS = ("error", "aborted")
COUNT_NAMES = {
    "input_uncached": "input, uncached",
    "cache_read": "cache, read",
    "cache_write_5m": "cache, written for 5 minutes",
    "cache_write_1h": "cache, written for an hour",
    "output": "output",
    "reasoning": "of it reasoning",
    "context_total": "in context",
}
"""Names of counts in the table."""


def build_report(answers: Sequence[Answer]) -> dict[str, JsonValue]:
    """Return the report on the last answer and on the sum of all answers, as a JSON object.

    The usage of a failed answer is unknown; the report then uses the last answer that did not fail. Counts are null if
    no answer reports any. After a compaction by the host, what is in context is what it left.
    """
    compaction = answers[-1].compaction
    answers = [answer for answer in answers if not answer.compaction]
    last = answers[-1]
    used = [answer for answer in answers if answer.usage]
    sound = [answer for answer in used if answer.final_stop.reason not in _FAILED_REASONS] or used
    source = sound[-1] if sound else last
    stop = last.final_stop
    report: dict[str, JsonValue] = {
        "source": source.source,
        "model": source.model or None,
        **describe_usage(source.usage),
    }
    if compaction:
        report |= {"context_total": compaction.context, "total": compaction.context}
    report |= {"stop": stop.reason, "stop_reason": stop.stop_reason, "stop_raw": stop.raw or None}
    report["message"] = last.message or None
    total = reduce(Usage.plus, (answer.usage for answer in used if answer.usage), Usage()) if used else None
    return {**report, "answers": len(answers), "all": describe_usage(total)}


def describe_usage(usage: Usage | None) -> dict[str, int | None]:
    """Return token counts by name; ``input``, ``output`` and ``total`` are shorter aliases."""
    names = (*Usage._fields, "context_total", "input")
    fields: dict[str, int | None] = {name: getattr(usage, name) if usage else None for name in names}
    return {**fields, "total": fields["context_total"]}


def format_report(report: dict[str, JsonValue]) -> str:
    """Return the report as text; zero counts are left out."""
    keys = [key for key in COUNT_NAMES if report[key] or (key == "output" and report["input"])]
    shown = [(COUNT_NAMES[key], f"{report[key]:,}") for key in keys]
    width = max((len(number) for _, number in shown), default=0)
    lines = [f"{number:>{width}}  {name}" for name, number in shown]
    stop = report["stop"] + (f" ({report['stop_raw']})" if report["stop_raw"] not in (None, report["stop"]) else "")
    message = f": {' '.join(report['message'].split())}" if report["message"] else ""
    lines.append(f"stop: {stop}{message}")
    total = report["all"]
    if report["answers"] > 1 and total["total"]:
        lines.append(f"{report['answers']:,} answers: {total['input']:,} tokens read, {total['output']:,} written")
    return "".join(line + "\n" for line in lines)
