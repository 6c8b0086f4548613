"""Read JSON text of any size forward, through a window of bounded size."""

import re
from codecs import getincrementaldecoder
from collections.abc import Callable
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]
from typing import Final

from ctxkit.core.text.json_value import JsonValue, LargeString
from ctxkit.core.text.positions import BLANKS, SCAN, InvalidJsonError, JsonTooDeepError, decode_value

WINDOW = 2 << 20
"""Number of bytes read at a time."""
LARGE = 1 << 18
"""Characters of a value from which it is large: it is not decoded as a whole."""
PREFIX = 1_000
"""Characters of a large string that are kept."""
CHARACTERS = re.compile(
    r"""(?:[^"\\]++|\\[^u]|\\u(?![dD][89abAB])[0-9a-fA-F]{4}
    |\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?=[^\\]|\\[^u]|\\u[0-9a-fA-F]{4})))*+""",
    re.DOTALL | re.VERBOSE,
)
"""Pattern of complete characters of a string; one may be written as two escapes."""
NUMBER_END = 2
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
            if value is not ... and (end + NUMBER_END < len(self.text) or self.is_complete):
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
            match = CHARACTERS.match(self.text, self.at)
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
