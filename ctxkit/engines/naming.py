"""Find the node of a definition's name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

NAME = re.compile(
    r"(?:\w+_)?(?:identifier|name|constant|word|alias|path)|bareword|operator_name|selectors|targets|keyword_query"
)
"""Nodes that are a name in grammars without a name field."""
NAME_CONTAINERS = re.compile(r"arguments|binary_operator|call|call_expression|object_reference|signature|type_head")
"""Nodes that may contain a name."""
KEYWORDS = {
    "companion_object": "companion",
    "deinit_declaration": "deinit",
    "indexer_declaration": "this",
    "init_declaration": "init",
    "operator_declaration": "operator",
    "secondary_constructor": "constructor",
    "subscript_declaration": "subscript",
}
"""Keywords that replace the name of a definition without one."""


def _find_last_label(block: Node) -> Node | None:
    """Return the last label of a block such as ``resource "kind" "name" {``."""
    return next((c for c in reversed(block.named_children) if c.type in ("string_lit", "identifier")), None)


NAME_FIELDS = ("name", "property", "key", "attrpath", "pattern")
"""Fields of a definition that may hold its name, the likeliest first."""


def find_name(node: Node) -> Node | None:
    """Return the node of a definition's name: a field, else the declarator chain, else the first identifier."""
    keyword = KEYWORDS.get(node.type)
    if keyword:
        return next((child for child in node.children if child.type == keyword), None)
    if node.type == "block":
        return _find_last_label(node)
    named = filter(None, map(node.child_by_field_name, NAME_FIELDS))
    if (child := next(named, None)) is not None:
        return child
    left = node.child_by_field_name("left")
    if left is not None:
        return left.child_by_field_name("property") or left
    if node.type == "impl_item":
        kind = node.child_by_field_name("type")
        return (kind.child_by_field_name("type") or kind) if kind is not None else None
    return None if node.type in ("function", "class") else find_declarator(node) or find_first_name(node)


def find_declarator(node: Node) -> Node | None:
    """Return the innermost declarator, such as ``f`` in ``*(*f)(int)``."""
    inner = node.child_by_field_name("declarator")
    while inner is not None:
        deeper = inner.child_by_field_name("declarator")
        if deeper is None and inner.type.endswith("_declarator"):
            deeper = next(iter(inner.named_children), None)
        if deeper is None:
            return inner
        inner = deeper
    return None


def find_first_name(node: Node) -> Node | None:
    """Return the first name among the children, or inside the first child that may contain one."""
    inner: Node | None = node
    while inner is not None:
        for child in inner.named_children:
            if NAME.fullmatch(child.type):
                return child
        inner = next((child for child in inner.named_children if NAME_CONTAINERS.fullmatch(child.type)), None)
    return None
