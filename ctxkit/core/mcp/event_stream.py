"""Read the events of a stream of server-sent events (HTML, "Interpreting an event stream") without decoding them."""

import re
from typing import NamedTuple

LINE_END = re.compile(rb"\r\n|\n|\r")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class ServerEvent(NamedTuple):
    """An event: its data as bytes, its type, the id to resume after it, and the milliseconds to wait before that.

    The id is that of an earlier event if the event has none; ``retry`` is None if the event does not say it.
    """

    data: bytes
    type: bytes = b"message"
    id: bytes = b""
    retry: int | None = None


class EventParser:
    """Parses pieces of a stream; raises ValueError if an event has more than ``most`` bytes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._pieces: list[bytes] = []
        self._is_start, self._follows_return = True, False
        self._size = 0
        self._id = b""
        self._clear()

    def _clear(self) -> None:
        self._data: list[bytes] = []
        self._data_size = 0
        self._type = b""
        self._retry: int | None = None
        self._is_empty = True

    def add(self, piece: bytes) -> list[ServerEvent]:
        """Return the events that a piece completes."""
        if self._follows_return:  # the line feed of a pair that was cut in two
            piece = piece.removeprefix(b"\n")
            self._follows_return = not piece
        if not piece:
            return []
        self._follows_return = piece.endswith(b"\r")
        self._size += len(piece)
        self._pieces.append(piece)
        events = []
        if LINE_END.search(piece):
            *lines, rest = LINE_END.split(b"".join(self._pieces))
            self._pieces = [rest]
            events = [event for line in lines if (event := self._take_line(line)) is not None]
            self._size = len(rest) + self._data_size
        if self._size > self._most:
            raise ValueError(f"an event of more than {self._most:,} bytes")
        return events

    def _take_line(self, line: bytes) -> ServerEvent | None:
        """Return the event that a line ends."""
        if self._is_start:
            line, self._is_start = line.removeprefix(BYTE_ORDER_MARK), False
        if not line:
            return self._end_event()
        name, _, value = line.partition(b":")
        self._take_field(name, value.removeprefix(b" "))
        return None

    def _take_field(self, name: bytes, value: bytes) -> None:
        if name == b"data":
            self._data.append(value)
            self._data_size += len(value) + 1
        elif name == b"event":
            self._type = value
        elif name == b"id" and b"\0" not in value:
            self._id = value
        elif name == b"retry" and value.isdigit():
            self._retry = int(value[:12])
        else:  # a comment begins with a colon, so its name is empty
            return
        self._is_empty = False

    def _end_event(self) -> ServerEvent | None:
        """Return the event of the lines before an empty one; one without data only has an id or a time to wait."""
        if self._is_empty:
            return None
        event = ServerEvent(b"\n".join(self._data), self._type or b"message", self._id, self._retry)
        self._clear()
        return event
