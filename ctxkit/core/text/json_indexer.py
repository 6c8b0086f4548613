"""Read JSON text of any size once: index its large values, and give all values to a listener."""

import re
from codecs import getincrementaldecoder
from collections.abc import Callable
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]
from typing import Final

from ctxkit.core.text.json_index import JsonIndex, JsonListener, LargeValue, MemberStatistics
from ctxkit.core.text.json_value import JsonValue, LargeString
from ctxkit.core.text.limits import LEVELS
from ctxkit.core.text.positions import BLANKS, SCAN, InvalidJsonError, JsonTooDeepError, decode_value

WINDOW = 2 << 20
"""Number of bytes read at a time."""
LARGE = 1 << 18
"""Characters of a value from which it is large: it is not decoded as a whole."""
PREFIX = 1_000
"""Characters of a large string that are kept."""
_CHARACTERS = re.compile(
    r"""(?:[^"\\]++|\\[^u]|\\u(?![dD][89abAB])[0-9a-fA-F]{4}
    |\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?=[^\\]|\\[^u]|\\u[0-9a-fA-F]{4})))*+""",
    re.DOTALL | re.VERBOSE,
)
"""Pattern of complete characters of a string; one may be written as two escapes."""
_NUMBER_END = 2
"""Characters after a number that may belong to it, if the text ends there, as in ``1e-``."""
ESCAPE = 12
"""Characters of the longest sequence of escapes that makes one character."""


class JsonCursor:
    """Hold a position in JSON text, which only moves forward.

    ``text`` is the window, and ``at`` the position in it. ``last`` is the position of the last character of the last
    value, and ``length`` the number of its characters. The results do not depend on the size of the window.
    """

    def __init__(
        self, read: Callable[[int, int], bytes], size: int, start: int = 0, *, window: int = 0, large: int = 0
    ) -> None:
        self.text = ""
        self.at = 0
        self.window: Final = window or WINDOW
        self.large: Final = large or LARGE
        self.is_complete = False
        self.length = self.last = 0
        self._read = read
        self._size = size
        self._next = start
        self._counted = 0
        self._bytes = start
        self._decoder = getincrementaldecoder("utf-8")("surrogateescape")

    def extend(self) -> bool:
        """Drop the text before the position and add another window; return whether there was more text."""
        if self.is_complete:
            return False
        self.byte(self.at)
        data = self._read(self._next, min(self.window, self._size - self._next)) if self._next < self._size else b""
        self._next += len(data)
        self.text = self.text[self.at :] + self._decoder.decode(data, not data)
        self.last -= self.at
        self.at = self._counted = 0
        self.is_complete = not data
        return True

    def byte(self, at: int) -> int:
        """Return the byte offset of a position in the window; calls must be in increasing order."""
        if self.text.isascii():
            self._bytes += at - self._counted
        else:
            self._bytes += len(self.text[self._counted : at].encode("utf-8", "surrogateescape"))
        self._counted = at
        return self._bytes

    def peek(self) -> str:
        """Skip blanks and return the next character, or an empty string at the end."""
        while True:
            match = BLANKS.match(self.text, self.at)
            self.at = match.end() if match else self.at
            if self.at < len(self.text) or not self.extend():
                return self.text[self.at : self.at + 1]

    def decode(self) -> JsonValue:
        """Return the value at the position and move after it, or return ``...`` for a large or broken one."""
        while True:
            value, end = self._scan()
            if value is not ... and (end + _NUMBER_END < len(self.text) or self.is_complete):
                if end - self.at > self.large:
                    return ...
                self.length, self.at, self.last = end - self.at, end, end - 1
                return value
            if len(self.text) - self.at > self.large or not self.extend():
                return ...

    def _scan(self) -> tuple[JsonValue, int]:
        try:
            return SCAN(self.text, self.at)
        except RecursionError:
            raise JsonTooDeepError from None
        except (JSONDecodeError, StopIteration):
            return ..., 0
        except ValueError:  # an integer with more digits than Python converts
            try:
                return decode_value(self.text, self.at)
            except InvalidJsonError:
                return ..., 0

    def read_key(self, before: str) -> str:
        """Return the key at the position and move to its value; raise InvalidJsonError.

        ``before`` is a beginning of an object that the key may follow.
        """
        if self.peek() != '"':
            raise self.explain(before)
        while True:
            try:
                key, end = scanstring(self.text, self.at + 1, False)
                break
            except JSONDecodeError as error:
                is_long = len(self.text) - self.at > self.large
                if is_long and error.msg.startswith("Unterminated"):
                    reason = f"a key of more than {self.large:,} characters is not read"
                    raise InvalidJsonError(self.byte(self.at), reason) from None
                if is_long or not self.extend():
                    raise self.explain(before) from None
        self.at = end
        if self.peek() != ":":
            raise self.explain('{""')
        self.at += 1
        return str(key)

    def skip_string(self) -> LargeString:
        """Move after the large string at the position, and return its beginning with its length.

        Raise InvalidJsonError.
        """
        start = self.byte(self.at)
        self.at += 1
        prefix, length = "", 0
        while True:
            match = _CHARACTERS.match(self.text, self.at)
            end = match.end() if match else self.at
            piece = self._decode_piece(end)
            length += len(piece)
            prefix = prefix if len(prefix) >= PREFIX else (prefix + piece)[:PREFIX]
            self.at = end
            if self.text.startswith('"', end):
                self.at += 1
                return LargeString.make(prefix, length)
            if len(self.text) - end > ESCAPE or not self.extend():
                error = self.explain('"')
                raise InvalidJsonError(start, error.reason) if error.reason == "it ends too early" else error

    def _decode_piece(self, end: int) -> str:
        piece = self.text[self.at : end]
        if "\\" not in piece:
            return piece
        try:
            return str(scanstring(f'{piece}"', 0, False)[0])
        except JSONDecodeError as error:
            raise InvalidJsonError(self.byte(self.at + error.pos), "invalid escape") from None

    def explain(self, before: str) -> InvalidJsonError:
        """Return the error at the position, as the decoder states it for a text that begins with ``before``."""
        text = before + self.text[self.at : self.at + self.large]
        try:
            decode_value(text, 0)
        except InvalidJsonError as error:
            at = min(max(error.position - len(before), 0), len(self.text) - self.at)
            return InvalidJsonError(self.byte(self.at + at), error.reason)
        except JsonTooDeepError:
            pass
        return InvalidJsonError(self.byte(self.at), f"a value of more than {self.large:,} characters is not read")


STEP = 1 << 15
"""Minimum number of bytes between two entries of the index, except beside large values."""
_JOINT = re.compile(r'["\]}]?[ \t\r\n]{0,40}+,[ \t\r\n]{0,40}+["\[{]?')
"""Pattern of the text between two elements of an array."""
CLOSING = '"]}'
_MAX_PENALTY = 1 << 24
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
        match = _JOINT.match(cursor.text, cursor.last + (cursor.text[cursor.last] not in CLOSING))
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
            self._penalty = min(max(self._penalty * 2, size), _MAX_PENALTY)
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
