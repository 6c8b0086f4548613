"""Quote the signature of a definition and the fields of a type from a syntax tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ctxkit.engines.declaration import find_declaration

if TYPE_CHECKING:
    from tree_sitter import Node

_WIDE_BLANK = re.compile(r"[\n\t]|  ")
_QUOTE = re.compile("[\"'`]")
MAX_TEXT = 6_000
"""Maximum bytes of a definition that are read for its signature."""
MAX_SIGNATURE = 1_500
"""Maximum characters of a signature; renderers may cut it shorter."""
MAX_FIELD = 80
MAX_FIELDS = 60
MAX_BODY_NODES = 400
"""Maximum nodes of a body that are searched for fields."""
HIDDEN = re.compile(r"(?:\w+_)?comment|annotation|marker_annotation|decorator|attribute_item|attribute_list|attribute")
"""Nodes that a signature omits if they stand before the name; comments are omitted everywhere."""
HEAD = re.compile(r"modifiers|attributes|export_statement|method_signature")
"""Nodes whose children are searched for annotations."""
SUSPICIOUS = re.compile(rb"//|/\*|#|--|@|\[|\{-|\(\*|;")
"""Text without this contains neither comments nor annotations."""
C_LIKE = ("c", "cpp", "objc")
ACCESS = re.compile(r"(?s)\A.*?\b(?:public|private|protected|signals|Q_SIGNALS)\s*+(?:(?:slots|Q_SLOTS)\s*+)?:(?!:)\s*")
"""Matches text up to an access label, which belongs to the members after it, not to one of them."""
MACRO_LINE = re.compile(r"[A-Z_][A-Z\d_]{2,}(?:\s*\([^()\n]*\))?;?[ \t]*\n\s*")
"""Matches a line that is only the use of a macro."""
DIRECTIVES = re.compile(r"\A(?:[ \t]*#(?!\s*define\b).*\n\s*)+|(?:\n[ \t]*#.*)+\s*\Z")
"""Matches lines of the preprocessor before and after a signature."""
LEADING = re.compile(r"\A(?:@(?!interface\b)[\w.:]+(?:\([^()]*\))?\s+|\[[^\]\n]*\]\s+|#\[[^\]\n]*\]\s+)+")
"""Matches annotations and attributes before a definition."""
TRAILING = re.compile(r"(?<![\s{:=;])(?<!=>)(?:\s|=>|[{:=;]|\bdo$|\bbegin$)+$")
"""Matches the text between a signature and its body."""
CLOSING = re.compile(r"\)\s*(?:$|->|[:;{=]|[a-z])")
"""Matches the parenthesis after the last parameter at the beginning of a line; a comma before it says nothing."""
INITIALIZERS = ("field_initializer_list", "constructor_initializer")
"""Nodes before the body of a constructor that are code."""
FIELD = re.compile(
    r"field_declaration|(?:public_)?field_definition|property_(?:signature|declaration|definition)|enum_variant|enumerator"
    r"|enum_(?:constant|assignment|member_declaration|entry|case)|property_identifier|const_declaration"
    r"|event_field_declaration|val_definition|var_definition|stored_property|container_field"
)
"""Nodes in the body of a type that are its fields or values."""
DUNDER = re.compile(r"__\w+__\b")


def read_signature(node: Node, name: Node, body: Node | None, data: bytes, language: str) -> str:
    """Return the text from the beginning of the definition to the body, on one line.

    Comments, and annotations before the name, are omitted. All other text is that of the source.
    """
    begin = _find_beginning(node, name, data)
    end = _find_end(node, body)
    cut = end - begin > MAX_TEXT
    text = _read_visible(node, name, begin, min(end, begin + MAX_TEXT), data)
    if language in C_LIKE:
        text = _remove_macros(text, (name.text or b"").decode("utf-8", "replace"))
    text = LEADING.sub("", text)
    if body is None and not text.rstrip().endswith((";", ")")):
        text = text.strip().partition("\n")[0]
    text = join_lines(TRAILING.sub("", text))
    return f"{text[:MAX_SIGNATURE].rstrip()}..." if cut or len(text) > MAX_SIGNATURE else text


def _find_beginning(node: Node, name: Node, data: bytes) -> int:
    """Return the byte where the definition begins: that of its line if only words such as export stand before it."""
    begin = data.rfind(b"\n", 0, node.start_byte) + 1
    before = data[begin : node.start_byte].replace(b" ", b"").replace(b"\t", b"")
    return begin if before.isalpha() else min(node.start_byte, name.start_byte)


def _find_end(node: Node, body: Node | None) -> int:
    """Return the byte where the signature ends: the body, or the initializers of a constructor before it."""
    end = body.start_byte if body is not None and body.start_byte > node.start_byte else node.end_byte
    for child in node.named_children if body is not None else ():
        if child.type in INITIALIZERS:
            return min(end, child.start_byte)
    return end


def _read_visible(node: Node, name: Node, begin: int, end: int, data: bytes) -> str:
    """Return the text between two bytes without its comments and the annotations before ``name``."""
    if SUSPICIOUS.search(data, begin, end) is None:
        return data[begin:end].decode("utf-8", "replace").strip()
    parts, at = [], begin
    for first, last in _iter_hidden(node, name.start_byte, end):
        if first >= at:
            parts.append(data[at:first])
            at = last
    parts.append(data[at : max(end, at)])
    return b"".join(parts).decode("utf-8", "replace").strip()


def _iter_hidden(node: Node, name: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last byte of each comment up to ``end``, and of each annotation before ``name``, in order."""
    stack = [(child, True) for child in reversed(node.children)]
    while stack:
        child, head = stack.pop()
        if child.start_byte >= end:
            continue
        if "comment" in child.type or (head and child.start_byte < name and HIDDEN.fullmatch(child.type)):
            yield child.start_byte, child.end_byte
        elif child.child_count:
            inner = head and HEAD.fullmatch(child.type) is not None
            stack.extend((deeper, inner) for deeper in reversed(child.children))


