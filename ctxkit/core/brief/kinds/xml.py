"""Records in XML: elements and attributes as a schema, with the line ranges of its parts."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.data.data_nodes import DataNodes, holds_records
from ctxkit.core.brief.data.xml_tree import XmlContent, move_declaration_first, read_xml, replace_unsound_bytes
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, quote
from ctxkit.core.lazy_pattern import compile_lazily

NAME = "xml"
TYPES: Sequence[str] = ("svg", "rss", "atom", "plist", "pom", "xsd", "xslt", "soap")
CLUES = Clues((), ("<",))
SUFFIXES = (
    "xml", "svg", "rss", "atom", "plist", "xsd", "xsl", "xslt", "wsdl", "pom", "csproj", "vbproj", "fsproj", "props",
    "targets", "resx", "xaml", "kml", "gpx", "config", "storyboard", "xib", "xlf", "xliff", "tmx", "opml", "nuspec",
)  # fmt: skip
DECLARED = compile_lazily(r"\s*<\?xml\s")
OPENED = compile_lazily(
    r"\s*(?:<\?[^>]*\?>\s*+|<!--(?:(?!-->).)*+-->\s*+|<!DOCTYPE[^>]*>\s*+)*+<(?![/!?])([A-Za-z_][\w.:-]*)(?=[\s/>])",
    re.DOTALL,
)
HTML = frozenset(
    ("html", "head", "body", "div", "p", "span", "table", "script", "h1", "h2", "ul", "a", "img", "details", "br")
)
LARGEST = 12 << 20
"""Maximum number of bytes of XML that are read."""
LONG_LINES = 4_000
"""Average line length in bytes above which places are given in bytes instead of lines."""


def sniff(document: InputDocument) -> float:
    """Return the confidence by the XML declaration or the suffix, or else by a root element that is not HTML."""
    head = document.head.removeprefix("\ufeff")
    opened = OPENED.match(head[:8_000])
    if not opened or opened[1].lower() == "html":
        return 0.0
    if DECLARED.match(head):
        return 0.94
    if opened[1].lower() in HTML:
        return 0.0
    if document.suffix in SUFFIXES:
        return 0.92
    if document.suffix not in ("", "txt", "out", "log"):
        return 0.0
    closed = document.tail.rstrip().endswith((f"</{opened[1]}>", "/>"))
    return 0.8 if closed and head.count("<") > 4 else 0.0


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the shape with line or byte ranges, or None if these are no records and nothing is broken."""
    from ctxkit.core.brief.data.data_outliner import DataOutliner

    size = document.lines.size
    data = move_declaration_first(document.read(0, min(size, LARGEST)))
    by_bytes = size > LONG_LINES * max(document.lines.total, 1)
    tree = read_xml(data, by_bytes=by_bytes)
    if tree.broken and size <= LARGEST:
        tree = _read_repaired(tree, data, by_bytes=by_bytes)
    root = tree.root
    if root is None or not root.children or not isinstance(root.children[0].value, dict):
        return None
    if (tree.broken and by_bytes) or not (tree.broken or tree.repair or holds_records([root])):
        return None
    chart = DataOutliner(DataNodes(), [root], [root.value], by_bytes=by_bytes)
    summary = [Entry("The XML is on few long lines; bytes are counted from 1")] if by_bytes else []
    return chart.build_outlines(NAME, [*summary, *_summarize(document, tree)], document.target)


def _read_repaired(tree: XmlContent, data: bytes, *, by_bytes: bool) -> XmlContent:
    """Read XML again with stray ampersands, undeclared entities and invalid bytes replaced; return
    the better result.
    """
    broken = tree.broken
    repaired_data = replace_unsound_bytes(data)
    if repaired_data == data:
        return tree
    repaired_tree = read_xml(repaired_data, by_bytes=by_bytes)
    if broken is None or repaired_tree.root is None or (repaired_tree.broken and repaired_tree.broken[0] <= broken[0]):
        return tree
    repaired_tree.repair = broken
    return repaired_tree


def _summarize(document: InputDocument, tree: XmlContent) -> Iterator[Entry]:
    last = document.lines.total
    if tree.repair:
        line, why = tree.repair
        line = max(1, min(line, last))
        yield Entry(f"BROKEN: {why}; read on past it", line, line, children=(quote(line, document.lines.at(line)),))
    if tree.broken:
        line, why = tree.broken
        line = max(1, min(line, last))
        cut = document.lines.size > LARGEST
        text = "only the lines before are read" if cut else f"BROKEN: {why}; nothing after it is in this map"
        yield Entry(text, line, line, children=() if cut else (quote(line, document.lines.at(line), rank=1),))
    elif tree.full:
        yield Entry("not read: nothing in these lines is in this map", min(tree.full, last), last)
    names = sorted(tree.names.items(), key=lambda item: -item[1])
    some = ", ".join(f"<{name}> ×{count:,}" for name, count in names[:12])
    more = f", +{len(names) - 12:,} more names" if len(names) > 12 else ""
    yield Entry(f"elements: {some}{more}", rank=3)
