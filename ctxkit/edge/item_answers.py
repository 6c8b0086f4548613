"""Take the answers that other processes make for a list of items."""

from collections.abc import Callable, Iterator

from ctxkit.core.count.content_tokens import ContentTokens
from ctxkit.core.errors import CtxkitError

ShareItems = Callable[[Callable[[int], object], dict[int, int]], Iterator[tuple[int, object]]]
"""Yields answers for items of given sizes in bytes, by index, as other processes make them; may leave out items."""


class ItemAnswers:
    """Answers of other processes, in ascending order of the index; some may be absent."""

    def __init__(self, answers: Iterator[tuple[int, object]]) -> None:
        self._answers = answers
        self._next: tuple[int, object] | None = None

    def take(self, index: int) -> object:
        """Return the answer for an item, None if there is none; items are asked for in ascending order."""
        self._next = self._next or next(self._answers, None)
        if self._next is None or self._next[0] != index:
            return None
        value, self._next = self._next[1], None
        return value


def read_count(answer: object) -> ContentTokens:
    """Return the count that another process made; raise its error."""
    from ctxkit.core.count.plain_data import from_plain

    if isinstance(answer, CtxkitError):
        raise answer
    return from_plain(answer)
