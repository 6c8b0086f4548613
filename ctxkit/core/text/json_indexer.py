"""Read JSON text of any size once: index its large values, and give all values to a listener."""

import re

from ctxkit.core.text.json_cursor import JsonCursor
from ctxkit.core.text.json_index import JsonIndex, JsonListener, LargeValue, MemberStatistics
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.limits import LEVELS
from ctxkit.core.text.positions import SCAN, InvalidJsonError, JsonTooDeepError

STEP = 1 << 15
"""Minimum number of bytes between two entries of the index, except beside large values."""
JOINT = re.compile(r'["\]}]?[ \t\r\n]{0,40}+,[ \t\r\n]{0,40}+["\[{]?')
"""Pattern of the text between two elements of an array."""
CLOSING = '"]}'
MAX_PENALTY = 1 << 24
"""Maximum number of bytes that are read element by element after elements could not be decoded together."""
BATCH = 1 << 21
"""Number of characters of values that a listener receives at a time."""


def build_json_index(cursor: JsonCursor, size: int, start: int, listener: JsonListener, *, step: int = 0) -> JsonIndex:
    """Return the index of the documents from byte ``start``, up to the first error; raise JsonTooDeepError.

    The listener receives all values that are read.
    """
    indexer = _Indexer(cursor, size, start, listener, step or STEP)
    try:
        indexer.read_documents()
    except InvalidJsonError as error:
        path = indexer.find_path()
        indexer.close_all()
        return JsonIndex(indexer.root, error, path)
    return JsonIndex(indexer.root)


