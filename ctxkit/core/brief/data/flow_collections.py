"""A parser of bracketed values as in YAML and TOML, which may extend over several lines."""

import re
from collections.abc import Callable

from ctxkit.core.brief.data.scalars import parse_scalar
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.limits import FLOW_LEVELS, FLOW_VALUES, KEY

QUOTES = compile_lazily(r'"(?:[^"\\]|\\.)*+"|\'(?:[^\']|\'\')*+\'(?!\')')
STOPS = compile_lazily(r"""["'\[\]{}#]""")
_ITEMS = {
    ":": compile_lazily(r"[^,\[\]{}:]+(?::(?!\s|[,\[\]{}]|$)[^,\[\]{}:]*)*"),
    "=": compile_lazily(r"[^,\[\]{}=]+"),
}
_BLANK = compile_lazily(r"\s+")
_ESCAPE = compile_lazily(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPE_CHARACTERS = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


def count_open_brackets(text: str, level: int) -> int:
    """Return the number of open brackets after a line that begins at ``level``; quoted brackets do not count."""
    at = 0
    while match := STOPS.search(text, at):
        sign, at = match[0], match.end()
        if sign in "[{":
            level += 1
        elif sign in "]}":
            level -= 1
        elif sign == "#":
            if match.start() == 0 or text[match.start() - 1] in " \t":
                return level
        elif match.start() == 0 or text[match.start() - 1] in " \t,[{:(=":
            quote = QUOTES.match(text, match.start())
            at = quote.end() if quote else at
    return level


def unquote(text: str) -> str:
    """Return the content of a quoted scalar."""
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    inside = text[1:-1]
    return _ESCAPE.sub(_unescape, inside) if "\\" in inside else inside


def _unescape(match: "re.Match[str]") -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return _ESCAPE_CHARACTERS.get(match[2], match[2])


class FlowParser:
    """Parse a bracketed collection; ``parse_plain`` converts an unquoted item."""

    def __init__(self, text: str, parse_plain: Callable[[str], JsonValue] = parse_scalar, separator: str = ":") -> None:
        self.text = text
        self.parse_plain = parse_plain
        self.separator = separator
        self.at = 0
        self.left = FLOW_VALUES

    def read_value(self, level: int = 0) -> JsonValue:
        """Return the value at the current position; end at text that cannot be parsed."""
        self.left -= 1
        if self.left < 0:
            self.at = len(self.text)
            return None
        self._skip_blanks()
        sign = self.text[self.at : self.at + 1]
        if sign in ("[", "{") and level < FLOW_LEVELS:
            return self._read_list(level) if sign == "[" else self._read_mapping(level)
        quote = QUOTES.match(self.text, self.at) if sign in ('"', "'") else None
        if quote:
            self.at = quote.end()
            return unquote(quote[0])
        match = _ITEMS[self.separator].match(self.text, self.at)
        if not match:
            return None
        self.at = match.end()
        word = match[0].strip()
        return self.parse_plain(word)

    def _skip_blanks(self) -> None:
        match = _BLANK.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def _read_list(self, level: int) -> list[JsonValue]:
        self.at += 1
        items: list[JsonValue] = []
        while self._has_next("]"):
            before = self.at
            items.append(self.read_value(level + 1))
            after = self.at
            self._skip_blanks()
            if self.text.startswith(self.separator, self.at):  # a pair without brackets, [a: 1]
                self.at += 1
                items[-1] = {self._format_key(items[-1], before, after): self.read_value(level + 1)}
            self._pass_comma(before)
        return items

    def _read_mapping(self, level: int) -> dict[str, JsonValue]:
        self.at += 1
        items: dict[str, JsonValue] = {}
        while self._has_next("}"):
            before = self.at
            key = self.read_value(level + 1)
            name = self._format_key(key, before, self.at)
            self._skip_blanks()
            items[name] = None
            if self.text.startswith(self.separator, self.at):
                self.at += 1
                items[name] = self.read_value(level + 1)
            self._pass_comma(before)
        return items

    def _format_key(self, value: JsonValue, start: int, end: int) -> str:
        """Return a value as a key; a list or mapping keeps its source text, because nested keys would double at each
        level.
        """
        if isinstance(value, list | dict):
            return self.text[start : min(end, start + KEY)].strip()
        return value if isinstance(value, str) else str(value)

    def _has_next(self, close: str) -> bool:
        """Return whether another item follows; skip a closing bracket, even a wrong one."""
        self._skip_blanks()
        if self.at >= len(self.text):
            return False
        if self.text[self.at] in "]}":
            self.at += 1
            return False
        return bool(close)

    def _pass_comma(self, before: int) -> None:
        """Skip a comma; if nothing was read, skip one character so that parsing ends."""
        self._skip_blanks()
        if self.text.startswith(",", self.at) or self.at == before:
            self.at += 1
