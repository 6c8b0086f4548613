"""What some answers say together: the last of them, and all of them added up."""

from collections.abc import Sequence
from functools import reduce
from typing import Any

from ctxkit.core.usage.answer import Answer, Usage

_FAILED = ("error", "aborted")
NAMES = {
    "input_uncached": "input, uncached",
    "cache_read": "cache, read",
    "cache_write_5m": "cache, written for 5 minutes",
    "cache_write_1h": "cache, written for an hour",
    "output": "output",
    "reasoning": "of it reasoning",
    "context_total": "in context",
}
"""What counts are called in a table."""


def facts(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return what the last answer says of itself, ready for JSON, and what all of them took.

    Where the last one failed, its request took nothing that anyone knows: the usage is then that of the last one
    which did not. Counts are null where no answer has any.
    """
    last = answers[-1]
    used = [one for one in answers if one.usage]
    sound = [one for one in used if one.ended.reason not in _FAILED] or used
    source = sound[-1] if sound else last
    stop = last.ended
    found: dict[str, Any] = {"source": source.source, "model": source.model or None, **counts(source.usage)}
    found |= {"stop": stop.reason, "stop_raw": stop.raw or None, "message": last.message or None}
    both = reduce(Usage.plus, (one.usage for one in used if one.usage), Usage()) if used else None
    return {**found, "answers": len(answers), "all": counts(both)}


def counts(usage: Usage | None) -> dict[str, int | None]:
    """Return counts of tokens by name; ``input``, ``output`` and ``total`` are the same in fewer words."""
    names = (*Usage._fields, "context_total", "input")
    held: dict[str, int | None] = {name: getattr(usage, name) if usage else None for name in names}
    return {**held, "total": held["context_total"]}


def table(facts: dict[str, Any]) -> str:
    """Return facts as lines of a name and what it is; counts of nothing are left out."""
    wanted = [key for key in NAMES if facts[key] or (key == "output" and facts["input"])]
    shown = [(NAMES[key], f"{facts[key]:,}") for key in wanted]
    width = max((len(number) for _, number in shown), default=0)
    lines = [f"{number:>{width}}  {name}" for name, number in shown]
    stop = facts["stop"] + (f" ({facts['stop_raw']})" if facts["stop_raw"] not in (None, facts["stop"]) else "")
    said = f": {' '.join(facts['message'].split())}" if facts["message"] else ""
    lines.append(f"stop: {stop}{said}")
    both = facts["all"]
    if facts["answers"] > 1 and both["total"]:
        lines.append(f"{facts['answers']:,} answers: {both['input']:,} tokens read, {both['output']:,} written")
    return "".join(line + "\n" for line in lines)
