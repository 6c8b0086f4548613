"""A cache of one result: several stages of a compaction ask the same of one conversation."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TypeVar

from ctxkit.core.chat.model.record import Record

Result = TypeVar("Result")
Question = Callable[[Sequence[Record]], Result]


def keep_last_result(function: Question[Result]) -> Question[Result]:
    """Return a function that computes nothing if it gets the same tuple as before; comparing entries is not needed."""
    last: list[tuple[Sequence[Record], Result]] = []

    @wraps(function)
    def answer(records: Sequence[Record]) -> Result:
        if last and last[0][0] is records:
            return last[0][1]
        result = function(records)
        if isinstance(records, tuple):
            last[:] = [(records, result)]
        return result

    return answer