def _remove_macros(text: str, name: str) -> str:
    """Return a C or C++ signature without access labels and lines of macros before it, if a type remains."""
    text = DIRECTIVES.sub("", text)
    at = text.find(name)
    head, tail = (text[:at], text[at:]) if at >= 0 else ("", text)
    head = ACCESS.sub("", head)
    while (macro := MACRO_LINE.match(head)) and head[macro.end() :].strip():
        head = head[macro.end() :]
    return head + tail


def join_lines(text: str) -> str:
    """Return text on one line, without a comma before its last parenthesis; blanks in strings are kept."""
    if not _WIDE_BLANK.search(text):
        return text.strip()
    rows = [row for row in map(str.strip, text.split("\n")) if row]
    if not _QUOTE.search(text):
        rows = [" ".join(row.split()) for row in rows]
    joined = rows[0] if rows else ""
    for row in rows[1:]:
        if joined.endswith(",") and CLOSING.match(row):
            joined = joined[:-1]
        joined += ("" if joined.endswith(("(", "[")) or row[0] in ")]" else " ") + row
    return joined


def read_fields(body: Node | None, data: bytes, language: str) -> tuple[str, ...]:
    """Return the text of the fields, or the values of an enumeration, in the body of a type."""
    if body is None:
        return ()
    from itertools import islice

    nodes = (_find_field(child, language) for child in islice(body.named_children, MAX_BODY_NODES))
    texts = (_read_field(node, data) for node in nodes if node is not None)
    return tuple(islice(filter(None, texts), MAX_FIELDS + 1))


def _find_field(node: Node, language: str) -> Node | None:
    """Return the field that a child of a body is, or None."""
    if language == "python":
        inner = node.named_children[0] if node.type == "expression_statement" and node.named_child_count else None
        left = inner.child_by_field_name("left") if inner is not None and inner.type == "assignment" else None
        return inner if left is not None and left.type == "identifier" else None
    return (
        node if FIELD.fullmatch(node.type) and not node.has_error and find_declaration(node, language) is None else None
    )


def _read_field(node: Node, data: bytes) -> str:
    """Return the text of a field on one line, cut before a long value or a body."""
    text = _read_visible(node, node, node.start_byte, min(node.end_byte, node.start_byte + MAX_TEXT), data)
    text = join_lines(LEADING.sub("", text)).rstrip(",; ")
    if DUNDER.match(text):
        return ""
    if len(text) > MAX_FIELD:
        short, mark, _ = (*re.split(r"(?<!\s)\s*+(\{|(?<![=<>!])=(?![=>]))", text, maxsplit=1), "", "")[:3]
        text = f"{short[:MAX_FIELD].rstrip()} {mark.replace('{', '')}...".replace("=...", "= ...")
    return text
