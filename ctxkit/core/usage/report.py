"""The usage report: the last answer, and the sum of all answers."""

from collections.abc import Sequence
from functools import reduce

from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.usage.answer import Answer, Usage

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
