"""A parser of the elements of an HTML page: headings, landmarks, forms, tables and scripts."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from html import unescape

from ctxkit.core.brief.outline import Entry
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field, replace

HEADING = compile_lazily(r"h[1-6]$")
LANDMARKS = ("main", "article", "section", "nav", "header", "footer", "aside", "dialog")
_BLOCKS = ("form", "table", *LANDMARKS)
"""Elements with a start and an end that are listed."""
_RAW = ("script", "style", "textarea", "title", "svg", "template")
"""Elements whose content is not part of the page's structure."""
_NAMES = "|".join(("h[1-6]", *_BLOCKS, *_RAW, "th", "caption", "input", "select", "button", "tr"))
_TAG = compile_lazily(
    rf"<!--|<(?P<close>/?)(?P<name>{_NAMES})(?=[\s>/])"
    r"""(?P<attributes>(?:"[^"]{0,1000}"|'[^']{0,1000}'|[^>"']){0,200}+)>""",
    re.IGNORECASE,
)
"""Pattern of a tag, with limited attributes so that text resembling tags takes linear time."""
_CELL = compile_lazily(r"</?(?:t[hdr]|caption|thead|tbody|table)\b", re.IGNORECASE)
_ATTRIBUTE = compile_lazily(r"""(?<![\w:-])([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_INLINE = compile_lazily(
    r"</?(?:a|abbr|b|bdi|cite|code|del|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong"
    r"|sub|sup|u|var|wbr)\b[^<>]*>",
    re.IGNORECASE,
)
_ANY = compile_lazily(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)|<[^<>]*>", re.DOTALL | re.IGNORECASE)
COLUMNS = 12
"""Maximum number of named table columns or form fields."""
_FARTHEST = 4_000
"""Maximum number of characters searched for the end of a heading, or for the opening words after it."""


@dataclass(slots=True)
class MarkupElement:
    """Hold one element's place in the text (characters, end exclusive), its attributes, text and parts."""

    name: str
    start: int
    end: int
    attributes: dict[str, str]
    text: str = ""
    parts: list[str] = field(default_factory=list)
    rows: int = 0


def parse_elements(text: str) -> list[MarkupElement]:
    """Return headings, blocks and raw elements in the order of their starts; all of them have an end."""
    page_elements: list[MarkupElement] = []
    open_ = _OpenElements()
    endless: set[str] = set()
    at = 0
    while tag := _TAG.search(text, at):
        at = tag.end()
        if tag[0] == "<!--":
            at = _skip_past(text, "-->", at)
            continue
        name = tag["name"].lower()
        if tag["close"]:
            open_.close(name, at)
            continue
        element = MarkupElement(name, tag.start(), len(text), _parse_attributes(tag["attributes"]))
        if HEADING.match(name) or name in _RAW:
            at = _read_element(text, element, at, endless)
            page_elements.append(element)
        elif name in _BLOCKS:
            page_elements.append(element)
            open_.add(element)
        else:
            at = _add_part(text, element, open_, at)
    return page_elements


def _parse_attributes(text: str) -> dict[str, str]:
    return {key.lower(): unescape(a or b or c) for key, a, b, c in reversed(_ATTRIBUTE.findall(text))}


def _skip_past(text: str, mark: str, at: int) -> int:
    end = text.find(mark, at)
    return end + len(mark) if end >= 0 else len(text)


@cache
def _compile_closing_tag(name: str) -> "re.Pattern[str]":
    """Return the pattern of the closing tag of a heading or a raw element, of which there are a dozen."""
    return re.compile(rf"</{name}\s*>", re.IGNORECASE)


def _read_element(text: str, element: MarkupElement, at: int, endless: set[str]) -> int:
    """Read an element up to its closing tag; return the next offset.

    ``endless`` collects the names that have no closing tag in the rest of the text.
    """
    closing = _compile_closing_tag(element.name)
    limit = at + _FARTHEST if HEADING.match(element.name) else len(text)
    match = None if element.name in endless else closing.search(text, at, limit)
    if not match and limit == len(text):
        endless.add(element.name)
    if not match and element.name not in ("script", "style"):
        element.end = at
        return at
    inside = text[at : match.start() if match else len(text)]
    element.end = match.end() if match else len(text)
    if element.name == "title" or HEADING.match(element.name):
        element.text = extract_text(inside).strip("§¶# ")  # the symbols that link to the heading itself
    return element.end


class _OpenElements:
    """Hold the open elements, innermost last, in all and by name."""

    def __init__(self) -> None:
        self._all: list[MarkupElement] = []
        self._named: dict[str, list[MarkupElement]] = {}

    def add(self, element: MarkupElement) -> None:
        self._all.append(element)
        self._named.setdefault(element.name, []).append(element)

    def innermost(self, name: str) -> MarkupElement | None:
        named = self._named.get(name)
        return named[-1] if named else None

    def close(self, name: str, at: int) -> None:
        """Close the innermost open element with this name, and all open elements inside it."""
        last = self.innermost(name)
        while last is not None:
            element = self._all.pop()
            self._named[element.name].pop()
            element.end = at
            if element is last:
                return


def _add_part(text: str, element: MarkupElement, open_: _OpenElements, at: int) -> int:
    """Add a column, row or field to its table or form; return the next offset."""
    owner = open_.innermost("table" if element.name[0] in "tc" else "form")
    if owner is None:
        return at
    if element.name == "tr":
        owner.rows += 1
    elif element.name in ("th", "caption"):
        end = _CELL.search(text, at, at + _FARTHEST)
        owner.parts.append(extract_text(text[at : end.start() if end else at]))
    else:
        kind = element.attributes.get("type", "")
        name = element.attributes.get("name") or element.attributes.get("id") or kind
        owner.parts.append("" if kind == "hidden" else name)
    return at


def extract_text(markup: str) -> str:
    """Return the text of an HTML fragment, without tags and with entities decoded and blanks collapsed."""
    return " ".join(unescape(_ANY.sub(" ", _INLINE.sub("", markup))).split())


def extract_opening(text: str, start: int, end: int) -> str:
    """Return the first words between two offsets."""
    piece = text[start : min(end, start + _FARTHEST)]
    return extract_text(piece[: piece.rfind("<")] if "<" in piece and end > start + _FARTHEST else piece)


def count_elements(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number of each common element, with its noun."""
    for noun, tag in (("link", "a"), ("image", "img"), ("list item", "li"), ("paragraph", "p"), ("code block", "pre")):
        yield len(re.findall(rf"<{tag}[\s>]", text, re.IGNORECASE)), noun


def nest_entries(entries: Iterable[tuple[int, Entry]]) -> tuple[Entry, ...]:
    """Return ordered entries with levels as a tree: each below the last entry with a lower level number.

    Existing children of an entry come before the nested entries.
    """
    top: list[Entry] = []
    stack: list[tuple[int, Entry, list[Entry]]] = []

    def fold() -> None:
        _, entry, below = stack.pop()
        (stack[-1][2] if stack else top).append(replace(entry, children=(*entry.children, *below)))

    for level, entry in entries:
        while stack and stack[-1][0] >= level:
            fold()
        stack.append((level, entry, []))
    while stack:
        fold()
    return tuple(top)
