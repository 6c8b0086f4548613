"""What stands where in an HTML page: headings, landmarks, forms, tables, scripts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape

HEADING = re.compile(r"h[1-6]$")
LANDMARKS = ("main", "article", "section", "nav", "header", "footer", "aside", "dialog")
BLOCKS = ("form", "table", *LANDMARKS)
"""Elements with a start and an end that are worth a pointer."""
RAW = ("script", "style", "textarea", "title", "svg", "template")
"""Elements whose inside is no part of the page's structure."""
_NAMES = "|".join(("h[1-6]", *BLOCKS, *RAW, "th", "caption", "input", "select", "button", "tr"))
_TAG = re.compile(
    rf"<!--|<(?P<close>/?)(?P<name>{_NAMES})(?=[\s>/])"
    r"""(?P<attributes>(?:"[^"]{0,1000}"|'[^']{0,1000}'|[^>"']){0,200}+)>""",
    re.IGNORECASE,
)
"""A tag, its attributes limited so that text which only looks like tags costs no more than its length many times."""
_CELL = re.compile(r"</?(?:t[hdr]|caption|thead|tbody|table)\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w:-])([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_INLINE = re.compile(
    r"</?(?:a|abbr|b|bdi|cite|code|del|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong"
    r"|sub|sup|u|var|wbr)\b[^<>]*>",
    re.IGNORECASE,
)
_ANY = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)|<[^<>]*>", re.DOTALL | re.IGNORECASE)
COLUMNS = 12
"""Columns of a table, or fields of a form, that are named."""
FARTHEST = 4_000
"""Characters in which the end of a heading, or the opening words after one, is looked for."""


@dataclass(slots=True)
class MarkupElement:
    """Place one element in the text (characters, the end exclusive), with what tells it from others."""

    name: str
    start: int
    end: int
    attributes: dict[str, str]
    text: str = ""
    parts: list[str] = field(default_factory=list)
    rows: int = 0


def parse_elements(text: str) -> list[MarkupElement]:
    """Return headings, blocks and raw elements in the order in which they begin; none is left open."""
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
        if HEADING.match(name) or name in RAW:
            at = _read_element(text, element, at, endless)
            page_elements.append(element)
        elif name in BLOCKS:
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


def _read_element(text: str, element: MarkupElement, at: int, endless: set[str]) -> int:
    """Take an element up to its closing tag; return where to go on. ``endless`` names those that none follows."""
    closing = re.compile(rf"</{element.name}\s*>", re.IGNORECASE)
    limit = at + FARTHEST if HEADING.match(element.name) else len(text)
    match = None if element.name in endless else closing.search(text, at, limit)
    if not match and limit == len(text):
        endless.add(element.name)
    if not match and element.name not in ("script", "style"):
        element.end = at
        return at
    inside = text[at : match.start() if match else len(text)]
    element.end = match.end() if match else len(text)
    if element.name == "title" or HEADING.match(element.name):
        element.text = extract_text(inside).strip("§¶# ")  # the signs that link to the heading itself
    return element.end


class _OpenElements:
    """Hold the elements that are open, innermost last, and those of each name."""

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
        """End the innermost open element of a name; what was left open inside it ends there too."""
        last = self.innermost(name)
        while last is not None:
            element = self._all.pop()
            self._named[element.name].pop()
            element.end = at
            if element is last:
                return


def _add_part(text: str, element: MarkupElement, open_: _OpenElements, at: int) -> int:
    """Note a column, row or field in the table or form that it is in; return where to go on."""
    owner = open_.innermost("table" if element.name[0] in "tc" else "form")
    if owner is None:
        return at
    if element.name == "tr":
        owner.rows += 1
    elif element.name in ("th", "caption"):
        end = _CELL.search(text, at, at + FARTHEST)
        owner.parts.append(extract_text(text[at : end.start() if end else at]))
    else:
        kind = element.attributes.get("type", "")
        name = element.attributes.get("name") or element.attributes.get("id") or kind
        owner.parts.append("" if kind == "hidden" else name)
    return at


def extract_text(markup: str) -> str:
    """Return the text of a piece of HTML: no tags, entities as their characters, blanks as one."""
    return " ".join(unescape(_ANY.sub(" ", _INLINE.sub("", markup))).split())


def extract_opening(text: str, start: int, end: int) -> str:
    """Return the first words between two places."""
    piece = text[start : min(end, start + FARTHEST)]
    return extract_text(piece[: piece.rfind("<")] if "<" in piece and end > start + FARTHEST else piece)


def count_elements(text: str) -> Iterator[tuple[int, str]]:
    """Yield how many there are of the elements that come in numbers."""
    for noun, tag in (("link", "a"), ("image", "img"), ("list item", "li"), ("paragraph", "p"), ("code block", "pre")):
        yield len(re.findall(rf"<{tag}[\s>]", text, re.IGNORECASE)), noun
