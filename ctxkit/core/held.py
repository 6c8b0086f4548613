"""A stream that can be read ahead and then read again."""

from collections import deque
from collections.abc import Iterable, Iterator


class HeldBack:
    """Hold back what was read of a stream until it is known where it goes.

    Iterating reads on and holds; ``everything`` gives all of it once and lets go as it does.
    ``current`` is the chunk that the caller was working on, for when that work fails.
    """

    def __init__(self, source: Iterable[bytes]) -> None:
        self._source = iter(source)
        self._held: deque[bytes] = deque()
        self.ended = False
        self.size = 0
        self.current = b""

    def upto(self, limit: int) -> bytes:
        """Read until more than ``limit`` bytes are held or the stream ends; return them."""
        while self.size <= limit and not self.ended:
            self._more()
        if len(self._held) > 1:
            self._held = deque([b"".join(self._held)])
        return self._held[0] if self._held else b""

    def __iter__(self) -> Iterator[bytes]:
        """Yield what is held, then read on, holding it too."""
        yield from list(self._held)
        while not self.ended:
            before = len(self._held)
            self._more()
            if len(self._held) > before:
                yield self._held[-1]

    def everything(self) -> Iterator[bytes]:
        """Yield all content, what is held first, and hold it no longer."""
        while self._held:
            yield self._held.popleft()
        for chunk in self._source:
            self.size += len(chunk)
            yield chunk
        self.ended = True

    def _more(self) -> None:
        chunk = next(self._source, None)
        if chunk is None:
            self.ended = True
        elif chunk:
            self._held.append(chunk)
            self.size += len(chunk)
