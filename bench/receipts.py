"""What Anthropic's API billed for tool results, against the estimate for its models.

The truth is in recorded pi sessions: between two answers, the input grows by what the first answer took and by
the tool results after it. Around each result stand about 15 tokens of its own.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from bench.figure import Figure
from bench.place import Place
from ctxkit.core.tokens.estimate import estimate_tokens
from ctxkit.core.tokens.vocabulary import find_vocabulary

SHORTEST = 1_500
"""Characters below which what stands around a result weighs too much."""
AROUND = 15
"""Tokens around one tool result (measured on the shortest of them)."""


def figures(place: Place) -> Iterator[Figure]:
    """Yield how far estimates were from what was billed."""
    billed = list(_bill(Path(place.corpora))) if place.corpora else []
    if not billed:
        yield Figure("receipts", "claude", "skipped", notes=("there are no recorded sessions",))
        return
    itemss = [(true, estimate_tokens(text, find_vocabulary("claude"))) for text, true in billed]
    errors = [abs(guess.tokens - true) / true for true, guess in itemss]
    inside = sum(guess.low <= true <= guess.high for true, guess in itemss) / len(itemss)
    middle, last = median(errors), quantiles(errors, n=20)[-1]
    figure = f"{len(itemss)} receipts: median error {middle:.1%}, 95th {last:.1%}, inside {inside:.1%}"
    good = middle <= 0.06 and last <= 0.20 and inside >= 0.93
    yield Figure("receipts", "claude (Opus and Sonnet 4.5)", figure, None, "<= 6 %, <= 20 %, >= 93 %", good)


def _bill(corpora: Path) -> Iterator[tuple[str, int]]:
    for path in sorted(corpora.glob("sessions/**/*.jsonl")):
        with path.open(encoding="utf-8", errors="replace") as lines:
            yield from _between_answers(message for line in lines if (message := _message(line)))


def _message(line: str) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    message = entry.get("message") if isinstance(entry, dict) and entry.get("type") == "message" else None
    return message if isinstance(message, dict) else None


def _between_answers(messages: Iterator[dict[str, Any]]) -> Iterator[tuple[str, int]]:
    """Yield the text of the tool results between two answers of Claude 4.5, with the tokens they took."""
    before, results = 0, list[dict[str, Any]]()
    for message in messages:
        if message.get("role") != "assistant":
            results.append(message)
            continue
        usage = message.get("usage") or {}
        taken = sum(usage.get(part, 0) for part in ("input", "cacheRead", "cacheWrite"))
        text = "\n".join(map(_text, results))
        if before and taken > before and len(text) >= SHORTEST and "4-5" in str(message.get("model")):
            yield text, taken - before - AROUND * len(results)
        before, results = (taken + usage.get("output", 0)) if taken else 0, []


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or () if isinstance(part, dict))
