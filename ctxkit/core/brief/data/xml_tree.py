"""XML read with expat: elements with their lines, those of one name together."""

import re
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from ctxkit.core.brief.data.branches import Branch, listed, mapping
from ctxkit.core.brief.data.scalars import numeric

DEEPEST = 60
"""Levels that are told apart; the text of deeper elements counts as that of the last one."""
WIDEST = 2_000
"""Characters of one text that are kept."""
NODES = 250_000
"""Elements and attributes that are kept; reading ends after these."""
DECLARATION = re.compile(rb"\s+(<\?xml\s[^>\n]{0,200}\?>)")
UNSOUND = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9A-Fa-f]{1,6});)|[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""Ampersands that begin nothing known, and characters that XML does not have."""
STRAY = "\x7f"
"""What stands for an ampersand while XML is read; XML allows it, and nobody writes it."""
ENCODED = re.compile(rb"<\?xml[^>]*encoding\s*=\s*['\"](?!utf-?8['\"])", re.IGNORECASE)
_BLANKED = dict.fromkeys(range(0xDC80, 0xDD00), " ")


@dataclass(slots=True)
class _Element:
    """Hold an open element."""

    name: str
    path: int
    start: int
    values: list[Branch] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    size: int = 0


@dataclass(slots=True)
class Xml:
    """Hold the root of an XML text, how many elements of which name, and where it breaks, if it does.

    ``mended`` is where it would have ended if it had not been mended.
    """

    root: Branch | None = None
    names: dict[str, int] = field(default_factory=dict)
    broken: tuple[int, str] | None = None
    mended: tuple[int, str] | None = None
    full: int = 0
    doctype: str = ""


class _Full(Exception):  # noqa: N818 - ends the reading, no failure
    """End the reading: there is no more room."""


class _Reader:
    """Take events of the parser."""

    def __init__(self, data: bytes, *, by_bytes: bool) -> None:
        self.data = data
        self.by_bytes = by_bytes
        self.made = Xml()
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.ordered_attributes = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.EntityDeclHandler = self._entity
        self.open: list[_Element] = []
        self.skipped = 0
        self.nodes = 0
        self.many: set[tuple[int, str]] = set()
        self.paths: dict[tuple[int, str], int] = {}

    def _doctype(self, name: str, *_: Any) -> None:
        self.made.doctype = name

    def _entity(self, *_: Any) -> None:
        """End at an entity of the text's own: those may grow without bound."""
        raise _Full

    def _start(self, name: str, attributes: list[str]) -> None:
        self.made.names[name] = self.made.names.get(name, 0) + 1
        if len(self.open) >= DEEPEST:
            self.skipped += 1
            return
        line = self.parser.CurrentByteIndex if self.by_bytes else self.parser.CurrentLineNumber
        outer = self.open[-1].path if self.open else 0
        path = self.paths.setdefault((outer, name), len(self.paths) + 1)
        one = _Element(name, path, line)
        for at in range(0, len(attributes), 2):
            value = numeric(attributes[at + 1][:WIDEST].replace(STRAY, "&"))
            one.values.append(Branch("@" + attributes[at], line, line, line + 1, value))
        self.nodes += 1 + len(attributes) // 2
        self.open.append(one)
        if self.nodes > NODES:
            self.made.full = self.parser.CurrentLineNumber
            raise _Full

    def _text(self, text: str) -> None:
        if self.open and self.open[-1].size < WIDEST and not text.isspace():
            self.open[-1].text.append(text)
            self.open[-1].size += len(text)

    def _end(self, name: str) -> None:
        del name
        if self.skipped:
            self.skipped -= 1
            return
        self._fold(self._after())

    def _after(self) -> int:
        """Return where the element that ends here is over."""
        if not self.by_bytes:
            return self.parser.CurrentLineNumber + 1
        at, one = self.parser.CurrentByteIndex, self.open[-1]
        below = any(not (inner.key or "").startswith("@") for inner in one.values)
        if not below and not one.text and self.data[at - 2 : at] == b"/>":
            return at  # of an element without an end tag, expat tells where it is over
        return self.data.find(b">", at) + 1 or len(self.data)

    def _fold(self, end: int) -> None:
        """Close the innermost element before line ``end``."""
        one = self.open.pop()
        made = Branch(one.name, one.start, one.start, max(end, one.start + 1))
        text = "".join(one.text).strip()[:WIDEST].replace(STRAY, "&")
        if not one.values:
            made.value = numeric(text) if text else None
        else:
            made.below = one.values
            if text:
                made.below.append(Branch("#text", one.start, one.start, made.end, numeric(text)))
            self._gather(made, one.path)
        if self.open:
            self.open[-1].values.append(made)
        else:
            self.made.root = Branch(None, made.at, made.at, made.end, below=[made])

    def _gather(self, made: Branch, path: int) -> None:
        """Note which names stand more than once below an element; the lists are made at the end."""
        seen: set[str] = set()
        for one in made.below:
            key = one.key or ""
            if key in seen:
                self.many.add((path, key))
            seen.add(key)
        made.start, made.value = path, {}

    def settle(self) -> None:
        """Make lists of names that stand more than once below any element of a path, and values of all."""
        root = self.made.root
        if root is None:
            return
        order, waiting = [], [root.below[0]]
        while waiting:
            one = waiting.pop()
            if one.below:
                order.append(one)
                waiting.extend(one.below)
        for one in reversed(order):
            path, one.start = one.start, one.at
            groups: dict[str, list[Branch]] = {}
            for inner in one.below:
                groups.setdefault(inner.key or "", []).append(inner)
            one.below = [
                listed(key, inners) if (path, key) in self.many else inners[0] for key, inners in groups.items()
            ]
            mapping(one)
        mapping(root)


def declared_first(data: bytes) -> bytes:
    """Put a declaration before the blanks it comes after, as parsers want it; no other line changes."""
    found = DECLARATION.match(data)
    return data if found is None else found[1] + data[: found.start(1)] + data[found.end() :]


def sound(data: bytes) -> bytes:
    """Put a blank, or STRAY for an ampersand, in place of each byte that no parser takes; all others stay in place."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data
    data = UNSOUND.sub(lambda found: STRAY.encode() if found[0] == b"&" else b" ", data)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        if not ENCODED.match(data):
            data = data.decode("utf-8", "surrogateescape").translate(_BLANKED).encode("utf-8")
    return data


def read(data: bytes, *, by_bytes: bool = False) -> Xml:
    """Return what an XML text holds, as far as it can be read, with lines or with bytes."""
    data = data.replace(b"\r", b" ")  # expat takes a bare one for the end of a line
    reader = _Reader(data, by_bytes=by_bytes)
    total = data.count(b"\n") + (not data.endswith(b"\n"))
    try:
        reader.parser.Parse(data, True)
    except _Full:
        reader.made.full = reader.made.full or reader.parser.CurrentLineNumber
    except (expat.ExpatError, ValueError, LookupError) as error:
        line = min(getattr(error, "lineno", 0) or reader.parser.CurrentLineNumber, total)
        code = getattr(error, "code", 0)
        reader.made.broken = (line, expat.ErrorString(code) or "" if code else "it cannot be decoded")
    while reader.open:
        last = reader.parser.CurrentByteIndex if by_bytes else min(reader.parser.CurrentLineNumber, total)
        reader._fold(max(last, reader.open[-1].start) + 1)
    reader.settle()
    return reader.made
