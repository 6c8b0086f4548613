"""An XML reader with expat: elements with their lines; elements with the same name become a list."""

import re
from xml.parsers import expat

from ctxkit.core.brief.data.data_nodes import DataNode, make_list_node, set_mapping_value
from ctxkit.core.brief.data.scalars import parse_number
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.json_value import JsonValue

MAX_DEPTH = 60
"""Maximum number of levels; the text of deeper elements belongs to the last level."""
MAX_TEXT_LENGTH = 2_000
"""Maximum number of characters kept of one text."""
MAX_NODES = 250_000
"""Maximum number of elements and attributes; reading ends after these."""
DECLARATION = compile_lazily(rb"\s+(<\?xml\s[^>\n]{0,200}\?>)")
UNSOUND = compile_lazily(rb"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9A-Fa-f]{1,6});)|[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""Pattern of ampersands that begin no known entity, and of characters that XML does not allow."""
STRAY = "\x7f"
"""Replacement for a stray ampersand during parsing: XML allows it, and it is not used in practice."""
ENCODED = compile_lazily(rb"<\?xml[^>]*encoding\s*=\s*['\"](?!utf-?8['\"])", re.IGNORECASE)
_BLANKED = dict.fromkeys(range(0xDC80, 0xDD00), " ")


@dataclass(slots=True)
class _Element:
    """Hold an open element."""

    name: str
    path: int
    start: int
    values: list[DataNode] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    size: int = 0


@dataclass(slots=True)
class XmlContent:
    """Hold the root of an XML text, the number of elements by name, and its first error, if any.

    ``repair`` is the first error that was repaired.
    """

    root: DataNode | None = None
    names: dict[str, int] = field(default_factory=dict)
    broken: tuple[int, str] | None = None
    repair: tuple[int, str] | None = None
    full: int = 0
    doctype: str = ""


class _LimitReached(Exception):  # noqa: N818 - ends the reading, no failure
    """Signal that reading reached a limit."""


class _XmlReader:
    """Handle the events of the parser."""

    def __init__(self, data: bytes, *, by_bytes: bool) -> None:
        self.data = data
        self.by_bytes = by_bytes
        self.content = XmlContent()
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.ordered_attributes = True
        self.parser.StartElementHandler = self._handle_start
        self.parser.EndElementHandler = self._handle_end
        self.parser.CharacterDataHandler = self._handle_text
        self.parser.StartDoctypeDeclHandler = self._handle_doctype
        self.parser.EntityDeclHandler = self._handle_entity
        self.open: list[_Element] = []
        self.skipped = 0
        self.nodes = 0
        self.repeated_names: set[tuple[int, str]] = set()
        self.paths: dict[tuple[int, str], int] = {}

    def _handle_doctype(self, name: str, *_: JsonValue) -> None:
        self.content.doctype = name

    def _handle_entity(self, *_: JsonValue) -> None:
        """Stop at an entity declaration, because its expansion may grow without bound."""
        raise _LimitReached

    def _handle_start(self, name: str, attributes: list[str]) -> None:
        self.content.names[name] = self.content.names.get(name, 0) + 1
        if len(self.open) >= MAX_DEPTH:
            self.skipped += 1
            return
        line = self.parser.CurrentByteIndex if self.by_bytes else self.parser.CurrentLineNumber
        outer = self.open[-1].path if self.open else 0
        path = self.paths.setdefault((outer, name), len(self.paths) + 1)
        element = _Element(name, path, line)
        for at in range(0, len(attributes), 2):
            value = parse_number(attributes[at + 1][:MAX_TEXT_LENGTH].replace(STRAY, "&"))
            element.values.append(DataNode("@" + attributes[at], line, line, line + 1, value))
        self.nodes += 1 + len(attributes) // 2
        self.open.append(element)
        if self.nodes > MAX_NODES:
            self.content.full = self.parser.CurrentLineNumber
            raise _LimitReached

    def _handle_text(self, text: str) -> None:
        if self.open and self.open[-1].size < MAX_TEXT_LENGTH and not text.isspace():
            self.open[-1].text.append(text)
            self.open[-1].size += len(text)

    def _handle_end(self, name: str) -> None:
        del name
        if self.skipped:
            self.skipped -= 1
            return
        self._close_element(self._find_end())

    def _find_end(self) -> int:
        """Return the end position of the element that ends here."""
        if not self.by_bytes:
            return self.parser.CurrentLineNumber + 1
        at, element = self.parser.CurrentByteIndex, self.open[-1]
        below = any(not (inner.key or "").startswith("@") for inner in element.values)
        if not below and not element.text and self.data[at - 2 : at] == b"/>":
            return at  # for an element without an end tag, expat reports its end
        return self.data.find(b">", at) + 1 or len(self.data)

    def _close_element(self, end: int) -> None:
        """Close the innermost element before line ``end``."""
        element = self.open.pop()
        node = DataNode(element.name, element.start, element.start, max(end, element.start + 1))
        text = "".join(element.text).strip()[:MAX_TEXT_LENGTH].replace(STRAY, "&")
        if not element.values:
            node.value = parse_number(text) if text else None
        else:
            node.children = element.values
            if text:
                node.children.append(DataNode("#text", element.start, element.start, node.end, parse_number(text)))
            self._note_repeated_names(node, element.path)
        if self.open:
            self.open[-1].values.append(node)
        else:
            self.content.root = DataNode(None, node.at, node.at, node.end, children=[node])

    def _note_repeated_names(self, node: DataNode, path: int) -> None:
        """Record names that occur more than once below an element; lists are made at the end."""
        seen: set[str] = set()
        for child in node.children:
            key = child.key or ""
            if key in seen:
                self.repeated_names.add((path, key))
            seen.add(key)
        node.start, node.value = path, {}

    def build_values(self) -> None:
        """Set the values of all nodes, with lists for names that occur more than once below any element of a path."""
        root = self.content.root
        if root is None:
            return
        order, waiting = [], [root.children[0]]
        while waiting:
            node = waiting.pop()
            if node.children:
                order.append(node)
                waiting.extend(node.children)
        for node in reversed(order):
            path, node.start = node.start, node.at
            groups: dict[str, list[DataNode]] = {}
            for inner in node.children:
                groups.setdefault(inner.key or "", []).append(inner)
            node.children = [
                make_list_node(key, inners) if (path, key) in self.repeated_names else inners[0]
                for key, inners in groups.items()
            ]
            set_mapping_value(node)
        set_mapping_value(root)


def move_declaration_first(data: bytes) -> bytes:
    """Move a declaration before the blanks that precede it, as parsers require; no other line changes."""
    match = DECLARATION.match(data)
    return data if match is None else match[1] + data[: match.start(1)] + data[match.end() :]


def replace_unsound_bytes(data: bytes) -> bytes:
    """Replace invalid bytes by blanks and stray ampersands by STRAY; all offsets stay the same."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data
    data = UNSOUND.sub(lambda match: STRAY.encode() if match[0] == b"&" else b" ", data)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        if not ENCODED.match(data):
            data = data.decode("utf-8", "surrogateescape").translate(_BLANKED).encode("utf-8")
    return data


def read_xml(data: bytes, *, by_bytes: bool = False) -> XmlContent:
    """Return the content of an XML text up to its first error, with places in lines or bytes."""
    data = data.replace(b"\r", b" ")  # expat treats a lone carriage return as the end of a line
    reader = _XmlReader(data, by_bytes=by_bytes)
    total = data.count(b"\n") + (not data.endswith(b"\n"))
    try:
        reader.parser.Parse(data, True)
    except _LimitReached:
        reader.content.full = reader.content.full or reader.parser.CurrentLineNumber
    except (expat.ExpatError, ValueError, LookupError) as error:
        line = min(getattr(error, "lineno", 0) or reader.parser.CurrentLineNumber, total)
        code = getattr(error, "code", 0)
        reader.content.broken = (line, expat.ErrorString(code) or "" if code else "it cannot be decoded")
    while reader.open:
        last = reader.parser.CurrentByteIndex if by_bytes else min(reader.parser.CurrentLineNumber, total)
        reader._close_element(max(last, reader.open[-1].start) + 1)
    reader.build_values()
    return reader.content
