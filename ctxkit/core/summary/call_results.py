"""The result of each call: by id, otherwise the first unused result with the same name or without a name.

Gemini CLI writes ids in results only: an id that no call has says nothing.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from ctxkit.core.chat.model.record import Record, RecordCall, RecordResult

PlacedAnswer = tuple[int, int, RecordResult]
"""A result, the position of its message, and its number among all results."""


class ResultQueue:
    """The results with one id or name, for calls in the order of the conversation: each result is used once."""

    def __init__(self) -> None:
        self._ahead: deque[PlacedAnswer] = deque()
        self._behind: list[PlacedAnswer] = []

    def add(self, answer: PlacedAnswer) -> None:
        """Add the next result of the conversation."""
        self._ahead.append(answer)

    def find_next(self, at: int) -> PlacedAnswer | None:
        """Return the first result from message ``at`` on, without removing it."""
        while self._ahead and self._ahead[0][0] < at:
            self._behind.append(self._ahead.popleft())
        return self._ahead[0] if self._ahead else None

    def take_next(self, at: int) -> PlacedAnswer | None:
        """Return and remove the first result from message ``at`` on."""
        return None if self.find_next(at) is None else self._ahead.popleft()

    def take(self, at: int) -> PlacedAnswer | None:
        """Return and remove the first result from message ``at`` on, otherwise the last one before it."""
        return self.take_next(at) or (self._behind.pop() if self._behind else None)


def find_answers(records: Sequence[Record]) -> Iterator[tuple[int, RecordCall, PlacedAnswer | None]]:
    """Yield each call with the position of its message and its result.

    If several calls share an id, as some servers produce, each gets the next result.
    """
    by_id: dict[str, ResultQueue] = {}
    by_name: dict[str, ResultQueue] = {}
    number = 0
    call_ids = {call.id for record in records for call in record.calls if call.id}
    for at, record in enumerate(records):
        for result in record.results:
            queues, key = (by_id, result.id) if result.id in call_ids else (by_name, result.name)
            queues.setdefault(key, ResultQueue()).add((at, number, result))
            number += 1
    for at, record in enumerate(records):
        for call in record.calls:
            if call.id:
                yield at, call, by_id[call.id].take(at) if call.id in by_id else None
            else:
                yield at, call, _take_by_name(by_name, at, call.name)


def _take_by_name(by_name: Mapping[str, ResultQueue], at: int, name: str) -> PlacedAnswer | None:
    queues = [by_name[key] for key in {"", name} if key in by_name]
    answers = [(answer[1], queue) for queue in queues if (answer := queue.find_next(at))]
    return min(answers, key=lambda pair: pair[0])[1].take_next(at) if answers else None
