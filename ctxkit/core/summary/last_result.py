"""A cache of one result: several stages of a compaction ask the same of one conversation."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def keep_last_result(function: Callable[[Sequence[Item]], Result]) -> Callable[[Sequence[Item]], Result]:
    """Return a function that computes nothing if it gets the same tuple as before; comparing items is not needed."""
    last: list[tuple[Sequence[Item], Result]] = []

    @wraps(function)
    def answer(items: Sequence[Item]) -> Result:
        """Return the last result for the same tuple, else a new one."""
        if last and last[0][0] is items:
            return last[0][1]
        result = function(items)
        if isinstance(items, tuple):
            last[:] = [(items, result)]
        return result

    return answer
