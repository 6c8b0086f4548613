"""Cut points: positions between two entries at which the API accepts a conversation without the entries before."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Literal

from ctxkit.core.chat.editing.editable_format import ApiRules
from ctxkit.core.chat.model.message import Record
from ctxkit.core.chat.validity.pairing import pair_calls

CutPoint = Literal["free", "loop", "closed"]
"""Kind of a position between two entries: "free" for any cut, "loop" for a cut inside a loop of calls whose rest begins
with reasoning, "closed" for no cut.
"""


def find_cut_points(path: Sequence[Record], rules: ApiRules) -> list[CutPoint]:
    """Return the kind of the position before each entry, and last the kind of the end.

    A cut never separates a call from its result, the entries of one response, or reasoning from its successor. A call
    that waits for its result is never cut off.
    """
    points: list[CutPoint] = ["free"] * (len(path) + 1)
    for first, last in _find_reasoning_loops(path) if rules.loops_are_atomic else ():
        for at in range(first + 1, last + 1):
            points[at] = "loop" if path[at].has_reasoning else "closed"
    # Ranges may be nested and may each span thousands of entries, so only their ends are counted.
    open_ranges = [0] * (len(path) + 2)
    for first, last in _find_inseparable(path, rules):
        open_ranges[first + 1] += 1
        open_ranges[last + 1] -= 1
    return [
        "closed" if open_count else point for point, open_count in zip(points, accumulate(open_ranges), strict=False)
    ]


def _find_inseparable(path: Sequence[Record], rules: ApiRules) -> Iterator[tuple[int, int]]:
    """Yield the first and the last position of each range that must not be cut."""
    pairs = pair_calls(path, rules)
    at = {record.at: place for place, record in enumerate(path)}
    places = [at[record.at] for record in pairs.messages]
    for call, result in (*pairs.paired, *pairs.displaced):
        first, last = sorted((places[call.at], places[result.at]))
        yield first, last
    for turn in pairs.turns:
        yield places[turn.first], places[turn.last]
    for waiting in pairs.waiting:
        yield places[waiting.at], len(path)
    yield from _find_responses(path)


def _find_responses(path: Sequence[Record]) -> Iterator[tuple[int, int]]:
    """Yield the range of each response stored in several entries, and of reasoning with its successor."""
    first: dict[str, int] = {}
    for at, record in enumerate(path):
        group = record.link.group if record.link else ""
        if group:
            yield first.setdefault(group, at), at
        alone = record.has_reasoning and not record.calls and not record.words.strip()
        if alone and at + 1 < len(path) and path[at + 1].role == "assistant":
            yield at, at + 1


def _find_reasoning_loops(path: Sequence[Record]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last position of each run of calls and results that begins with reasoning."""
    first = -1
    for at, record in enumerate(path):
        if first < 0 and record.role == "assistant" and record.has_reasoning:
            first = at
        elif first >= 0 and (record.is_user_request or record.kind == "summary"):
            yield first, at - 1
            first = -1
    if first >= 0:
        yield first, len(path) - 1
