"""The result of each call: by id, otherwise the first unused result with the same name or without a name.

Gemini CLI writes ids in results only: an id that no call has says nothing.
"""

from collections import deque
from collections.abc import Iterator, Sequence

from ctxkit.core.chat.model.message import Record, RecordCall, RecordResult

PlacedAnswer = tuple[int, int, RecordResult]
"""A result, the position of its message, and its number among all results."""


def find_answers(records: Sequence[Record]) -> Iterator[tuple[int, RecordCall, PlacedAnswer | None]]:
    """Yield each call with the position of its message and its result.

    If several calls share an id, as some servers produce, each gets the next result.
    """
    by_id: dict[str, deque[PlacedAnswer]] = {}
    by_name: dict[str, deque[PlacedAnswer]] = {}
    number = 0
    call_ids = {call.id for record in records for call in record.calls if call.id}
    for at, record in enumerate(records):
        for result in record.results:
            queues, key = (by_id, result.id) if result.id in call_ids else (by_name, result.name)
            queues.setdefault(key, deque()).append((at, number, result))
            number += 1
    for at, record in enumerate(records):
        for call in record.calls:
            if call.id:
                queue = by_id.get(call.id, deque())
                earlier = _drop_earlier(queue, at)
                yield at, call, queue.popleft() if queue else earlier
                continue
            named = [by_name[name] for name in {"", call.name} if name in by_name]
            for queue in named:
                _drop_earlier(queue, at)
            first = min(filter(None, named), key=lambda queue: queue[0][1], default=None)
            yield at, call, first.popleft() if first else None


def _drop_earlier(queue: deque[PlacedAnswer], at: int) -> PlacedAnswer | None:
    """Remove the results in front of message ``at``; return the last of them."""
    last = None
    while queue and queue[0][0] < at:
        last = queue.popleft()
    return last