class _Indexer:
    def __init__(self, cursor: JsonCursor, size: int, start: int, listener: JsonListener, step: int) -> None:
        self.cursor = cursor
        self.size = size
        self.listener = listener
        self.step = step
        self.root = LargeValue("", None, start, start)
        self.frames = [self.root]
        self._next_run = self._next_bulk = self._penalty = 0
        self._broken: str | int | None = None
        self._elements: list[JsonValue] = []
        self._members: dict[str, JsonValue] = {}
        self._characters = 0

    def read_documents(self) -> None:
        """Read the documents."""
        root = self.root
        while self.cursor.peek() in ("[", "{"):
            self._read_value(root, None, self._begin_member(root))
            self._read_frames()
            root.stop = self.cursor.byte(self.cursor.at)
        root.end = self.cursor.byte(self.cursor.at)
        self._flush(root)

    def _read_frames(self) -> None:
        """Read the members of all large values that are open."""
        while len(self.frames) > 1:
            frame = self.frames[-1]
            if frame.kind == "[":
                self._read_elements(frame)
            else:
                self._read_members(frame)

    def _read_elements(self, frame: LargeValue) -> None:
        """Read elements of an array up to the next large one, or to its end."""
        cursor = self.cursor
        if self._is_closed(frame, "]", "[0"):
            return
        joint = ""
        while True:
            cursor.peek()
            offset = self._begin_member(frame)
            if not (joint and offset >= self._next_bulk and self._read_bulk(frame, joint, offset)):
                if self._read_value(frame, None, offset):
                    return
                joint = ""
            if cursor.peek() != ",":
                self._is_closed(frame, "]", "[0")
                return
            joint = joint or self._find_joint()
            cursor.at += 1

    def _find_joint(self) -> str:
        """Return the text between two elements at the comma here, with their brackets, or an empty string."""
        cursor = self.cursor
        if cursor.last < 0:
            return ""
        match = JOINT.match(cursor.text, cursor.last + (cursor.text[cursor.last] not in CLOSING))
        return match[0] if match and match.end() < len(cursor.text) else ""

    def _read_bulk(self, frame: LargeValue, joint: str, offset: int) -> bool:
        """Decode many elements at once, up to what looks like the end of one; return whether that was right.

        If it was wrong, the brackets do not match, and the text does not decode.
        """
        cursor = self.cursor
        size = min(self.step, cursor.large)
        while len(cursor.text) - cursor.at <= size and cursor.extend():
            pass
        cut = cursor.text.rfind(joint, cursor.at, cursor.at + size)
        cut += joint[0] in CLOSING
        values = decode_elements(cursor.text[cursor.at : cut]) if cut > cursor.at else None
        if not values:
            self._penalty = min(max(self._penalty * 2, size), MAX_PENALTY)
            self._next_bulk = offset + self._penalty
            return False
        frame.count += len(values)
        self._elements += values
        self._characters += cut - cursor.at
        cursor.at = cut
        self._penalty = 0
        if self._characters >= BATCH:
            self._flush(frame)
        return True

    def _read_members(self, frame: LargeValue) -> None:
        """Read members of an object up to the next large one, or to its end."""
        cursor = self.cursor
        if self._is_closed(frame, "}", '{"":0'):
            return
        while True:
            cursor.peek()
            at = self._begin_member(frame)
            key = cursor.read_key('{"":0,' if frame.count else "{")
            if self._read_value(frame, key, at):
                return
            if self._is_closed(frame, "}", '{"":0'):
                return

    def _is_closed(self, frame: LargeValue, close: str, later: str) -> bool:
        """Return whether a large value ends here, which closes it; else skip the comma after its last member."""
        mark = self.cursor.peek()
        frame.stop = self.cursor.byte(self.cursor.at)
        if mark == close:
            self.cursor.at += 1
            frame.end = frame.stop + 1
            self._close(frame)
            return True
        if frame.count:
            if mark != ",":
                raise self.cursor.explain(later)
            self.cursor.at += 1
        return False

    def _begin_member(self, frame: LargeValue) -> int:
        """Begin a run at the position if the last one is long enough; return the byte offset."""
        offset = frame.stop = self.cursor.byte(self.cursor.at)
        if offset >= self._next_run:
            frame.add_run(offset)
            self._next_run = offset + self.step
        return offset

    def _read_value(self, frame: LargeValue, key: str | None, at: int) -> bool:
        """Read the value at the position; return whether it is large and open."""
        cursor = self.cursor
        if key is not None:
            cursor.peek()
        value = cursor.decode()
        if value is ...:
            self._flush(frame)
            return self._read_large(frame, key, at)
        frame.count += 1
        self._characters += cursor.length
        if key is None:
            self._elements.append(value)
        else:
            if key in self._members:
                self._flush(frame)
            self._members[key] = value
        if self._characters >= BATCH:
            self._flush(frame)
        return False

    def _flush(self, frame: LargeValue) -> None:
        """Give the pending values to the listener."""
        if self._elements:
            self.listener.add_elements(frame, frame.count - len(self._elements), self._elements)
            self._elements = []
        if self._members:
            number = frame.count - len(self._members)
            if frame.members:
                frame.members.add(self._members)
            self.listener.add_members(frame, number, self._members)
            self._members = {}
        self._characters = 0

    def _close(self, frame: LargeValue) -> None:
        """End a large value."""
        self._flush(frame)
        if frame.members:
            frame.is_table = frame.members.have_similar_rows(frame.count)
            frame.duplicates = tuple(frame.members.duplicates)
            outer = self.frames[-2].members
            if outer:
                outer.add_inner_keys(frame.members.keys, frame.count)
        self.listener.close_value(frame)
        frame.members = None
        self.frames.pop()
        self._next_run = 0

    def _read_large(self, frame: LargeValue, key: str | None, at: int) -> bool:
        """Open a large array or object, or skip a large string."""
        cursor = self.cursor
        self._broken = frame.count if key is None else key
        kind = cursor.peek()
        if kind not in ("[", "{", '"'):
            raise cursor.explain("")
        if len(self.frames) > LEVELS:
            raise JsonTooDeepError
        large = LargeValue(kind, key, at, cursor.byte(cursor.at))
        if kind == '"':
            large.string = cursor.skip_string()
            large.end = large.stop = cursor.byte(cursor.at)
        frame.add_large(large)
        self._next_run = 0
        self._broken = None
        if key is not None and frame.members:
            frame.members.add({key: "" if kind == '"' else {} if kind == "{" else []})
        if kind == '"':
            self.listener.open_value(frame, frame.count - 1, large)
            self.listener.close_value(large)
            return False
        large.members = MemberStatistics() if kind == "{" else None
        self.frames.append(large)
        self.listener.open_value(frame, frame.count - 1, large)
        cursor.at += 1
        return True

    def find_path(self) -> tuple["str | int", ...]:
        """Return the path to the position."""
        steps: list[str | int] = []
        for outer, frame in zip(self.frames[1:], self.frames[2:], strict=False):
            steps.append(outer.count - 1 if frame.key is None else frame.key)
        return tuple(steps) if self._broken is None else (*steps, self._broken)

    def close_all(self) -> None:
        """End all large values that are open at the end of the text."""
        for frame in reversed(self.frames):
            frame.end = self.size
            frame.stop = frame.stop or self.size
            if frame is not self.root:
                self._close(frame)
        self._flush(self.root)


def decode_elements(text: str) -> list[JsonValue] | None:
    """Return the values that are separated by commas in a text, or None if it does not consist of them."""
    text = f"[{text}]"
    try:
        values, end = SCAN(text, 0)
    except RecursionError:
        raise JsonTooDeepError from None
    except (ValueError, StopIteration):
        return None
    return values if end == len(text) else None
