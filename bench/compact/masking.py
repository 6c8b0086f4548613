"""Masking of observations, as "The Complexity Trap" (arXiv 2508.21433) proposes it, beside the full compaction.

The paper keeps the newest ten observations and reports that masking halves the cost of an agent without a loss of
solved tasks. Cost is measured here as the tokens of all inputs of a session, and knowledge as the facts that remain.
"""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from bench.compact.baselines import keep_last
from bench.compact.compacting import compact, every, texts
from bench.compact.facts import fold, is_known
from bench.compact.halves import half_of
from bench.compact.sessions import Session, sessions
from bench.compact.shapes import openai
from bench.figure import Figure
from bench.place import Place

NEWEST = 10
"""Observations that stay; the paper found ten to be best for SWE-agent."""
WINDOW = 8192
MASKED, KEEP_LAST, PIPELINE = f"--keep-observations {NEWEST}", "keep-last at that size", "the full compaction"


class Masked(NamedTuple):
    """Hold the share of the tokens and of the facts that each way leaves of a session, and the share of all inputs."""

    sizes: dict[str, float]
    facts: dict[str, float]
    inputs: float


def figures(place: Place) -> Iterator[Figure]:
    """Yield one line for each way, over the sessions of the half kept apart that do not fit the window."""
    apart = [session for session in half_of(sessions(place), "test") if session.facts]
    cases = [masked for masked in every(partial(_measure, place), apart) if masked]
    if not cases:
        return
    for way in (MASKED, KEEP_LAST, PIPELINE):
        facts, sizes = (_mean([getattr(case, name)[way] for case in cases]) for name in ("facts", "sizes"))
        what = f"{way}: facts kept, size of the last input (n={len(cases)}, window {WINDOW:,})"
        yield Figure("compact", what, f"{facts:.2f}, {sizes:.2f} of the whole")
    inputs = _mean([case.inputs for case in cases])
    yield Figure("compact", f"{MASKED}: tokens of all inputs of a session", f"{inputs:.2f} of those without masking")


def _measure(place: Place, session: Session) -> Masked | None:
    """Return what masking, the full compaction and the last messages leave, None of a session that fits."""
    messages = openai(session.turns)
    shape = json.dumps(messages)
    full = compact(place, shape, WINDOW)
    masked = compact(place, shape, 10_000_000, "--force", "--keep-observations", str(NEWEST))
    if full.report.get("result") != "compacted" or masked.status != 0:
        return None
    masked_messages = json.loads(masked.text)
    last = keep_last(session.turns, _size(masked_messages), _size)
    ways = {MASKED: masked_messages, KEEP_LAST: last, PIPELINE: json.loads(full.text)}
    whole = _size(messages)
    return Masked(
        {way: _size(value) / whole for way, value in ways.items()},
        {way: _share_known(session, value) for way, value in ways.items()},
        _share_of_inputs(messages, masked_messages),
    )


def _share_of_inputs(messages: Sequence[Any], masked: Sequence[Any]) -> float:
    """Return the tokens of the inputs of all turns with masking, as a share of those without."""
    pairs = [
        (_size([before]), _size([after]), before["role"] == "tool")
        for before, after in zip(messages, masked, strict=True)
    ]
    with_masking = without = 0
    for end, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        observations = [at for at in range(end) if pairs[at][2]]
        old = set(observations[: max(len(observations) - NEWEST, 0)])
        without += sum(size for size, _, _ in pairs[:end])
        with_masking += sum(pairs[at][1] if at in old else pairs[at][0] for at in range(end))
    return with_masking / without if without else 1.0


def _share_known(session: Session, messages: Any) -> float:
    whole = fold(texts(json.dumps(messages)))
    return _mean([is_known(fact, whole) for fact in session.facts])


def _size(messages: Any) -> int:
    """Return tokens by a rule of thumb that is the same for every way: 4 a message and 4 letters each."""
    return sum(4 + len(json.dumps(message, ensure_ascii=False)) // 4 for message in messages)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
