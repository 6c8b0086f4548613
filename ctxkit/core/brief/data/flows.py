"""Values in brackets, as YAML and TOML write them: how far they reach over lines, and what they hold."""

import re
from collections.abc import Callable
from typing import Any

from ctxkit.core.brief.data.scalars import scalar
from ctxkit.core.limits import FLOW_LEVELS, FLOW_VALUES, KEY

QUOTES = re.compile(r'"(?:[^"\\]|\\.)*+"|\'(?:[^\']|\'\')*+\'(?!\')')
STOPS = re.compile(r"""["'\[\]{}#]""")
_ITEMS = {
    ":": re.compile(r"[^,\[\]{}:]+(?::(?!\s|[,\[\]{}]|$)[^,\[\]{}:]*)*"),
    "=": re.compile(r"[^,\[\]{}=]+"),
}
_BLANK = re.compile(r"\s+")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


def balance(text: str, level: int) -> int:
    """Return how many brackets are open after a line, when ``level`` were before; quoted ones do not count."""
    at = 0
    while found := STOPS.search(text, at):
        sign, at = found[0], found.end()
        if sign in "[{":
            level += 1
        elif sign in "]}":
            level -= 1
        elif sign == "#":
            if found.start() == 0 or text[found.start() - 1] in " \t":
                return level
        elif found.start() == 0 or text[found.start() - 1] in " \t,[{:(=":
            quote = QUOTES.match(text, found.start())
            at = quote.end() if quote else at
    return level


def unquoted(text: str) -> str:
    """Return what a quoted scalar says."""
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    inside = text[1:-1]
    return _ESCAPE.sub(_unescaped, inside) if "\\" in inside else inside


def _unescaped(found: "re.Match[str]") -> str:
    if found[1]:
        return chr(int(found[1], 16))
    return _ESCAPED.get(found[2], found[2])


class Flow:
    """Read a collection in brackets; ``plain`` says what an item without quotes means."""

    def __init__(self, text: str, plain: Callable[[str], Any] = scalar, mark: str = ":") -> None:
        self.text = text
        self.plain = plain
        self.mark = mark
        self.at = 0
        self.left = FLOW_VALUES

    def value(self, level: int = 0) -> Any:
        """Return the value at the place reached; what cannot be read ends it."""
        self.left -= 1
        if self.left < 0:
            self.at = len(self.text)
            return None
        self._skip()
        sign = self.text[self.at : self.at + 1]
        if sign in ("[", "{") and level < FLOW_LEVELS:
            return self._list(level) if sign == "[" else self._map(level)
        quote = QUOTES.match(self.text, self.at) if sign in ('"', "'") else None
        if quote:
            self.at = quote.end()
            return unquoted(quote[0])
        found = _ITEMS[self.mark].match(self.text, self.at)
        if not found:
            return None
        self.at = found.end()
        said = found[0].strip()
        return self.plain(said)

    def _skip(self) -> None:
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _list(self, level: int) -> list[Any]:
        self.at += 1
        items: list[Any] = []
        while self._goes_on("]"):
            before = self.at
            items.append(self.value(level + 1))
            after = self.at
            self._skip()
            if self.text.startswith(self.mark, self.at):  # a pair without brackets, [a: 1]
                self.at += 1
                items[-1] = {self._key(items[-1], before, after): self.value(level + 1)}
            self._past(before)
        return items

    def _map(self, level: int) -> dict[str, Any]:
        self.at += 1
        items: dict[str, Any] = {}
        while self._goes_on("}"):
            before = self.at
            key = self.value(level + 1)
            name = self._key(key, before, self.at)
            self._skip()
            items[name] = None
            if self.text.startswith(self.mark, self.at):
                self.at += 1
                items[name] = self.value(level + 1)
            self._past(before)
        return items

    def _key(self, value: Any, start: int, end: int) -> str:
        """Return a value as a key: a list or a mapping as it is written, or keys in keys would double at each level."""
        if isinstance(value, list | dict):
            return self.text[start : min(end, start + KEY)].strip()
        return value if isinstance(value, str) else str(value)

    def _goes_on(self, close: str) -> bool:
        """Tell whether an item follows; the closing bracket, or another one in its place, is passed."""
        self._skip()
        if self.at >= len(self.text):
            return False
        if self.text[self.at] in "]}":
            self.at += 1
            return False
        return bool(close)

    def _past(self, before: int) -> None:
        """Pass a comma; where nothing was read at all, one character, so that reading ends."""
        self._skip()
        if self.text.startswith(",", self.at) or self.at == before:
            self.at += 1
